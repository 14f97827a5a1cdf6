/** Waits as tables: who waited longest, and by task, node or cgroup. */

import { waitsOf } from "../../../analysis/incident.ts";
import type { CauseTime, LatencySection, Wait } from "../../../api/types.ts";
import { causeTitle, mainCause } from "../../../lib/causes.ts";
import { formatAbs, formatDuration } from "../../../lib/format.ts";
import { parseNs } from "../../../lib/time.ts";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";
import { type LatencyView, WAIT_KINDS, type WaitKind } from "../../../view-state/tab-views.ts";

export const VIEW_WORDS: Readonly<Record<LatencyView, string>> = {
  worst: "Worst wakeups",
  preempted: "Worst preempted",
  new: "New tasks",
  unfinished: "Unfinished",
  finding: "Of the finding",
  map: "Over time",
  cause: "By cause",
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
  readonly count: number;
  readonly wait_ns?: number | null;
  readonly p50_ns: number | null;
  readonly p90_ns: number | null;
  readonly p99_ns: number | null;
  readonly max_ns: number | null;
  readonly causes?: readonly CauseTime[];
}

const time = (
  exact: "wait_ns" | "p50_ns" | "p90_ns" | "p99_ns" | "max_ns",
  name: string,
): Column<NamedGroup> => ({
  ...{ name, exact, unit: "ns" },
  value: (group) => group[exact] ?? null,
});

export function groupTable(latency: LatencySection, view: "node" | "cgroup"): TextTable {
  const groups: readonly NamedGroup[] =
    view === "node"
      ? latency.by_node.map((group) => ({ ...group, name: String(group.nid) }))
      : latency.by_cgroup.map((group) => ({ ...group, name: group.cgroup }));
  const byCause = namesOf(groups).map(
    (name): Column<NamedGroup> => ({
      ...{ name: null, exact: `${name}_ns`, unit: "ns" },
      value: ({ causes = [] }) => timeOf(causes, name),
    }),
  );
  return describeTable<NamedGroup>(
    [
      {
        name: view,
        exact: view,
        value: ({ name }) => name,
        ...(view === "node" ? { unit: "id" as const } : {}),
      },
      { name: "waits", exact: "count", unit: "count" },
      ...[time("wait_ns", "waited in all"), time("p50_ns", "median"), time("p90_ns", "p90")],
      ...[time("p99_ns", "p99"), time("max_ns", "longest")],
      { name: "main cause", exact: null, value: ({ causes = [] }) => mainCause(causes) },
      ...byCause,
    ],
    groups,
  );
}

/** Names of a kind's two columns on the page, and of its fields. */
const KIND_NAMES: Readonly<Record<WaitKind, readonly [time: string, share: string, exact: string]>> = {
  worst: ["woken", "of these", "wait"],
  preempted: ["preempted", "of those", "preempted"],
  new: ["new tasks", "of the new", "new"],
  unfinished: ["unfinished", "of the unfinished", "unfinished"],
};

/** Causes of the waits of each kind: each nanosecond has one cause. */
export function causeTable(latency: LatencySection): TextTable {
  const kinds = WAIT_KINDS.map((kind) => ({ kind, waits: waitsOf(latency, kind) }));
  const rows = [...new Set(kinds.flatMap(({ waits }) => waits.causes.map(({ cause }) => cause)))];
  const columns = kinds.flatMap(({ kind, waits }): Column<string>[] => {
    const [name, share, exact] = KIND_NAMES[kind];
    const ns = new Map(waits.causes.map((part) => [part.cause, part.ns]));
    const of = (cause: string) => ns.get(cause) ?? null;
    const shareOf = (part: number | null) =>
      part === null || waits.wait_ns === 0 ? null : part / waits.wait_ns;
    return [
      { name, exact: `${exact}_ns`, value: of, unit: "ns" },
      { name: share, exact: `${exact}_share`, value: (cause) => shareOf(of(cause)), unit: "share" },
    ];
  });
  return describeTable<string>([{ name: "cause", exact: "cause", value: causeTitle }, ...columns], rows);
}

/** Percentiles without waits are not numbers. */
export function durationText(ns: number | null): string {
  return ns === null ? "–" : formatDuration(ns);
}

/** Every cause that some row has, in the order of first occurrence. */
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
