import { describe, expect, it } from "vitest";
import type { LatencySection, ResidencySection } from "../../../../api/types.ts";
import { taskRows, taskTable } from "./task-table.ts";

const tasks = { length: 4, pid: [0, 7, 8, 9], comm: ["idle", "a", "b", "c"], runNs: [9e9, 6e9, 7e9, 1e9] };
const residency = {
  tasks: [
    {
      task: 1,
      pid: 7,
      comm: "a",
      run_ns: 4e9,
      nodes: [{ nid: 1, run_ns: 3e9 }],
      migrations_node: 2,
      cpus: 3,
    },
  ],
} as unknown as ResidencySection;
const latency = {
  by_task: [
    {
      task: 3,
      wait_ns: 60,
      count: 3,
      preempted: 0,
      preempted_ns: 0,
      causes: [],
      preempted_causes: [],
      all: { p50_ns: 10, p90_ns: 20, p99_ns: 25, max_ns: 30 },
    },
    {
      task: 1,
      wait_ns: 40,
      count: 1,
      preempted: 5,
      preempted_ns: 60,
      max_ns: 40,
      all: { max_ns: 320 },
      causes: [{ cause: "busy", ns: 40 }],
      preempted_causes: [{ cause: "pinned", ns: 60 }],
    },
  ],
} as unknown as LatencySection;

describe("the tasks of a recording in a window", () => {
  const rows = taskRows(tasks, "", residency, latency);
  it("stand by what they ran in it, then by what they ran in all", () => {
    expect(rows.map(({ pid }) => pid)).toEqual([7, 8, 9]);
    expect(taskRows(tasks, "c", residency, latency).map(({ pid }) => pid)).toEqual([9]);
  });

  it("have what either list of the window says; what it leaves out is not known", () => {
    const table = taskTable(rows, [0, 1], 8e9);
    const shown = (row: number) =>
      Object.fromEntries(table.head.map((name, at) => [name, table.rows[row]?.[at]]));
    expect(shown(0)).toMatchObject({
      ...{ task: "a", pid: "7", ran: "4 s", "of one CPU": "50 %", "waited, woken": "40 ns" },
      ...{ "times preempted": "5", longest: "320 ns", "main cause": "pinned 60 %" },
      ...{
        "on node 0": "0 %",
        "on node 1": "75 %",
        "node changes": "2",
        CPUs: "3",
        "in the recording": "6 s",
      },
    });
    expect(shown(1)).toMatchObject({ ran: "–", "waited, woken": "–", "on node 0": "–", CPUs: "–" });
    expect(shown(2)).toMatchObject({ ran: "–", "waited, woken": "60 ns", p99: "25 ns" });
    const given = table.exactHead.indexOf("node_0_ns");
    expect(table.exact.map((row) => row[given])).toEqual([0, null, null]);
  });

  it("have no columns of nodes on a machine with one", () => {
    const { head } = taskTable(rows, [0], 8e9);
    expect(head.filter((name) => name.includes("node"))).toEqual([]);
  });
});
