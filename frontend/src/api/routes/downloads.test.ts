import { afterEach, expect, it, vi } from "vitest";
import { recordingClient } from "../../../test-support/recorded-requests.ts";
import { DownloadsApi } from "./downloads.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const WINDOW = { from: 1n, to: 2n };
const BASE = "/api/v1/analyses/a%2Fb";

it("has addresses in which no name is more than a name", () => {
  const downloads = new DownloadsApi(recordingClient().client);
  expect(downloads.events("a/b", "sched:x&y", "csv")).toBe(`${BASE}/events/sched%3Ax%26y?format=csv`);
  const query = { filter: "comm=a&b", window: null, after: null };
  const rows = `${BASE}/event-rows/export?filter=comm%3Da%26b&format=ndjson`;
  expect(downloads.eventRows("a/b", query, "ndjson")).toBe(rows);
  expect(downloads.eventRows("a/b", { ...query, window: WINDOW }, "ndjson")).toBe(
    `${rows}&from_ns=1&to_ns=2`,
  );
  const samples = `${BASE}/samples/psi%3Fx?format=arrow`;
  expect(downloads.samples("a/b", "psi?x", "arrow")).toBe(samples);
  expect(downloads.samples("a/b", "psi?x", "arrow", WINDOW)).toBe(`${samples}&from_ns=1&to_ns=2`);
  expect(downloads.trace("a/b", null)).toBe(`${BASE}/trace.pftrace`);
  expect(downloads.trace("a/b", WINDOW)).toBe(`${BASE}/trace.pftrace?from_ns=1&to_ns=2`);
});

it("opens one with the token that a link cannot carry", async () => {
  const { client, requests } = recordingClient(new Response("rows"), "the-token");
  const answer = await new DownloadsApi(client).open(`${BASE}/trace.pftrace`);
  expect(await answer.text()).toBe("rows");
  expect(requests[0]?.headers.get("X-NumaLens-Share")).toBe("the-token");
});
