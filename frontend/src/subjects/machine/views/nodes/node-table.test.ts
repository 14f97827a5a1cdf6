import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStep } from "../../../../view-state/tab-views.ts";
import {
  heatTenths,
  imbalanceOf,
  imbalanceText,
  MOST_STEPS,
  mailTable,
  modesText,
  NOT_RECORDED,
  nodeSumTable,
  stepStarts,
  stepsFor,
  stepTable,
} from "./node-table.ts";

const node = (nid: number, percent: number[]) => ({
  nid,
  percent,
  average: Math.round(percent.reduce((sum, value) => sum + value, 0) / Math.max(1, percent.length)),
  busy_ns: 1,
  idle_ns: 1,
  unknown_ns: 0,
});
const use = {
  step_ns: 5e9,
  nodes: [node(0, [12, 9, 3]), node(1, [20, 21, 10])],
  imbalance: [
    { from_ns: "1790000000000000123", max_min: 8, stdev: 4, hhi: 0.53 },
    { from_ns: "1790000005000000123", max_min: 12, stdev: 6, hhi: 0.58 },
    { from_ns: "1790000010000000123", max_min: null as never, stdev: null as never, hhi: null },
  ],
};

describe("the per-node table", () => {
  it("stands as text as the mail had it", () => {
    expect(mailTable(use)).toBe(
      "(timestep is 5 s)\n# NUMA | AVR | Utilization over time in percentage\n0 | 8 | 12 9 3\n1 | 17 | 20 21 10\n",
    );
  });

  it("has user and system time separate, and no mode without time", () => {
    const modes = {
      from_ns: "0",
      to_ns: "1",
      user_percent: 18,
      system_percent: 4,
      irq_percent: 0,
      idle_percent: 78,
      steal_percent: 0,
    };
    expect(modesText({ ...modes, steps: [], label: "observed" })).toBe(
      "CPU time by /proc/stat: user 18.0 %, system 4.0 %, idle 78.0 %.",
    );
  });

  it("begins each step where the answer says, else where it must", () => {
    const section = [1_790_000_000_000_000_123n, 1_790_000_005_000_000_123n, 1_790_000_010_000_000_123n];
    expect(stepStarts(use, 7n)).toEqual(section);
    expect(stepStarts({ ...use, imbalance: [] }, section[0] ?? 0n)).toEqual(section);
  });

  it("is given away with a row for each step", () => {
    const { exactHead: head, exact: rows } = stepTable(use as never, 0n);
    expect(head).toEqual(["from_ns", "node_0_percent", "node_1_percent", "max_min", "stdev", "hhi"]);
    expect(rows[1]).toEqual([1_790_000_005_000_000_123n, 9, 21, 12, 6, 0.58]);
    for (const row of rows) expect(row).toHaveLength(head.length);
  });

  it("gives no number of a node of which nothing is recorded", () => {
    const idle = { ...node(0, [0]), busy_ns: 0, idle_ns: 5e9 };
    const dark = { ...node(1, []), busy_ns: 0, idle_ns: 0, unknown_ns: 5e9 };
    const depth = { nodes: [0, 1].map((nid) => ({ nid, mean: [0], max: [0] })) };
    const waste = { per_node: [0, 1].map((nid) => ({ nid, cpu_ns: 0, causes: [] })) };
    const { rows, exact } = nodeSumTable({ nodes: [idle, dark], depth } as never, waste as never);
    expect(rows[0]).toEqual(["0", "0 ns", "5 s", "0 ns", "0 ns", "", "0"]);
    expect(rows[1]).toEqual(["1", NOT_RECORDED, NOT_RECORDED, "5 s", NOT_RECORDED, "", NOT_RECORDED]);
    expect(exact[1]).toEqual([1, null, null, 5e9, null, "", null]);
  });

  it("sums up the spread between nodes, where there is more than one", () => {
    const spread = imbalanceOf(use);
    expect(spread).toEqual({ mean: 10, worst: 12, worstAt: 1_790_000_005_000_000_123n });
    expect(spread && imbalanceText(spread)).toContain(
      "10.0 points on average, 12.0 at most at 1790000005.000 s",
    );
    expect(imbalanceOf({ ...use, nodes: use.nodes.slice(0, 1) })).toBeNull();
    expect(imbalanceOf({ ...use, imbalance: use.imbalance.slice(2) })).toBeNull();
  });
});

describe("steps", () => {
  it("make a table that can be read, and the chosen one is always there", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 4e12 }),
        fc.option(fc.integer({ min: 1000, max: 1e12 })),
        (length, chosen) => {
          const steps = stepsFor(length, chosen);
          expect(steps).toEqual([...steps].sort((a, b) => a - b));
          if (chosen !== null) expect(steps).toContain(chosen);
          for (const step of steps) {
            if (step !== chosen) expect(length / step).toBeGreaterThanOrEqual(2);
            if (step !== chosen) expect(length / step).toBeLessThanOrEqual(MOST_STEPS);
          }
        },
      ),
    );
    expect(stepsFor(45e9, null)).toEqual([1e9, 5e9]);
  });

  it("are read from a link only when they are steps", () => {
    expect(parseStep("5000000000")).toBe(5e9);
    for (const text of [undefined, "", "5e9", "-1", "0", "999", "99999999999999", "5s"])
      expect(parseStep(text)).toBeNull();
  });

  it("fill their cells by what they hold", () => {
    expect([0, 4, 5, 55, 100, 120].map(heatTenths)).toEqual([0, 0, 1, 6, 10, 10]);
  });
});
