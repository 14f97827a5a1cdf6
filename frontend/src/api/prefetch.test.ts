import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetchOrTake, firstAddresses, startEarly } from "./prefetch.ts";

const ORIGIN = "http://numalens.example";
const at = (path: string) => firstAddresses(new URL(`${ORIGIN}${path}`));
const fetched = vi.fn<(input: string | Request) => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset();
  fetched.mockImplementation(async () => new Response("told"));
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("firstAddresses", () => {
  it("are those that an analysis asks for in any case", () => {
    const base = `${ORIGIN}/api/v1/analyses/abc`;
    const some = [base, `${ORIGIN}/api/v1/info`];
    expect(at("/a/abc?v=2&w=1~2")).toEqual([...some, `${base}/sections/findings`, `${base}/tasks`]);
    // Findings of a committed range are other findings.
    expect(at("/a/abc?v=2&in=1~2")).toEqual([...some, `${base}/tasks`]);
    for (const path of ["/", "/compare?ids=a", "/s#sixteencharacters"]) expect(at(path)).toEqual([]);
  });
});

describe("fetchOrTake", () => {
  const request = (path: string, init: RequestInit = {}) =>
    fetchOrTake(new Request(`${ORIGIN}${path}`, init)).then((answer) => answer.text());

  it("gives an early answer to the first who asks, and asks for all others", async () => {
    startEarly([`${ORIGIN}/one`]);
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(await request("/one")).toBe("told");
    expect(fetched).toHaveBeenCalledTimes(1);
    await request("/one");
    await request("/other");
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  it("asks anew where the early question failed", async () => {
    fetched.mockRejectedValueOnce(new TypeError("no connection"));
    startEarly([`${ORIGIN}/one`]);
    expect(await request("/one")).toBe("told");
    fetched.mockResolvedValueOnce(new Response("busy", { status: 503 }));
    startEarly([`${ORIGIN}/two`]);
    expect(await request("/two")).toBe("told");
  });

  it("hangs up for whoever hung up, and takes nothing for a change", async () => {
    startEarly([`${ORIGIN}/one`, `${ORIGIN}/two`]);
    const stop = new AbortController();
    stop.abort();
    await expect(request("/one", { signal: stop.signal })).rejects.toThrow();
    await request("/two", { method: "POST" });
    expect(fetched).toHaveBeenCalledTimes(3);
  });
});
