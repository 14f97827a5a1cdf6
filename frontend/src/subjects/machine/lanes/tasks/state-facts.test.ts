import { describe, expect, it } from "vitest";
import { type ItemRow, makeTile } from "../../../../../test-support/test-items.ts";
import { Kind } from "../../../../timeline/tiles/tiles.ts";
import { stateFact } from "./state-facts.ts";
import { hitState, stateStrip } from "./state-lane.ts";

const names = {
  origin: 7_000_000_000n,
  nodeOf: (cpu: number) => (cpu < 4 ? 0 : 1),
  has: () => true,
  taskOf: (pid: number) => `ng_${pid} ${pid}`,
};

function said(at: number, bars: readonly ItemRow[], gaps: readonly ItemRow[] = []) {
  const hit = hitState(makeTile({ from: 0, to: 9000, resolution: 1, bars, gaps }), at, 2);
  return hit ? stateFact(hit, 12, names) : null;
}

describe("what a time of a task says", () => {
  it("is where it ran, as observed", () => {
    const found = said(1500, [{ kind: Kind.Slice, t0: 1000, t1: 3439, cpu: 5 }]);
    expect(found?.fact).toMatchObject({ title: "ng_12 12: running", label: "observed", at: 7_000_001_000n });
    expect(found?.fact.rows).toContainEqual(["on", "CPU 5, node 1"]);
    expect([found?.from, found?.to]).toEqual([7_000_001_000n, 7_000_003_439n]);
  });

  it("is who woke it, what for the wait was, and where it ended", () => {
    const wait = { kind: Kind.Woken, t0: 10, t1: 20, cpu: 3, wakerPid: 7, cause: 1 };
    const found = said(15, [wait])?.fact;
    expect(found?.label).toBe("replayed");
    expect(found?.rows.slice(1)).toEqual([
      ["woken by", "ng_7 7"],
      ["main cause", "throttled"],
      ["got CPU", "CPU 3, node 0"],
    ]);
    expect(said(15, [{ ...wait, wakerPid: 0 }])?.fact.rows[1]).toEqual([
      "woken by",
      "an interrupt on an idle CPU",
    ]);
    // Who woke it is not recorded: nothing is said of it.
    expect(said(15, [{ ...wait, wakerPid: -1, cause: 255 }])?.fact.rows).toHaveLength(2);
  });

  it("never claims to know what a gap hides", () => {
    const bars = [{ kind: Kind.Slice, t0: 0, t1: 100, cpu: 1 }];
    expect(said(50, bars, [{ kind: Kind.Lost, t0: 40, t1: 60 }])?.fact).toMatchObject({
      title: "ng_12 12: not known, events were lost",
      label: "inferred",
    });
    expect(said(50, [], [{ kind: Kind.Unknown, t0: 40, t1: 60 }])?.fact.title).toMatch(/not recorded$/);
    expect(said(500, bars)).toBeNull();
  });

  it("is the shares of what is merged", () => {
    const merged = { kind: Kind.Merged, t0: 0, t1: 100, busy: 0.25, wait: 0.5, count: 9, cpu: 1 };
    expect(said(50, [merged])?.fact.rows.slice(1)).toEqual([
      ["ran", "25 %, 9 times"],
      ["waited", "50 %"],
      ["longest run", "CPU 1, node 0"],
    ]);
  });

  it("stands at one base, the higher the more of the task's time it takes", () => {
    const strips = [Kind.Sleeping, Kind.Blocked, Kind.Preempted, Kind.Slice].map((kind) =>
      stateStrip(26, kind),
    );
    expect(new Set(strips.map(({ top, height }) => top + height)).size).toBe(1);
    expect(strips.map(({ height }) => height)).toEqual(
      strips.map(({ height }) => height).toSorted((a, b) => a - b),
    );
  });
});
