import { describe, expect, it } from "vitest";
import type { LatencySection, ResidencySection, UtilisationSection } from "../../api/types.ts";
import { causeSums, nodeSums, threadSums } from "./index.tsx";

const residency = {
  tasks: [
    {
      task: 1,
      pid: 7,
      comm: "a",
      run_ns: 4e9,
      wait_ns: 1,
      nodes: [{ nid: 1, run_ns: 3e9 }],
      migrations_node: 2,
      cpus: 3,
    },
  ],
} as unknown as ResidencySection;
const latency = {
  wait_ns: 100,
  causes: [{ cause: "busy", ns: 100 }],
  preempted: {
    wait_ns: 40,
    causes: [
      { cause: "pinned", ns: 10 },
      { cause: "busy", ns: 30 },
    ],
  },
  new: { wait_ns: 0, causes: [] },
  unfinished: { wait_ns: 5, causes: [{ cause: "throttled", ns: 5 }] },
  by_task: [
    { task: 2, pid: 8, comm: "b", wait_ns: 60, count: 3, preempted: 0, preempted_ns: 0 },
    { task: 1, pid: 7, comm: "a", wait_ns: 40, count: 1, preempted: 5, preempted_ns: 40 },
  ],
  by_node: [{ nid: 1, wait_ns: 100, count: 4, preempted: 5, preempted_ns: 40 }],
} as unknown as LatencySection;
const utilisation = {
  nodes: [{ nid: 0, busy_ns: 10, idle_ns: 20, unknown_ns: 0 }],
} as unknown as UtilisationSection;

describe("sums of a window", () => {
  it("put who ran and who waited beside each other; what one list does not tell is not known", () => {
    const table = threadSums(residency, latency, [0, 1]);
    expect(table.pids).toEqual([7, 8]);
    expect(table.rows[0]).toEqual(["a", "7", "4 s", "40 ns", "1", "40 ns", "5", "0 %", "75 %", "2"]);
    expect(table.rows[1]).toEqual(["b", "8", "–", "60 ns", "3", "0 ns", "0", "–", "–", "–"]);
    expect(table.exact[1]?.[2]).toBeNull();
    expect(threadSums(null, null, [0]).rows).toEqual([]);
  });

  it("have a row for every node, and columns for what its CPUs were", () => {
    expect(nodeSums(utilisation, latency, [0, 1]).rows).toEqual([
      ["0", "10 ns", "20 ns", "0 ns", "–", "–", "–", "–"],
      ["1", "–", "–", "–", "100 ns", "4", "40 ns", "5"],
    ]);
  });

  it("take shares of the engine's own sums", () => {
    expect(causeSums(latency).exact.map((row) => row.slice(1))).toEqual([
      [100, 1, 30, 0.75, null, null, null, null],
      [null, null, 10, 0.25, null, null, null, null],
      [null, null, null, null, null, null, 5, 1],
    ]);
    expect(causeSums(null).rows).toEqual([]);
  });
});
