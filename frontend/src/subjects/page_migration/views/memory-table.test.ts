import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { automigLaws, lawRows, nsOr, perSecond, reasonText, shareOr } from "./memory-table.ts";

describe("rates", () => {
  it("weigh a short last step by its length", () => {
    expect(perSecond([4, 4, 4], 1e9, 2.5e9)).toEqual({ values: [4, 4, 8], most: 8 });
    expect(perSecond([], 1e9, 0)).toEqual({ values: [], most: 0 });
    expect(perSecond([3, 3], 1e9, 1e9).values).toEqual([3, 0]);
  });

  it("are never below zero nor above their most", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1000)),
        fc.integer({ min: 1, max: 1e9 }),
        fc.nat(1e9),
        (counts, step, length) => {
          const { values, most } = perSecond(counts, step, length);
          expect(values).toHaveLength(counts.length);
          for (const value of values) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(most);
          }
        },
      ),
    );
  });
});

describe("words", () => {
  it("say what is not known", () => {
    expect([shareOr(null), shareOr(0.372), nsOr(null), nsOr(1500)]).toEqual([
      "not known",
      "37 %",
      "–",
      "1.5 µs",
    ]);
    expect([reasonText("numa_misplaced"), reasonText(""), reasonText("memory_hotplug")]).toEqual([
      "on NUMA fault",
      "not reported",
      "memory hotplug",
    ]);
  });
});

describe("laws", () => {
  const law = {
    law: "a <= b",
    left: 5,
    right: 3,
    residual: -2,
    slack: 0,
    rule: "at_least" as const,
    holds: false,
    label: "replayed" as const,
    missing: [],
  };

  it("of today have a residual, a verdict, and what they lack", () => {
    const rows = lawRows([
      law,
      { ...law, holds: true, residual: 1204, slack: 64 },
      { ...law, left: null, residual: null, holds: null, missing: ["vmstat"] },
    ]);
    expect(rows.map(({ residual, verdict, note }) => [residual, verdict, note])).toEqual([
      ["−2", "broken", ""],
      ["+1,204", "holds", "± 64 allowed"],
      ["–", "not known", "lacks vmstat"],
    ]);
  });

  it("of 2010 hold by row, and C4 only to the letter", () => {
    const check = { law: "C1", form: "MP <= LC", holds: 3, skewed: 0, rows: 3, violated: 0, violations: [] };
    const rows = automigLaws({
      laws: [
        check,
        { ...check, law: "C4", holds: 1 },
        { ...check, holds: 2, violated: 1, violations: [{ row: 1, t_ns: null, what: "MP > LC", by: 4 }] },
        { ...check, holds: 2, skewed: 1 },
        { ...check, holds: 0, rows: 0 },
      ],
    });
    expect(rows.map(({ verdict, note }) => [verdict, note])).toEqual([
      ["holds", ""],
      ["holds", "2 with shared pages"],
      ["broken", "row 2: MP > LC"],
      ["holds", "1 sampled while they changed"],
      ["not checked", ""],
    ]);
  });
});
