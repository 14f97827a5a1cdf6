/** The NUMA balancer's doings in words and rows: the Ops table, why attempts failed, how tasks crossed nodes. */

import type {
  Attempt,
  DistancesSection,
  DomainBalancingSection,
  Ops,
  SchedstatSection,
  VmstatSection,
} from "../../api/types.ts";
import { CATALOGUE } from "../../lib/catalogue.ts";
import { causeTitle } from "../../lib/causes.ts";
import { formatCount, formatCpuList, formatDuration, formatShare } from "../../lib/format.ts";
import { labelText } from "../../lib/terms.ts";
import { imbalanceWords, noCpuText, verdictText, wayText } from "../../panels/nodes/attempt-glyphs.ts";
import { describeTable, NOTHING, type TextTable } from "../../ui/table/described-table.ts";

export interface OpsRow {
  readonly key: keyof Ops["rows"];
  readonly name: string;
  readonly means: string;
  readonly count: number | null;
  /** null: mmtests' table lacks the row. */
  readonly mmtests: number | null;
}

/** In the order and by the names of mmtests' table. */
export function opsRows({ rows, mmtests }: Pick<Ops, "rows" | "mmtests">): OpsRow[] {
  return CATALOGUE.ops.map(({ id, title, meaning, kernel }) => ({
    key: id,
    name: title,
    means: `${meaning} Kernel: ${kernel}.`,
    count: rows[id],
    mmtests: mmtests[id],
  }));
}

/** Reason for which the two columns differ; empty if they do not. */
export function rowNote({ count, mmtests }: Pick<OpsRow, "count" | "mmtests">): string {
  if (count === mmtests) return "";
  return mmtests === null ? "no such row" : "counts otherwise";
}

export interface Part {
  readonly key: string;
  readonly name: string;
  readonly means: string;
  readonly count: number;
}

type Words<K extends string> = readonly (readonly [K, string, string])[];

function parts<K extends string>(counts: Readonly<Record<K, number>>, words: Words<K>): Part[] {
  return words.map(([key, name, means]) => ({ key, name, means, count: counts[key] }));
}

const FAILURES: Words<keyof Ops["failures"]> = [
  ["no_cpu", "no CPU found", "task_numa_find_cpu chose no CPU."],
  ["move_failed", "move failed", "The attempt failed: migrate_task_to returned an error."],
  ["move_refused", "move refused", "Outside the task's affinity."],
  ["swap_raced", "swap raced", "One of the two had moved in between (kernel: migrate_swap_stop)."],
  ["swap_refused", "swap refused", "Refused before the attempt (kernel: migrate_swap)."],
  ["no_domain", "no NUMA domain", "The task's CPU is in no NUMA domain: -EINVAL."],
];

/** All kinds, also those that did not happen: a zero is an answer. */
export function failureParts(ops: Pick<Ops, "failures">): Part[] {
  return parts(ops.failures, FAILURES);
}

export function nodeFailuresTable(nodes: Ops["nodes"]): TextTable {
  return describeTable<Ops["nodes"][number]>(
    [
      { name: "node", exact: "nid", unit: "id" },
      { name: "attempts", exact: "attempts", unit: "count" },
      { name: "failed", exact: "failed", unit: "count" },
      {
        name: "failure ratio",
        exact: null,
        unit: "share",
        value: ({ attempts, failed }) => (attempts === 0 ? null : failed / attempts),
      },
    ],
    nodes,
  );
}

const CROSSINGS: Words<"numa" | "wakeup" | "runnable" | "asleep" | "unknown"> = [
  ["numa", "NUMA balancer", "Moves and both sides of swaps that succeeded (kernel: task_numa_migrate)."],
  ["wakeup", "wakeup", "A waking task was placed on another node (kernel: select_task_rq_fair)."],
  ["runnable", "load balancer", "A runnable task was pulled, its affinity changed, or it called exec."],
  ["asleep", "asleep", "The task slept."],
  ["unknown", "not known", "What the task did then is unknown."],
];

/** Parts of the total. */
export function crossingParts({ crossings }: Pick<Ops, "crossings">): Part[] {
  return parts(crossings, CROSSINGS).filter(({ key, count }) => count !== 0 || key in ALWAYS);
}

const ALWAYS = { numa: 1, wakeup: 1, runnable: 1 };

