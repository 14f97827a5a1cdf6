import { describe, expect, it } from "vitest";
import { encodeWait, parseWait, waitKey, waitOfSlice } from "./tab-views.ts";

const key = { pid: 774, cpu: 4, from: 1_790_000_000_000_000_100n, to: 1_790_000_000_000_003_439n };

describe("which wait is opened", () => {
  it("is text that a person can read", () => {
    expect(encodeWait(key)).toBe("774:4@1790000000000000100~1790000000000003439");
    expect(parseWait(encodeWait(key))).toEqual(key);
  });

  it("is none where a link says nonsense", () => {
    for (const text of [
      undefined,
      "",
      "774",
      "774:4@5",
      "774:4@5~5",
      "774:4@9~5",
      "-1:4@5~9",
      "a:4@5~9",
      "1:2@3~4~5",
    ])
      expect(parseWait(text), text).toBeNull();
  });

  it("is that of a listed wait, and that before a slice", () => {
    const ends = { waking_ns: "1790000000000000100", switch_in_ns: "1790000000000003439" };
    expect(waitKey({ pid: 774, cpu: 4, ...ends })).toEqual(key);
    const slice = { pid: 774, cpu: 4, start_ns: "1790000000000003439" };
    expect(waitOfSlice({ ...slice, wait_ns: "3339" })).toEqual(key);
    expect(waitOfSlice({ ...slice, wait_ns: "0" })).toBeNull();
    expect(waitOfSlice({ ...slice, wait_ns: null })).toBeNull();
  });
});
