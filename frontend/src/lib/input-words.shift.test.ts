import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatShift, offsetsWith, parseSeconds, parseShift } from "./input-words.ts";

describe("parseShift", () => {
  it("reads ms without a unit, and every unit exactly", () => {
    expect(parseShift("12.5")).toBe(12_500_000n);
    expect(parseShift(" -3 s ")).toBe(-3_000_000_000n);
    expect(parseShift("−0.000001")).toBe(-1n);
    expect(parseShift("+250us")).toBe(250_000n);
    expect(parseShift("7 µs")).toBe(7_000n);
    expect(parseShift("-1795227801661.458001")).toBe(-1_795_227_801_661_458_001n);
    expect(parseShift("1.5 s")).toBe(1_500_000_000n);
  });

  it("refuses what is no shift, and parts of a ns", () => {
    for (const text of [
      "",
      "-",
      "1,5",
      "1e3",
      "five",
      "1 h",
      "0.5 ns",
      "0.0000001 ms",
      "1.5.2",
      "9".repeat(16),
    ]) {
      expect(parseShift(text)).toBeNull();
    }
  });

  it("reads what it writes", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (ns) => {
        expect(parseShift(formatShift(ns).replaceAll(",", ""))).toBe(ns);
      }),
    );
    expect(formatShift(-12_500_000n)).toBe("−12.5 ms");
    expect(formatShift(1_234_567_000_000n)).toBe("+1,234,567 ms");
    expect(formatShift(0n)).toBe("+0 ms");
  });
});

describe("parseSeconds", () => {
  it("reads what the axis writes, and nothing else", () => {
    expect(parseSeconds(" 36.275 ")).toBe(36_275_000_000n);
    expect(parseSeconds("1795227806.498460328")).toBe(1_795_227_806_498_460_328n);
    for (const text of ["", "-1", "36.275 s", "1e3", "."]) expect(parseSeconds(text)).toBeNull();
  });
});

describe("offsetsWith", () => {
  it("says one input's and leaves the others alone", () => {
    const given = { "psi.jsonl": "-5", other: "7" };
    expect(offsetsWith(given, "psi.jsonl", 10n)).toEqual({ "psi.jsonl": "10", other: "7" });
    expect(offsetsWith(given, "new.txt", 9_007_199_254_740_993n)["new.txt"]).toBe("9007199254740993");
    expect(offsetsWith(given, "other", null)).toEqual({ "psi.jsonl": "-5" });
  });
});
