import { describe, expect, it } from "vitest";
import { absentText, asSentence, howToRecord, missingText, windowText } from "./terms.ts";

describe("a section without an answer", () => {
  it("says how to record what it lacks", () => {
    for (const section of ["findings", "latency", "pressure", "nodes", "cgroups"] as const) {
      expect(howToRecord(section)).toMatch(/numalens record includes all of them\.$/);
    }
  });

  it("says why in a sentence of its own, and how to have one; names stay as they are written", () => {
    expect(asSentence("the machine has one CPU")).toBe("The machine has one CPU.");
    expect(asSentence("sched_switch was not recorded")).toBe("sched_switch was not recorded.");
    expect(asSentence("/proc/vmstat was not sampled")).toBe("/proc/vmstat was not sampled.");
    expect(asSentence("It is one already.")).toBe("It is one already.");
    expect(absentText("ilb", "no one was kicked")).toBe(`No one was kicked. ${howToRecord("ilb")}`);
  });

  it("names what an inferred value lacks", () => {
    expect(missingText([])).toBe("");
    expect(missingText(["sched_waking", "cpus_allowed"])).toBe(
      "lacks sched_waking, the affinity of each task",
    );
  });

  it("names its window", () => {
    expect(windowText({ from: 12_004_000_000n, to: 13_200_000_001n })).toBe("12.004 – 13.200 s, 1.196 s");
  });
});
