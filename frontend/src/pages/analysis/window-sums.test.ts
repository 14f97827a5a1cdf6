import { expect, it } from "vitest";
import { stateRows, waitCauses } from "./window-sums.tsx";

const thread = (run_ns: number, wait_ns: number) => ({
  pid: 1,
  comm: "a",
  tgid: null,
  cgroup: null,
  numa_group: null,
  nid: 0,
  run_ns,
  wait_ns,
});
const cpu = (cpu: number, unknown_ns: number) => ({ cpu, nid: 0, busy_ns: 5, idle_ns: 3, unknown_ns });

it("sums by state have tasks and idle CPUs, and what is not recorded only where something is not", () => {
  const threads = [thread(10, 4), thread(20, 0)];
  expect(stateRows({ threads }, null)).toEqual([
    { name: "tasks running", ns: 30 },
    { name: "tasks runnable", ns: 4 },
  ]);
  expect(stateRows({ threads }, { cpus: [cpu(0, 0), cpu(1, 0)] }).slice(2)).toEqual([
    { name: "CPUs idle", ns: 6 },
  ]);
  expect(stateRows({ threads }, { cpus: [cpu(0, 7)] }).at(-1)).toEqual({ name: "CPUs not recorded", ns: 7 });
});

it("causes are those of the waits of all kinds", () => {
  const kind = (ns: number) => ({
    causes: [{ cause: "cpu_busy", ns }],
    count: 1,
    error_percent: 0,
    max_ns: ns,
    p50_ns: ns,
    p90_ns: ns,
    p99_ns: ns,
    wait_ns: ns,
    worst: [],
  });
  const [only, ...others] = waitCauses({
    causes: [{ cause: "cpu_busy", ns: 1 }],
    preempted: kind(2),
    new: kind(4),
    unfinished: kind(8),
  });
  expect([only, others]).toEqual([{ cause: "cpu_busy", ns: 15 }, []]);
});
