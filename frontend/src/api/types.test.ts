import { describe, expect, it } from "vitest";
import { nsParam, windowParams, windowText } from "./types.ts";

describe("times of requests", () => {
  it("keep every ns, and are none before a clock's begin", () => {
    expect(nsParam(9_007_199_254_740_993n)).toBe("9007199254740993");
    expect(nsParam(-1n)).toBe("0");
  });

  it("are both ends of a window or neither", () => {
    expect(windowParams({ from: -5n, to: 7n })).toEqual({ from_ns: "0", to_ns: "7" });
    expect(windowParams(null)).toEqual({});
    expect(windowText({ from: 1n, to: 7n })).toBe("from_ns=1&to_ns=7");
    expect(windowText(null)).toBe("");
  });
});
