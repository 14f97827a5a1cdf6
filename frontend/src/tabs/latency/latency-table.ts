/** Waits as tables: who waited longest, and by task, node or cgroup. */

import { waitsOf } from "../../analysis/incident.ts";
import type { CauseTime, LatencySection, Wait } from "../../api/types.ts";
import { mainCause } from "../../lib/causes.ts";
import { formatAbs, formatCount, formatDuration } from "../../lib/format.ts";
import { parseNs } from "../../lib/time.ts";
import type { TextTable } from "../../ui/table/described-table.ts";
import { type LatencyView, WAIT_KINDS, type WaitKind } from "../../view-state/tab-views.ts";

export const VIEW_WORDS: Readonly<Record<LatencyView, string>> = {
  worst: "Worst wake-ups",
  preempted: "Worst preempted",
  new: "New tasks",
  unfinished: "Unfinished",
  finding: "Of the finding",
  map: "Over time",
  task: "By task",
  node: "By node",
  cgroup: "By cgroup",
};

export function worstTable(waits: readonly Wait[], kind: WaitKind): TextTable {
  const end = kind === "unfinished" ? "ended at, s" : "ran at, s";
  return {
    head: ["task", "pid", "waited", "CPU", "node", "main cause", end],
    right: new Set([1, 2, 3, 4, 6]),
    rows: waits.map((wait) => [
      wait.comm,
      String(wait.pid),
      formatDuration(wait.wait_ns),
      String(wait.cpu),
      wait.nid === null ? "–" : String(wait.nid),
      mainCause(wait.causes),
      formatAbs(parseNs(wait.switch_in_ns) ?? 0n),
    ]),
    units: ["text", "id", "ns", "id", "id", "text", "time"],
    keys: waits.map((wait) => [
      ...[wait.comm, wait.pid, wait.wait_ns, wait.cpu, wait.nid, mainCause(wait.causes)],
      parseNs(wait.switch_in_ns),
    ]),
    exactHead: [
      ...[
        "comm",
        "pid",
        "wait_ns",
        "cpu",
        "from_cpu",
        "nid",
        "prio",
        "waker_pid",
        "waking_ns",
        "switch_in_ns",
      ],
      ...namesOf(waits).map((name) => `${name}_ns`),
    ],
    exact: waits.map((wait) => [
      ...[wait.comm, wait.pid, wait.wait_ns, wait.cpu, wait.from_cpu, wait.nid, wait.prio, wait.waker_pid],
      // Digits as they came: a float64 does not hold every clock.
      ...[parseNs(wait.waking_ns), parseNs(wait.switch_in_ns)],
      ...namesOf(waits).map((name) => timeOf(wait.causes, name)),
    ]),
  };
}

interface NamedGroup {
  readonly name: string;
  readonly pid?: number;
  readonly count: number;
  readonly wait_ns?: number | null;
  readonly p50_ns: number | null;
  readonly p90_ns: number | null;
  readonly p99_ns: number | null;
  readonly max_ns: number | null;
  readonly causes?: readonly CauseTime[];
}

const NUMBERS = ["wait_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"] as const;

const GROUP_UNITS = ["count", "ns", "ns", "ns", "ns", "ns", "text"] as const;

export function groupTable(latency: LatencySection, view: "task" | "node" | "cgroup"): TextTable {
  const groups = groupsOf(latency, view);
  const lead = view === "task" ? ["task", "pid"] : [view];
  const named = ({ name, pid }: NamedGroup) => (view === "task" ? [name, String(pid ?? "")] : [name]);
  const names = namesOf(groups);
  return {
    head: [...lead, "waits", "waited in all", "median", "p90", "p99", "longest", "main cause"],
    right: new Set(Array.from({ length: lead.length + 5 }, (_, i) => i + 1)),
    rows: groups.map((group) => [
      ...named(group),
      formatCount(group.count),
      ...NUMBERS.map((name) => durationText(group[name] ?? null)),
      mainCause(group.causes ?? []),
    ]),
    units: [...(view === "task" ? (["text", "id"] as const) : (["text"] as const)), ...GROUP_UNITS],
    keys: groups.map((group) => [
      ...(view === "task" ? [group.name, group.pid ?? null] : [group.name]),
      group.count,
      ...NUMBERS.map((name) => group[name] ?? null),
      mainCause(group.causes ?? []),
    ]),
    exactHead: [...lead, "count", ...NUMBERS, ...names.map((name) => `${name}_ns`)],
    exact: groups.map((group) => [
      ...named(group),
      group.count,
      ...NUMBERS.map((name) => group[name]),
      ...names.map((name) => timeOf(group.causes ?? [], name)),
    ]),
  };
}

function groupsOf(latency: LatencySection, view: "task" | "node" | "cgroup"): NamedGroup[] {
  if (view === "task") return latency.by_task.map((group) => ({ ...group, name: group.comm }));
  if (view === "node") return latency.by_node.map((group) => ({ ...group, name: String(group.nid) }));
  return latency.by_cgroup.map((group) => ({ ...group, name: group.cgroup }));
}

/** Percentiles of no wait at all are no numbers. */
export function durationText(ns: number | null): string {
  return ns === null ? "–" : formatDuration(ns);
}

/** Every cause that some row has, in the order of their first coming. */
function namesOf(rows: readonly { readonly causes?: readonly CauseTime[] }[]): string[] {
  return [...new Set(rows.flatMap(({ causes = [] }) => causes.map(({ cause }) => cause)))];
}

function timeOf(causes: readonly CauseTime[], name: string): number {
  return causes.find(({ cause }) => cause === name)?.ns ?? 0;
}

/** The wait that a slice ended, when it is among the worst. */
export function waitBefore(
  latency: LatencySection,
  slice: { readonly pid: number; readonly cpu: number; readonly start_ns: string },
): Wait | null {
  const same = (wait: Wait) =>
    wait.switch_in_ns === slice.start_ns && wait.cpu === slice.cpu && wait.pid === slice.pid;
  return WAIT_KINDS.flatMap((kind) => waitsOf(latency, kind).worst).find(same) ?? null;
}
