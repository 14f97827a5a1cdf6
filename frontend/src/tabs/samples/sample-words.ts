/** Tables of samples as they stand on the page. */

import { formatAbs, formatCount, plural } from "../../lib/format.ts";
import { parseNs } from "../../lib/time.ts";

export interface TableFacts {
  readonly table: string;
  readonly rows: number;
  readonly placed: number;
  readonly from_ns: string | null;
  readonly to_ns: string | null;
}

const WHAT: Readonly<Record<string, string>> = {
  psi: "pressure stall times, system and cgroups (/proc/pressure, *.pressure)",
  vmstat: "counters of the memory management (/proc/vmstat)",
  stat: "CPU time by use (/proc/stat)",
  loadavg: "load averages (/proc/loadavg)",
  numa_group: "NUMA groups of cgroups (cpu.numa_group)",
  automig: "statistics of the automatic migration",
  numa_maps: "pages of each mapping by node (/proc/PID/numa_maps)",
  proc_sched: "scheduler counters of tasks (/proc/PID/sched)",
  proc_sched_faults: "NUMA faults of tasks by node (/proc/PID/sched)",
  cgroup_tasks: "which task is in which cgroup",
  cgroup_stat: "counters of cgroups (cpu.stat, memory.numa_stat)",
};

export function tableSentence(table: string): string {
  return WHAT[table] ?? "samples";
}

/** The interval that the placed rows cover, in s of the trace clock. */
export function tableSpan({ from_ns, to_ns }: TableFacts): string {
  if (from_ns === null || to_ns === null) return "";
  return `${formatAbs(BigInt(from_ns), 3)} – ${formatAbs(BigInt(to_ns), 3)}`;
}

/** Rows that no time is known of, in words; empty when there are none. */
export function unplacedText({ rows, placed }: Pick<TableFacts, "rows" | "placed">): string {
  if (placed >= rows) return "";
  return placed === 0 ? "none placed in time" : `${plural(rows - placed, "row")} not placed in time`;
}

/** What the line above a table's rows says. */
export function shownText(shown: number, more: boolean, inWindow: boolean): string {
  const where = inWindow ? " in the window" : "";
  if (!more) return `${plural(shown, "row")}${where}`;
  const rest = inWindow ? "zoom in, or download all of them" : "download all of them";
  return `the first ${formatCount(shown)} rows${where}; ${rest}`;
}

const STAMPS = ["idx", "mono_ns", "boot_ns", "real_ns", "trace_ns", "end_mono_ns"];

/**
 * The columns to show, in order: when, what, and the sample's own stamps last. Columns that nothing was recorded for would
 * only push the others out of sight.
 */
export function shownColumns(head: readonly string[], rows: readonly (readonly string[])[]): number[] {
  const rank = (column: number) => {
    const name = head[column] ?? "";
    return name === "ts_ns" ? 0 : name === "input" ? 1 : STAMPS.includes(name) ? 3 : 2;
  };
  return head
    .map((_, column) => column)
    .filter((column) => rows.some((row) => row[column]))
    .sort((a, b) => rank(a) - rank(b) || a - b);
}

/** The shown name of a column. */
export function columnName(name: string): string {
  return name === "ts_ns" ? "time, s" : name;
}

/** A field as it is shown: times in s of the trace clock, inputs by name; all else as it was recorded. */
export function fieldText(column: string, text: string, inputs: readonly string[]): string {
  if (column === "input") return inputs[Number(text)] ?? text;
  if (column !== "ts_ns") return text;
  const ns = parseNs(text);
  return ns === null ? text : formatAbs(ns);
}
