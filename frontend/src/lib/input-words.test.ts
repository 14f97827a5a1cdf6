import { describe, expect, it } from "vitest";
import {
  type AlignmentFacts,
  contentText,
  methodSentence,
  offsetText,
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
