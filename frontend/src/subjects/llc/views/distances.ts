/** Distances of migrations, wakeups and waits, and processes by last-level cache. */

import type { SectionContent } from "../../../api/routes/sections.ts";
import { formatCount, formatCpuList, formatDuration, formatShare } from "../../../lib/format.ts";
import { describeTable, NOTHING, type TextTable } from "../../../ui/table/described-table.ts";

export type DistancesSection = SectionContent<"distances">;

/** Closest relation of two CPUs, and its meaning. */
export const DISTANCES: Readonly<Record<string, { readonly name: string; readonly means: string }>> = {
  same_cpu: { name: "same CPU", means: "The task stayed on one CPU, and its caches are warm." },
  core: { name: "core", means: "SMT siblings: they share the core and all its caches." },
  llc: {
    name: "last-level cache",
    means: "Other cores below one last-level cache (kernel: cpus_share_cache).",
  },
  node: {
    name: "node",
    means: "Below another last-level cache of the node, or below unrecorded ones.",
  },
  other_node: { name: "other node", means: "On two nodes: the task's memory is remote, or must follow." },
};

/** Distances of moves: a row for each distance of the machine, the nearest first. */
export function distanceTable({ rows }: Pick<DistancesSection, "rows">): TextTable {
  type Row = DistancesSection["rows"][number];
  return describeTable<Row>(
    [
      {
        name: "in common",
        exact: "distance",
        value: ({ distance }) => DISTANCES[distance]?.name ?? distance,
      },
      {
        name: "woken to",
        exact: "woken_to",
        unit: "number",
        title: "Migrations while a task was being woken",
      },
      { name: "moved", exact: "moved", unit: "number", title: "Migrations of runnable tasks" },
      {
        name: "others",
        exact: "other",
        unit: "number",
        title: "Migrations of tasks that slept, or whose state was unknown",
      },
      {
        name: "wakeups",
        exact: "wakeups",
        unit: "number",
        title: "From the waking CPU to the task's runqueue",
      },
      {
        name: "then waited",
        exact: "woken_wait_ns",
        unit: "number",
        show: ({ wakeups, woken_wait_ns: ns }) => (wakeups > 0 ? formatDuration(ns / wakeups) : NOTHING),
        title: "Mean wait for a CPU after these wakeups, within the window",
      },
      {
        name: "waits",
        exact: "waits",
        unit: "number",
        title: "From the CPU where a task became runnable to the one where it ran",
      },
      { name: "waited", exact: "wait_ns", unit: "number", show: ({ wait_ns: ns }) => formatDuration(ns) },
      {
        name: "longest",
        exact: "longest_ns",
        unit: "number",
        show: ({ longest_ns: ns }) => formatDuration(ns),
      },
    ],
    rows,
  );
}

type ProcessDistances = DistancesSection["processes"][number];

/** The same by process: how often its threads went how far. */
export function processDistanceTable({ processes }: Pick<DistancesSection, "processes">): TextTable {
  const known = [...new Set(processes.flatMap(({ rows }) => rows.map(({ distance }) => distance)))];
  const of = ({ rows }: ProcessDistances, distance: string) => rows.find((row) => row.distance === distance);
  const name = (distance: string) => DISTANCES[distance]?.name ?? distance;
  const counts = known
    .filter((distance) => distance !== "same_cpu")
    .flatMap((distance) => [
      {
        name: `moved: ${name(distance)}`,
        exact: `migrations_${distance}`,
        unit: "number" as const,
        value: (process: ProcessDistances) => {
          const row = of(process, distance);
          return (row?.woken_to ?? 0) + (row?.moved ?? 0) + (row?.other ?? 0);
        },
        title: "Migrations of its threads of any kind",
      },
      {
        name: "wakeups",
        exact: `wakeups_${distance}`,
        unit: "number" as const,
        value: (process: ProcessDistances) => of(process, distance)?.wakeups ?? 0,
      },
    ]);
  return describeTable<ProcessDistances>(
    [
      { name: "process", exact: "comm", show: ({ comm, tgid }) => `${comm} [${tgid}]` },
      { name: null, exact: "tgid", unit: "id" },
      ...counts,
      {
        name: "waited",
        exact: "wait_ns",
        unit: "ns",
        value: ({ rows }) => rows.reduce((sum, row) => sum + row.wait_ns, 0),
      },
      ...known.map((distance) => ({
        name: null,
        exact: `wait_ns_${distance}`,
        unit: "ns" as const,
        value: (process: ProcessDistances) => of(process, distance)?.wait_ns ?? 0,
      })),
    ],
    processes,
  );
}

