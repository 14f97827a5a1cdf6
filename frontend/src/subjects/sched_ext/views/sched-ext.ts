/** BPF schedulers in words and rows: when one was loaded, what it counted, why the kernel disabled it. */

import type { SectionContent } from "../../../api/routes/sections.ts";
import { formatDuration } from "../../../lib/format.ts";
import { describeTable, type TextTable } from "../../../ui/table/described-table.ts";

export type SchedExtSection = SectionContent<"sched_ext">;

export type Loaded = SchedExtSection["loaded"][number];
export type Dump = SchedExtSection["dumps"][number];
type Counter = SchedExtSection["counters"][number];
type DumpTask = Dump["tasks"][number];
type DumpCpu = Dump["cpus"][number];

/** By the numbers of `enum scx_exit_kind` (kernel/sched/ext_internal.h). */
const EXITS: Readonly<Record<number, string>> = {
  0: "dumped by SysRq-D, still running",
  64: "ended from user space",
  65: "ended by itself",
  66: "ended by the kernel",
  67: "ended by SysRq-S",
  68: "ended with its parent",
  1024: "disabled: runtime error",
  1025: "disabled: it reported an error",
  1026: "disabled: runnable task stall",
};

export function exitText(kind: number): string {
  return EXITS[kind] ?? `ended, kind ${kind}`;
}

const DSQS: Readonly<Record<string, string>> = {
  none: "none",
  scheduler: "with the scheduler",
  user: "its own",
  global: "global",
  local: "of the CPU",
  bypass: "of bypassing",
};

/** Queue of the scheduler that had a task, and its number. */
export function dsqText({ dsq, dsq_kind: kind }: Pick<DumpTask, "dsq" | "dsq_kind">): string {
  const word = DSQS[kind] ?? kind;
  return dsq === null || dsq === undefined ? word : `${dsq} (${word})`;
}

/** Tasks of a scheduler. */
export function whoseText({ switch_all: all }: Pick<Loaded, "switch_all">): string {
  if (all === null || all === undefined) return "not recorded";
  return all ? "all of the fair class's policies" : "those of policy SCHED_EXT";
}

export function loadedTable(loaded: readonly Loaded[], origin: bigint): TextTable {
  const after = (ns: string | null | undefined, none: string) => {
    if (ns === null || ns === undefined) return none;
    return BigInt(ns) <= origin ? "the recording's start" : formatDuration(BigInt(ns) - origin);
  };
  return describeTable<Loaded>(
    [
      { name: "scheduler", exact: "ops", value: ({ ops }) => ops ?? "not recorded" },
      { name: "loaded from", exact: "from_ns", show: ({ from_ns }) => after(from_ns, "") },
      { name: "to", exact: "to_ns", show: ({ to_ns }) => after(to_ns, "the recording's end") },
      { name: "its tasks", exact: "switch_all", show: whoseText },
    ],
    loaded,
  );
}

export function dumpTaskTable({ tasks }: Pick<Dump, "tasks">): TextTable {
  return describeTable<DumpTask>(
    [
      { name: "task", exact: "comm", value: ({ task }) => task.comm },
      { name: "pid", exact: "pid", unit: "number", value: ({ task }) => task.pid },
      { name: "on the queue of CPU", exact: "cpu", unit: "number" },
      {
        name: "runnable for",
        exact: "runnable_ms",
        unit: "number",
        show: ({ running, runnable_ms: ms }) => (running ? "runs" : formatDuration(ms * 1e6)),
      },
      { name: "DSQ", exact: "dsq", show: dsqText },
      { name: "may run on, mask", exact: "cpus", value: ({ cpus }) => cpus ?? "" },
    ],
    tasks,
  );
}

export function dumpCpuTable({ cpus }: Pick<Dump, "cpus">): TextTable {
  return describeTable<DumpCpu>(
    [
      { name: "CPU", exact: "cpu", unit: "number" },
      {
        name: "ran",
        exact: "comm",
        value: ({ current }) => current.comm,
        show: ({ current }) => (current.pid === 0 ? "idle" : `${current.comm} (${current.pid})`),
      },
      { name: null, exact: "pid", value: ({ current }) => current.pid },
      { name: "of class", exact: "class", show: (cpu) => cpu.class.replace(/_sched_class$/, "") },
      { name: "runnable tasks of sched_ext", exact: "nr_running", unit: "number" },
    ],
    cpus,
  );
}

/** Kernel counters between the first and the last sample of the window. */
export function counterTable({ counters }: Pick<SchedExtSection, "counters">): TextTable {
  return describeTable<Counter>(
    [
      { name: "counter", exact: "name" },
      { name: "scheduler", exact: "scheduler" },
      { name: "at first", exact: "first", unit: "number" },
      { name: "at last", exact: "last", unit: "number" },
      { name: "in between", exact: "between", unit: "number", value: ({ first, last }) => last - first },
    ],
    counters,
  );
}