export function opsSentence(ops: Ops): string {
  const ended = ops.attempts - ops.unknown;
  const failed = Object.values(ops.failures).reduce((sum, count) => sum + count, 0);
  if (ops.attempts === 0) return "No task placement attempt started in this window.";
  const share = ended === 0 ? "" : ` (${formatShare(failed / ended)})`;
  const unknown = ops.unknown === 0 ? "" : `, of ${formatCount(ops.unknown)} the end is not known`;
  const [tried, moved, swapped, lost] = [ops.attempts, ops.moves_ok, ops.swaps_ok, failed].map(formatCount);
  return `${tried} attempts: ${moved} moves, ${swapped} swaps, ${lost} failed${share}${unknown}.`;
}

// Attempts to place tasks as rows that people read.

export function attemptTable(attempts: readonly Attempt[]): TextTable {
  return describeTable<Attempt>(
    [
      { name: "start, s", exact: "start_ns", unit: "time" },
      { name: null, exact: "end_ns", unit: "time" },
      { name: "task", exact: "comm" },
      { name: "pid", exact: "pid", unit: "id" },
      { name: null, exact: "tgid", unit: "id" },
      { name: null, exact: "ngid", unit: "id" },
      { name: "node", exact: null, value: wayText },
      { name: null, exact: "src_cpu", unit: "id" },
      { name: null, exact: "src_nid", unit: "id" },
      { name: null, exact: "dst_cpu", unit: "id" },
      { name: null, exact: "dst_nid", unit: "id" },
      { name: null, exact: "target_nid", unit: "id" },
      { name: null, exact: "target_from" },
      { name: "ended", exact: "verdict", show: verdictText },
      { name: null, exact: "failed" },
      { name: null, exact: "ret", unit: "id" },
      { name: null, exact: "partner_pid", unit: "id", value: ({ partner }) => partner?.pid },
      {
        name: "why no CPU",
        exact: "no_cpu",
        value: ({ explanation }) => explanation?.no_cpu,
        show: noCpuText,
      },
      { name: null, exact: "src_running", unit: "count", value: imbalanceOf("src_running") },
      { name: null, exact: "dst_running", unit: "count", value: imbalanceOf("dst_running") },
      { name: "after a move", exact: null, value: imbalanceWords },
      { name: null, exact: "imbalance", unit: "count", value: imbalanceOf("imbalance") },
      {
        name: "provenance",
        exact: "label",
        value: ({ explanation }) => explanation?.label,
        show: ({ explanation }) => labelText(explanation),
      },
      { name: null, exact: "missing", value: ({ explanation }) => explanation?.missing.join("; ") },
    ],
    attempts,
  );
}

const imbalanceOf =
  (field: "src_running" | "dst_running" | "imbalance") =>
  ({ explanation }: Attempt) =>
    explanation?.imbalance?.[field];

// Counters of the NUMA balancer and of memory as described tables: Ops and its parts, vmstat.

export function opsTable(ops: Pick<Ops, "rows" | "mmtests">): TextTable {
  return describeTable<OpsRow>(
    [
      { name: "Ops", exact: null, value: ({ name }) => name },
      { name: null, exact: "row", value: ({ key }) => key },
      {
        name: "by its rules",
        exact: "rules",
        unit: "count",
        value: ({ count }) => count,
        title: "Intended meaning of the row, by the kernel's own rules",
      },
      {
        name: "mmtests'",
        exact: "mmtests",
        unit: "count",
        title: "Count of mmtests' monitor for the same window; a dash: its table lacks the row",
      },
      { name: "note", exact: null, value: rowNote },
    ],
    opsRows(ops),
  );
}

/** Parts of a whole, with the share that each has. */
export function partTable(parts: readonly Part[], whole: number, what: string): TextTable {
  const share = ({ count }: Part) => (whole > 0 && count > 0 ? count / whole : null);
  return describeTable<Part>(
    [
      { name: what, exact: null, value: ({ name }) => name },
      { name: null, exact: "what", value: ({ key }) => key },
      { name: "count", exact: "count", unit: "count" },
      {
        name: "share",
        exact: "share",
        unit: "share",
        value: share,
        show: (part) => {
          const of = share(part);
          return of === null ? "" : formatShare(of);
        },
      },
    ],
    parts,
  );
}

type DomainCounts = SchedstatSection["domains"][number];
type Step = SchedstatSection["steps"][number];
type Counter = VmstatSection["table"]["rows"][number];

