import { describe, expect, it } from "vitest";
import {
  counterTable,
  type Dump,
  dsqText,
  dumpCpuTable,
  dumpTaskTable,
  exitText,
  loadedTable,
  whoseText,
} from "./sched-ext.ts";

const DUMP: Dump = {
  ts_ns: "16557191000",
  scheduler: "hold",
  sub: false,
  kind: 1026,
  cpu: 2,
  by: { comm: "kworker/u17:2", pid: 155 },
  reason: "runnable task stall (held[159] failed to run for 2.104s)",
  stalled: { task: { comm: "held", pid: 159 }, ms: 2104 },
  cpus: [
    { cpu: 2, nr_running: 1, current: { comm: "swapper/2", pid: 0 }, class: "idle_sched_class" },
    { cpu: 1, nr_running: 1, current: { comm: "kworker/u17:2", pid: 155 }, class: "ext_sched_class" },
  ],
  tasks: [
    {
      cpu: 2,
      task: { comm: "held", pid: 159 },
      running: false,
      runnable_ms: 2104,
      dsq: "0x4e1d",
      dsq_kind: "user",
      cpus: "f",
    },
    {
      cpu: 1,
      task: { comm: "kworker/u17:2", pid: 155 },
      running: true,
      runnable_ms: 0,
      dsq: null,
      dsq_kind: "none",
      cpus: "f",
    },
  ],
  truncated: false,
};

describe("a dump of sched_ext", () => {
  it("says who was runnable for how long, and where the scheduler had it", () => {
    const table = dumpTaskTable(DUMP);
    expect(table.rows).toEqual([
      ["held", "159", "2", "2.104 s", "0x4e1d (its own)", "f"],
      ["kworker/u17:2", "155", "1", "runs", "none", "f"],
    ]);
    expect(table.exact[0]).toEqual(["held", 159, 2, 2104, "0x4e1d", "f"]);
  });

  it("says what ran where and in which class", () => {
    expect(dumpCpuTable(DUMP).rows).toEqual([
      ["2", "idle", "idle", "1"],
      ["1", "kworker/u17:2 (155)", "ext", "1"],
    ]);
  });

  it("names exits and queues, also those that it does not know", () => {
    expect(exitText(1026)).toBe("disabled: runnable task stall");
    expect(exitText(70)).toBe("ended, kind 70");
    expect(dsqText({ dsq: null, dsq_kind: "scheduler" })).toBe("with the scheduler");
    expect(dsqText({ dsq: "0xc000000000000003", dsq_kind: "local" })).toBe("0xc000000000000003 (of the CPU)");
  });
});

describe("what is known of a scheduler", () => {
  it("tells when it was loaded and whose tasks it had; what is not recorded is not made up", () => {
    const loaded = [
      { from_ns: "0", to_ns: "3000000000", ops: "hold", switch_all: true },
      { from_ns: "4000000000", to_ns: null, ops: null, switch_all: null },
    ];
    expect(loadedTable(loaded, 1_000_000_000n).rows).toEqual([
      ["hold", "the recording's start", "2 s", "all of the fair class's policies"],
      ["not recorded", "3 s", "the recording's end", "not recorded"],
    ]);
    expect(whoseText({ switch_all: false })).toBe("those of policy SCHED_EXT");
  });

  it("tells what its counters grew by", () => {
    const counters = [{ scheduler: "root", name: "SCX_EV_BYPASS_ACTIVATE", first: 1, last: 3 }];
    expect(counterTable({ counters }).rows).toEqual([["SCX_EV_BYPASS_ACTIVATE", "root", "1", "3", "2"]]);
  });
});
