import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { around, commitRange, nested } from "./ranges.ts";
import { rankTasks } from "./rank-tasks.ts";

const WHOLE = { from: 0, to: 1e9 };

describe("committed ranges", () => {
  it("nest: a window becomes the innermost one, cut to what bounds it", () => {
    const first = commitRange([], { from: 1e8, to: 4e8 }, WHOLE);
    expect(first).toEqual([{ from: 1e8, to: 4e8 }]);
    // The window may show a little of what lies outside.
    const second = commitRange(first ?? [], { from: 0.5e8, to: 2e8 }, WHOLE);
    expect(second).toEqual([
      { from: 1e8, to: 4e8 },
      { from: 1e8, to: 2e8 },
    ]);
  });

  it("make no step to nowhere: the whole is no range, nor is what is hardly narrower or too short", () => {
    expect(commitRange([], { from: -2e7, to: 1.02e9 }, WHOLE)).toBeNull();
    expect(commitRange([], { from: 5e6, to: 1e9 }, WHOLE)).toBeNull();
    expect(commitRange([], { from: 500, to: 510 }, WHOLE)).toBeNull();
  });

  it("are left by going elsewhere, as far as that takes", () => {
    const ranges = [
      { from: 100, to: 900 },
      { from: 200, to: 400 },
    ];
    expect(around(ranges, { from: 250, to: 300 })).toBe(ranges);
    expect(around(ranges, { from: 250, to: 450 })).toEqual([ranges[0]]);
    expect(around(ranges, { from: 50, to: 60 })).toEqual([]);
  });

  it("of a link hold only as far as each is inside the one before", () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }));
    fc.assert(
      fc.property(fc.array(span), (pairs) => {
        const kept = nested(pairs.map(([from, to]) => ({ from, to })));
        kept.forEach(({ from, to }, i) => {
          expect(from).toBeLessThan(to);
          const outer = kept[i - 1];
          if (outer) expect(from >= outer.from && to <= outer.to).toBe(true);
        });
      }),
    );
  });
});

describe("ranked tasks", () => {
  describe("rankTasks", () => {
    const tasks = {
      length: 4,
      pid: [0, 12, 774, 123],
      comm: ["swapper/0", "ng_A", "NG_B", "db"],
      runNs: [99, 5, 7, 1],
    };
    it("puts the busiest first and leaves the idle loop out", () => {
      expect(rankTasks(tasks, "")).toEqual([2, 1, 3]);
    });
    it("filters by name, whatever the case, or by the beginning of a pid", () => {
      expect(rankTasks(tasks, " ng ")).toEqual([2, 1]);
      expect(rankTasks(tasks, "12")).toEqual([1, 3]);
      expect(rankTasks(tasks, "nothing")).toEqual([]);
    });
  });
});
