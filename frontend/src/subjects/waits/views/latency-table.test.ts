import { describe, expect, it } from "vitest";
import { waitSpan, waitsOf } from "../../../analysis/incident.ts";
import type { LatencySection, Wait } from "../../../api/types.ts";
import { causeTable, groupTable, waitBefore, worstTable } from "./latency-table.ts";

const wait: Wait = {
  task: 3,
  pid: 774,
  comm: "ng_A",
  waking_ns: "1790000000000000100",
  switch_in_ns: "1790000000000003439",
  wait_ns: 3339,
  cpu: 4,
  from_cpu: 5,
  nid: 1,
  waker_pid: 12,
  prio: 120,
  causes: [
    { cause: "softirq", ns: 339 },
    { cause: "busy", ns: 3000 },
  ],
  antagonists: [],
  others: null,
  cgroup: null,
};
const numbers = {
  error_percent: 0,
  wait_ns: 3339,
  p50_ns: 4120,
  p90_ns: 81_004,
  p99_ns: null,
  max_ns: 1_204_331,
};
const group = {
  ...{ ...numbers, causes: wait.causes, preempted: 0, preempted_ns: 0, preempted_causes: [] },
  all: numbers,
};
const latency: LatencySection = {
  available: true,
  label: "replayed",
  missing: [],
  from_ns: "0",
  to_ns: "9",
  wakeups: 1,
  tasks: 1,
  ...numbers,
  causes: wait.causes,
  worst: [wait],
  preempted: { ...numbers, causes: [], count: 1, worst: [{ ...wait, cpu: 7 }] },
  new: { ...numbers, causes: [], count: 1, worst: [{ ...wait, cpu: 8 }] },
  unfinished: { ...numbers, causes: [], count: 1, worst: [{ ...wait, cpu: 9 }] },
  edges: { begun_before: 0, open_at_end: 0, wait_ns: 0 },
  by_node: [{ ...group, nid: 1, count: 8211, wait_ns: 92_004_112 }],
  by_task: [{ ...group, task: 3, pid: 774, comm: "ng_A", count: 2 }],
  by_cgroup: [],
};

describe("waits as tables", () => {
  it("show what a person reads and give away exact numbers", () => {
    const table = worstTable(
      [wait, { ...wait, nid: null, causes: [{ cause: "pinned", ns: 3339 }] }],
      "worst",
    );
    expect(table.head).toHaveLength(table.rows[0]?.length ?? 0);
    expect(table.rows[0]).toEqual([
      "ng_A",
      "774",
      "3.339 µs",
      "4",
      "1",
      "all CPUs busy 90 %",
      "1790000000.000003439",
    ]);
    expect(table.rows[1]?.[4]).toBe("–");
    expect(table.exactHead.slice(-3)).toEqual(["softirq_ns", "busy_ns", "pinned_ns"]);
    expect(table.exact[0]?.slice(-5)).toEqual([
      1_790_000_000_000_000_100n,
      1_790_000_000_000_003_439n,
      339,
      3000,
      0,
    ]);
    for (const row of table.exact) expect(row).toHaveLength(table.exactHead.length);
  });

  it("are listed by kind; an unfinished one ended, and need not have run", () => {
    expect(waitsOf(latency, "worst")).toMatchObject({ count: 1, wait_ns: 3339, worst: [wait] });
    for (const kind of ["preempted", "new", "unfinished"] as const)
      expect(waitsOf(latency, kind)).toBe(latency[kind]);
    expect(worstTable([wait], "new").head.at(-1)).toBe("ran at, s");
    expect(worstTable([wait], "unfinished").head.at(-1)).toBe("ended at, s");
  });

  it("are grouped by node and cgroup", () => {
    for (const view of ["node", "cgroup"] as const) {
      const { head, rows, exactHead, exact } = groupTable(latency, view);
      for (const row of rows) expect(row).toHaveLength(head.length);
      for (const row of exact) expect(row).toHaveLength(exactHead.length);
    }
    expect(groupTable(latency, "node").rows).toEqual([
      ["1", "8,211", "92 ms", "4.12 µs", "81 µs", "–", "1.204 ms", "all CPUs busy 90 %"],
    ]);
    expect(groupTable(latency, "node").exact).toEqual([
      ["1", 8211, 92_004_112, 4120, 81_004, null, 1_204_331, 339, 3000],
    ]);
    expect(groupTable(latency, "cgroup").rows).toEqual([]);
  });
});

describe("the causes of waits", () => {
  it("have times and shares of the engine's own sums, for each kind of wait", () => {
    const preempted = { ...latency.preempted, wait_ns: 40, causes: [{ cause: "busy", ns: 30 }] };
    const unfinished = { ...latency.unfinished, wait_ns: 5, causes: [{ cause: "throttled", ns: 5 }] };
    const rows = causeTable({ ...latency, preempted, unfinished }).exact.map((row) => row.slice(1));
    expect(rows).toEqual([
      [339, 339 / 3339, null, null, null, null, null, null],
      [3000, 3000 / 3339, 30, 0.75, null, null, null, null],
      [null, null, null, null, null, null, 5, 1],
    ]);
  });
});

describe("one wait", () => {
  it("has its place in time to the ns", () => {
    expect(waitSpan(wait, 1_790_000_000_000_000_000n)).toEqual({ from: 100, to: 3439 });
  });

  it("is found for the slice that ended it, on that CPU and of that task only", () => {
    const slice = { pid: 774, cpu: 4, start_ns: wait.switch_in_ns };
    expect(waitBefore(latency, slice)).toBe(wait);
    for (const cpu of [7, 8, 9]) expect(waitBefore(latency, { ...slice, cpu })?.cpu).toBe(cpu);
    expect(waitBefore(latency, { ...slice, pid: 9 })).toBeNull();
    expect(waitBefore(latency, { ...slice, start_ns: "1790000000000003440" })).toBeNull();
  });
});
