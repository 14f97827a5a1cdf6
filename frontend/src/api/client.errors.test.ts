import { describe, expect, it } from "vitest";
import { ApiError, isAbort, sentenceFromBody, sentenceOf } from "./client.ts";

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