/** CPUs that share a last-level cache, and a core. */
export function sharingSentence({ llcs, cores }: Pick<DistancesSection, "llcs" | "cores">): string {
  const caches =
    llcs.length === 0
      ? "Which CPUs share a last-level cache is not recorded"
      : `Last-level caches: ${llcs.map((cpus) => `${cpus.length === 1 ? "CPU" : "CPUs"} ${formatCpuList(cpus)}`).join("; ")}`;
  const siblings = cores.filter((cpus) => cpus.length > 1);
  if (cores.length === 0) return `${caches}; shared cores are not recorded either.`;
  return `${caches}; ${siblings.length === 0 ? "no CPUs share a core" : `${formatCount(siblings.length)} cores have SMT siblings`}.`;
}

type ByProcess = NonNullable<DistancesSection["by_process"]>;
type LlcProcess = ByProcess["processes"][number];

/** Number of last-level caches of a process that are named; the others are counted. */
const NAMED_LLCS = 4;

const llcName = (cpus: readonly number[]) => `${cpus.length === 1 ? "CPU" : "CPUs"} ${formatCpuList(cpus)}`;

/** Caches of a process: those first below which it ran longest. */
function ranBelow({ by_llc_ns: ran, run_ns: all }: LlcProcess, llcs: DistancesSection["llcs"]): string {
  const used = ran.flatMap((ns, llc) => (ns > 0 ? [{ ns, llc }] : [])).sort((a, b) => b.ns - a.ns);
  const named = used
    .slice(0, NAMED_LLCS)
    .map(({ ns, llc }) => `${llcName(llcs[llc] ?? [])}: ${formatShare(ns / all)}`);
  const more = used.length - named.length;
  return more > 0 ? `${named.join("; ")}; ${formatCount(more)} more` : named.join("; ");
}

/** Processes by last-level cache, and what cache-aware scheduling would prefer for them. */
export function llcProcessTable(
  { processes }: ByProcess,
  { llcs }: Pick<DistancesSection, "llcs">,
): TextTable {
  const whatIf =
    "What cache-aware scheduling of Linux 7.2 would prefer (kernel: task_cache_work); a what-if.";
  const prefers = ({ preferred }: LlcProcess) =>
    preferred === null || preferred === undefined ? null : llcName(llcs[preferred] ?? []);
  return describeTable<LlcProcess>(
    [
      { name: "process", exact: "comm", show: ({ comm, tgid }) => `${comm} [${tgid}]` },
      { name: null, exact: "tgid", unit: "id" },
      { name: "threads", exact: "threads", unit: "number", title: "Threads that ran in the window" },
      { name: "ran", exact: "run_ns", unit: "ns" },
      { name: "below", exact: null, value: (row) => ranBelow(row, llcs) },
      ...llcs.map((cpus, llc) => ({
        name: null,
        exact: `below_cpus_${formatCpuList(cpus)}_ns`,
        unit: "ns" as const,
        value: (row: LlcProcess) => row.by_llc_ns[llc] ?? 0,
      })),
      {
        name: "would prefer",
        exact: "preferred_cpus",
        value: prefers,
        show: (row) => prefers(row) ?? "none",
        title: `${whatIf} For most of its run time.`,
      },
      {
        name: "ran there",
        exact: "in_preferred_ns",
        unit: "ns",
        show: ({ in_preferred_ns: there, preferring_ns: all }) =>
          all > 0 ? formatShare(there / all) : NOTHING,
        title: "Share of run time in the preferred cache, while one is preferred",
      },
      { name: null, exact: "preferring_ns", unit: "ns" },
      {
        name: "away",
        exact: "away",
        unit: "number",
        title: "Migrations away from the cache it would prefer at the time",
      },
      { name: "to it", exact: "to", unit: "number", title: "Migrations to the cache it would prefer" },
      {
        name: "changes",
        exact: "changes",
        unit: "number",
        title: "Number of changes of the preferred cache",
      },
    ],
    processes,
  );
}

/** Rows that the table leaves out. */
export function llcProcessSentence({ processes, more, unknown_ns: unknown }: ByProcess): string {
  const rest =
    more > 0
      ? ` ${formatCount(more)} more ${more === 1 ? "process is" : "processes are"} left out (less run time).`
      : "";
  const lost = unknown > 0 ? ` Tasks whose process is not recorded ran for ${formatDuration(unknown)}.` : "";
  if (processes.length === 0 && unknown === 0) return "No task ran in the window.";
  return processes.length === 0
    ? `Processes of threads are not recorded.${lost}`
    : `By process: the last-level caches that its threads used, and the one cache-aware scheduling would prefer.${rest}${lost}`;
}
