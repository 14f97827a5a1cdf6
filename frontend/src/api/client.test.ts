import { afterEach, describe, expect, it, vi } from "vitest";
import { recordingClient, refusal } from "../../test-support/recorded-requests.ts";
import {
  ApiError,
  isAbort,
  ServiceClient,
  sentenceFromBody,
  sentenceOf,
  take,
  takeBytes,
  takeOrNull,
} from "./client.ts";
import { currentUser } from "./current-user.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

const info = (client: ServiceClient) => client.routes.GET("/api/v1/info");

describe("what is asked", () => {
  it("carries the token of a share link, and only of one", async () => {
    const shared = recordingClient({}, "the-token");
    await take(info(shared.client));
    await shared.client.open("/api/v1/analyses/a/trace.pftrace");
    expect(shared.requests.map(({ headers }) => headers.get("X-NumaLens-Share"))).toEqual([
      "the-token",
      "the-token",
    ]);
    const own = recordingClient();
    await take(info(own.client));
    await own.client.open("/api/v1/info");
    expect(own.requests.map(({ headers }) => headers.has("X-NumaLens-Share"))).toEqual([false, false]);
  });
});

describe("what is answered", () => {
  it("is the body, as JSON or as bytes", async () => {
    expect(await take(info(recordingClient({ version: "1" }).client))).toEqual({ version: "1" });
    const { client } = recordingClient(new Response("abc"));
    const bytes = client.routes.GET("/api/v1/analyses/{analysis_id}/tasks", {
      params: { path: { analysis_id: "a" } },
      parseAs: "arrayBuffer",
    });
    expect((await takeBytes(bytes)).byteLength).toBe(3);
  });

  it("is a sentence, its status and what else was told for a refusal", async () => {
    const { client } = recordingClient(refusal(409, "Not now.", { revision: 7 }));
    const error = await take(info(client)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ message: "Not now.", status: 409, details: { revision: 7 } });
    await expect(client.open("/api/v1/info")).rejects.toMatchObject({ message: "Not now.", status: 409 });
  });

  it("is null for what is not there, where that is an answer, and raised for all else", async () => {
    expect(await takeOrNull(info(recordingClient(refusal(404, "None.")).client))).toBeNull();
    await expect(takeOrNull(info(recordingClient(refusal(410, "Gone.")).client))).rejects.toThrow("Gone.");
  });

  it("tells who sits here when somebody has to sign in", async () => {
    const refused = vi.spyOn(currentUser, "refused");
    await take(info(recordingClient(refusal(403, "Not yours.")).client)).catch(() => {});
    expect(refused).not.toHaveBeenCalled();
    await take(info(recordingClient(refusal(401, "Sign in.")).client)).catch(() => {});
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it("tells a server that is not there from a request that was superseded", async () => {
    recordingClient();
    const gone = new ServiceClient(null, () => Promise.reject(new TypeError("no connection")));
    for (const requests of [take(info(gone)), gone.open("/api/v1/info")])
      await expect(requests).rejects.toMatchObject({ name: "ApiError", status: 0 });
    const stop = new DOMException("superseded", "AbortError");
    const stopped = new ServiceClient(null, () => Promise.reject(stop));
    for (const requests of [take(info(stopped)), stopped.open("/api/v1/info")])
      await expect(requests).rejects.toBe(stop);
  });
});

describe("errors", () => {
  describe("sentences", () => {
    it("are the server's own where it has one", () => {
      expect(sentenceFromBody({ error: { sentence: "No such analysis." } }, 404)).toBe("No such analysis.");
      for (const body of [null, undefined, "<html>", {}, { error: {} }, { error: { sentence: "" } }])
        expect(sentenceFromBody(body, 502)).toBe("The server answered 502 without saying why.");
    });

    it("are there for anything that was thrown", () => {
      expect(sentenceOf(new ApiError("No.", 403))).toBe("No.");
      expect(sentenceOf("plain")).toBe("plain");
    });
  });

  describe("isAbort", () => {
    it("is of requests that were superseded, not of any other failure", () => {
      expect(isAbort(new DOMException("gone", "AbortError"))).toBe(true);
      expect(isAbort(new DOMException("gone", "TimeoutError"))).toBe(false);
      expect(isAbort(new ApiError("No.", 500))).toBe(false);
    });
  });
});