/** Counters of the load balancer, a row for each domain and state of its CPUs. */
export function domainTable({ domains }: Pick<SchedstatSection, "domains">): TextTable {
  return describeTable<DomainCounts>(
    [
      {
        name: "domain",
        exact: "domain",
        show: ({ domain, name }) => (name ? `${domain} ${name}` : `${domain}`),
      },
      { name: "CPUs were", exact: "kind" },
      { name: "CPUs", exact: "cpus", unit: "number" },
      { name: "calls", exact: "count", unit: "number" },
      { name: "balanced", exact: "balanced", unit: "number" },
      { name: "failed", exact: "failed", unit: "number" },
      { name: "tasks moved", exact: "gained", unit: "number" },
      { name: "hot ones", exact: "hot_gained", unit: "number" },
    ],
    domains,
  );
}

/** The same over time: a row from sample to sample. */
export function stepTable({ steps }: Pick<SchedstatSection, "steps">): TextTable {
  return describeTable<Step>(
    [
      { name: "from, s", exact: "from_ns", unit: "time" },
      { name: "to, s", exact: "to_ns", unit: "time" },
      { name: "calls", exact: "count", unit: "number" },
      { name: "tasks moved", exact: "gained", unit: "number" },
    ],
    steps,
  );
}

type DomainSearches = DomainBalancingSection["domains"][number];

const SEARCHERS: Readonly<Record<DomainSearches["searcher"], string>> = {
  newidle: "newly idle",
  idle: "idle",
  busy: "busy",
  own: "not recorded",
  other: "idle, for another CPU",
};

/** Costs of searches, a row for each domain and state of the searching CPUs. */
export function searchTable({ domains }: Pick<DomainBalancingSection, "domains">): TextTable {
  return describeTable<DomainSearches>(
    [
      { name: "CPUs were", exact: "searcher", value: ({ searcher }) => SEARCHERS[searcher] },
      { name: "CPUs of the domain", exact: "domain_cpus", unit: "number" },
      { name: "searches", exact: "count", unit: "number" },
      { name: "with tasks", exact: "pulled", unit: "number" },
      { name: "tasks moved", exact: "tasks", unit: "number" },
      { name: "took", exact: "ns", unit: "ns" },
      { name: "in vain", exact: "in_vain_ns", unit: "ns" },
      { name: "longest", exact: "longest_ns", unit: "ns" },
      { name: "longest at, s", exact: "longest_at_ns", unit: "time" },
    ],
    domains,
  );
}

type CpuSearches = DomainBalancingSection["cpus"][number];

/** The same by CPU. */
export function searchingCpuTable({ cpus }: Pick<DomainBalancingSection, "cpus">): TextTable {
  return describeTable<CpuSearches>(
    [
      { name: "CPU", exact: "cpu", unit: "number" },
      { name: causeTitle("newidle"), exact: "newidle_ns", unit: "ns" },
      { name: "searches", exact: "searches", unit: "number" },
      { name: "took", exact: "search_ns", unit: "ns" },
      { name: "of its time", exact: "percent", show: ({ percent }) => `${percent.toFixed(2)} %` },
    ],
    cpus,
  );
}

/** The kernel's count of moved tasks compared with the migrations of the recording. */
export function movedSentence({ moved }: Pick<SchedstatSection, "moved">): string {
  if (!moved) return "Which tasks were moved was not recorded.";
  const tasks = (count: number) => `${formatCount(count)} ${count === 1 ? "task" : "tasks"}`;
  return `The balancer counted ${tasks(moved.counted)} as moved; the recording has ${formatCount(moved.migrations)} ${
    moved.migrations === 1 ? "migration" : "migrations"
  } of runnable tasks that NUMA balancing did not order (the balancer's, changes of affinity, exec).`;
}

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
      { name: "threads", exact: "threads", unit: "number", title: "That ran in the window" },
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
        title: "Share of run time below the preferred cache, while it would prefer one",
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
  const lost =
    unknown > 0 ? ` Tasks of which the process is not recorded ran for ${formatDuration(unknown)}.` : "";
  if (processes.length === 0 && unknown === 0) return "No task ran in the window.";
  return processes.length === 0
    ? `Processes of threads are not recorded.${lost}`
    : `By process: the last-level caches that its threads used, and the one cache-aware scheduling would prefer.${rest}${lost}`;
}

export function vmstatTable({ table }: Pick<VmstatSection, "table">): TextTable {
  return describeTable<Counter>(
    [
      {
        name: "counter",
        exact: "name",
        show: ({ row, name }) => name ?? `${row.replaceAll("_", " ")} (no row of mmtests)`,
      },
      { name: null, exact: "row" },
      { name: "in the window", exact: "value", unit: "number" },
    ],
    table.rows,
  );
}
