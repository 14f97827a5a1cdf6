import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AlignmentFacts,
  contentText,
  formatShift,
  methodSentence,
  offsetsWith,
  offsetText,
  parseSeconds,
  parseShift,
  placedSentence,
  skippedPlace,
  uncertaintyText,
} from "./input-words.ts";

const markers: AlignmentFacts = {
  method: "markers",
  offset_ns: "-12500000",
  uncertainty_ns: "812345",
  evidence: "178 of 180 samples have their line in the trace.",
};

describe("an input's place in time", () => {
  it("has an offset and what it may be wrong by", () => {
    expect(offsetText(markers)).toBe("−12.5 ms");
    expect(uncertaintyText(markers)).toBe("± 812.3 µs");
    expect(placedSentence(markers)).toBe("By markers, ± 812.3 µs.");
    expect(methodSentence(markers)).toMatch(/^178 of 180.* relate both clocks\.$/);
  });

  it("says nothing where there is nothing to say, and never hides what is not known", () => {
    const reference: AlignmentFacts = {
      ...markers,
      method: "reference",
      offset_ns: "0",
      uncertainty_ns: "0",
    };
    expect([offsetText(reference), uncertaintyText(reference), placedSentence(reference)]).toEqual([
      "",
      "",
      null,
    ]);
    const same: AlignmentFacts = { ...reference, method: "same-clock" };
    expect([offsetText(same), uncertaintyText(same), placedSentence(same)]).toEqual(["", "± 0 ns", null]);
    const none: AlignmentFacts = { method: "none", offset_ns: null, uncertainty_ns: null, evidence: "" };
    expect([offsetText(none), uncertaintyText(none), placedSentence(none)]).toEqual(["", "", null]);
    const user: AlignmentFacts = { ...none, method: "user", offset_ns: "7" };
    expect([offsetText(user), uncertaintyText(user)]).toEqual(["+0.000007 ms", "± not known"]);
    expect(uncertaintyText({ ...user, uncertainty_ns: "0" })).toBe("± not known");
    expect(placedSentence(user)).toBe("Shifted by you, ± not known.");
    expect(placedSentence(null)).toBeNull();
  });
});

describe("a method of a later service", () => {
  it("stands by its own name", () => {
    const later: AlignmentFacts = { ...markers, method: "atomic-clock" };
    expect(placedSentence(later)).toBe("Atomic-clock, ± 812.3 µs.");
    expect(methodSentence(later)).toBe(markers.evidence);
  });
});

describe("what was left out and what there is", () => {
  it("is told by its place in the file", () => {
    const why = "Broken.";
    expect(skippedPlace({ from: 4096, to: 8192, unit: "byte", cpu: 3, why })).toBe(
      "bytes 4,096 up to 8,192 (4.0 KiB), CPU 3",
    );
    expect(skippedPlace({ from: 12, to: 12, unit: "line", why })).toBe("line 12");
    expect(skippedPlace({ from: 12, to: 14, unit: "line", cpu: null, why })).toBe("lines 12 to 14");
  });

  it("counts events and samples", () => {
    expect(contentText({ events: 1_212_501, samples: 178 })).toBe("1,212,501 events, 178 samples");
    expect(contentText({ events: null, samples: 1 })).toBe("1 sample");
    expect(contentText({ events: 0, samples: 0 })).toBe("0 events");
    expect(contentText({})).toBe("");
  });
});

describe("shift", () => {
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
});
