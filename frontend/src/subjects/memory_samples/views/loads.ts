/** Memory samples in words and rows: where loads found their data, how long that took, and what became of the memory of tasks. */

import type { SectionContent } from "../../../api/routes/sections.ts";
import { formatCount, formatShare, plural } from "../../../lib/format.ts";
import { type Column, describeTable, NOTHING, type TextTable } from "../../../ui/table/described-table.ts";

export type MemorySamplesSection = SectionContent<"memory_samples">;

export type Move = MemorySamplesSection["moves"][number];
type Loads = MemorySamplesSection["loads"];
type Sum = Loads["all"];
type Phase = Move["before"];

function cyclesText(cycles: number | null | undefined): string {
  return cycles === null || cycles === undefined
    ? "not recorded"
    : `${formatCount(Math.round(cycles))} cycles`;
}

/** The share of loads from memory that another node's served; null without any. */
export function remoteShare({ local_dram: near, remote_dram: far }: Loads): number | null {
  return near.loads + far.loads > 0 ? far.loads / (near.loads + far.loads) : null;
}

/** Summary of a window's samples. */
export function loadsSentence(
  section: Pick<MemorySamplesSection, "loads" | "stores" | "without_source">,
): string {
  const { loads, stores, without_source: silent } = section;
  const dram = loads.local_dram.loads + loads.remote_dram.loads;
  const hitm = loads.local_hitm.loads + loads.remote_hitm.loads;
  const share = remoteShare(loads);
  const parts = [
    `${plural(loads.all.loads, "load")}, mean latency ${cyclesText(loads.all.cycles)}`,
    `${formatCount(dram)} from memory${share === null ? "" : `, ${formatShare(share)} of them another node's`}`,
    `${formatCount(hitm)} of a line that another core had modified (HITM)`,
    ...(stores > 0 ? [plural(stores, "store")] : []),
    ...(silent > 0 ? [`${plural(silent, "sample")} that show only where memory is`] : []),
  ];
  return `${parts.join("; ")}.`;
}

/** Actions of the kernel in the same window. */
export function meanwhileSentence({ meanwhile }: Pick<MemorySamplesSection, "meanwhile">): string {
  const {
    moves,
    attempts,
    pages,
    numa_pages: numa,
    promoted,
    promotion_candidates: candidates,
    demoted,
  } = meanwhile;
  const of = (count: number | null | undefined, what: string) =>
    count === null || count === undefined ? `${what}: not recorded` : `${what}: ${formatCount(count)}`;
  // Most machines have one tier, and no samples of /proc/vmstat.
  const tiers =
    (promoted ?? 0) + (demoted ?? 0) > 0
      ? [of(promoted, "promoted"), of(candidates, "promotion candidates"), of(demoted, "demoted")]
      : [];
  return `At the same time: ${[
    of(moves, "migrations of tasks to another node"),
    of(attempts, "attempts of NUMA balancing"),
    of(pages, "pages migrated"),
    of(numa, "by NUMA balancing"),
    ...tiers,
  ].join(", ")}.`;
}

const MEMORY: Readonly<Record<Move["memory"], string>> = {
  followed: "memory followed",
  was_there: "its memory was already there",
  stayed: "memory stayed behind",
  near: "it used little memory elsewhere",
  other_pages: "it used different pages than before",
  unknown: "too few samples to see whether memory followed",
};
const PAID: Readonly<Record<Move["paid"], string>> = {
  faster: "loads became faster",
  same: "loads became no faster",
  slower: "loads became slower",
  unknown: "change of load times not known",
};

/** Of a move: whether memory followed, and whether it paid. */
export function verdictText({ memory, paid }: Pick<Move, "memory" | "paid">): string {
  return memory === "unknown" ? MEMORY.unknown : `${MEMORY[memory]} and ${PAID[paid]}`;
}

/** Evidence for the judgement of a move. */
export function moveSentence(move: Move): string {
  const { comm, pid, from_nid: from, to_nid: to, pages } = move;
  const phase = ({ all, remote_share: share }: Phase) =>
    `${cyclesText(all.cycles)}, ${share === null || share === undefined ? "none from memory" : `${formatShare(share)} remote`}`;
  const seen =
    pages && pages.left_behind > 0
      ? ` ${formatCount(pages.followed)} of ${plural(pages.left_behind, "page")} that lay on node ${from} came along.`
      : "";
  return (
    `${comm || "<...>"} (${pid}) went from node ${from} to node ${to}: ${verdictText(move)}. ` +
    `Loads before: ${phase(move.before)}; then: ${phase(move.early)}; in the end: ${phase(move.late)}.${seen}`
  );
}

function sums<R>(of: (row: R) => Loads): Column<R>[] {
  const count = (name: string, exact: keyof Loads, title?: string): Column<R> => ({
    name,
    exact,
    unit: "count",
    value: (row) => of(row)[exact].loads,
    ...(title === undefined ? {} : { title }),
  });
  const cycles = (name: string, exact: keyof Loads): Column<R> => ({
    name,
    exact: `${exact}_cycles`,
    value: (row) => of(row)[exact].cycles ?? null,
    show: (row) => roundText(of(row)[exact]),
    unit: "number",
  });
  return [
    count("loads", "all"),
    cycles("mean, cycles", "all"),
    count("caches", "cache", "Caches of the node, and fill buffers"),
    count("peers", "local_peer", "Another core of the node with the line unmodified"),
    count("local DRAM", "local_dram"),
    cycles("cycles", "local_dram"),
    count("remote DRAM", "remote_dram"),
    cycles("its cycles", "remote_dram"),
    { name: "remote of DRAM", exact: "remote_share", unit: "share", value: (row) => remoteShare(of(row)) },
    count("remote cache", "remote_cache", "Another node's cache with the line unmodified"),
    count("HITM local", "local_hitm", "Another core of the node had modified the line"),
    count("HITM remote", "remote_hitm", "A core of another node had modified the line"),
    count("slower tier", "slow_memory", "CXL or persistent memory"),
    cycles("tier's cycles", "slow_memory"),
    count("others", "other", "I/O, uncached memory, a memory-side cache, or not recorded"),
  ];
}

function roundText({ cycles }: Sum): string {
  return cycles === null || cycles === undefined ? NOTHING : formatCount(Math.round(cycles));
}

/** The loads by node of the CPU. */
export function nodeTable({ nodes }: Pick<MemorySamplesSection, "nodes">): TextTable {
  type Row = MemorySamplesSection["nodes"][number];
  return describeTable<Row>(
    [{ name: "CPUs of node", exact: "nid", unit: "id" }, ...sums<Row>(({ loads }) => loads)],
    nodes,
  );
}

/** The loads by task. */
export function taskTable({ tasks }: Pick<MemorySamplesSection, "tasks">): TextTable {
  type Row = MemorySamplesSection["tasks"][number];
  return describeTable<Row>(
    [
      { name: "task", exact: "comm" },
      { name: "pid", exact: "pid", unit: "id" },
      ...sums<Row>(({ loads }) => loads),
    ],
    tasks,
  );
}

type Line = MemorySamplesSection["lines"][number];

/** Sharing of a line by threads, as far as sampled. */
export function sharingText({ threads, words, shared_words: shared }: Line): string {
  if (threads < 2) return "one thread was sampled";
  return shared === 0
    ? `no word (false sharing): ${plural(words, "word")}, each by one thread`
    : `${formatCount(shared)} of ${plural(words, "word")}`;
}

/** Lines that cores took from each other. */
export function lineTable({ lines }: Pick<MemorySamplesSection, "lines">): TextTable {
  const mean = (name: string, exact: "local_hitm" | "remote_hitm"): Column<Line> => ({
    name,
    exact: `${exact}_cycles`,
    unit: "number",
    value: (line) => line[exact].cycles ?? null,
    show: (line) => roundText(line[exact]),
  });
  const of = (name: string, exact: "local_hitm" | "remote_hitm" | "peer", title: string): Column<Line> => ({
    name,
    exact,
    unit: "count",
    value: (line) => line[exact].loads,
    title,
  });
  return describeTable<Line>(
    [
      {
        name: "line",
        exact: "address",
        show: ({ address, physical }) => `0x${address}${physical ? " (physical)" : ""}`,
      },
      { name: "process", exact: "tgid", unit: "id", value: ({ tgid }) => tgid ?? null },
      of("HITM local", "local_hitm", "Another core of the node had modified it"),
      mean("cycles", "local_hitm"),
      of("HITM remote", "remote_hitm", "A core of another node had modified it"),
      mean("its cycles", "remote_hitm"),
      of("unmodified", "peer", "Another core had it unmodified"),
      { name: "loads", exact: "loads", unit: "count" },
      { name: "stores", exact: "stores", unit: "count" },
      { name: "nodes", exact: "nids", value: ({ nids }) => nids.join(", ") },
      {
        name: "threads",
        exact: "threads",
        value: ({ threads }) => threads,
        show: ({ threads, pids }) =>
          `${formatCount(threads)}: ${pids.join(", ")}${threads > pids.length ? ", ..." : ""}`,
      },
      {
        name: "in common",
        exact: "shared_words",
        value: ({ shared_words: shared }) => shared,
        show: sharingText,
        title: "Words of 8 bytes used by more than one sampled thread",
      },
    ],
    lines,
  );
}

/** Samples by the nodes of CPU and memory. */
export function pairTable(pairs: NonNullable<MemorySamplesSection["between"]>): TextTable {
  return describeTable<(typeof pairs)[number]>(
    [
      { name: "CPU on node", exact: "cpu_nid", unit: "id" },
      { name: "memory on node", exact: "memory_nid", unit: "id" },
      { name: "samples", exact: "samples", unit: "count" },
      { name: "loads", exact: "loads", unit: "count", value: ({ loads }) => loads.loads },
      {
        name: "mean, cycles",
        exact: "cycles",
        unit: "number",
        value: ({ loads }) => loads.cycles ?? null,
        show: ({ loads }) => roundText(loads),
      },
    ],
    pairs,
  );
}

/** Summary of a step of the window. */
export interface StepRow {
  readonly fromNs: bigint;
  readonly loads: number;
  readonly local: number;
  readonly remote: number;
  readonly remoteCache: number;
  readonly hitm: number;
  readonly cycles: number | null;
  readonly moves: number;
  readonly pages: number;
}

export function stepRows({
  steps,
  step_ns,
  from_ns,
}: Pick<MemorySamplesSection, "steps" | "step_ns" | "from_ns">): StepRow[] {
  return steps.at.map((at, i) => ({
    fromNs: BigInt(from_ns) + BigInt(at) * BigInt(step_ns),
    loads: steps.loads[i] ?? 0,
    local: steps.local_dram[i] ?? 0,
    remote: steps.remote_dram[i] ?? 0,
    remoteCache: steps.remote_cache[i] ?? 0,
    hitm: steps.hitm[i] ?? 0,
    cycles: steps.cycles[i] ?? null,
    moves: steps.moves[i] ?? 0,
    pages: steps.pages[i] ?? 0,
  }));
}

/** The column of the bars. */
export const BARS = 1;

/** The window step by step. What the kernel did is left out where it was not recorded. */
export function stepTable(
  rows: readonly StepRow[],
  { moves, numa_pages: pages }: Pick<MemorySamplesSection["meanwhile"], "moves" | "numa_pages">,
): TextTable {
  const given = (count: number | null | undefined) => count !== null && count !== undefined;
  const columns: Column<StepRow>[] = [
    { name: "from, s", exact: "from_ns", unit: "time", value: ({ fromNs }) => fromNs },
    { name: "from memory", exact: null, value: ({ local, remote }) => local + remote, show: () => "" },
    { name: "local DRAM", exact: "local_dram", unit: "count", value: ({ local }) => local },
    { name: "remote DRAM", exact: "remote_dram", unit: "count", value: ({ remote }) => remote },
    { name: "remote cache", exact: "remote_cache", unit: "count", value: ({ remoteCache }) => remoteCache },
    { name: "HITM", exact: "hitm", unit: "count", value: ({ hitm }) => hitm },
    { name: "loads", exact: "loads", unit: "count", value: ({ loads }) => loads },
    {
      name: "mean, cycles",
      exact: "cycles",
      unit: "number",
      value: ({ cycles }) => cycles,
      show: ({ cycles }) => (cycles === null ? NOTHING : formatCount(Math.round(cycles))),
    },
  ];
  if (given(moves))
    columns.push({
      name: "to another node",
      exact: "moves",
      unit: "count",
      value: ({ moves }) => moves,
      title: "Migrations of tasks",
    });
  if (given(pages))
    columns.push({
      name: "pages migrated",
      exact: "pages",
      unit: "count",
      value: ({ pages }) => pages,
      title: "By NUMA balancing",
    });
  return describeTable<StepRow>(columns, rows);
}

/** The moves of tasks between nodes. */
export function moveTable({ moves }: Pick<MemorySamplesSection, "moves">): TextTable {
  const share = ({ remote_share: share }: Phase) => share ?? null;
  const phase = (name: string, exact: "before" | "early" | "late"): Column<Move>[] => [
    {
      name: `${name}: remote`,
      exact: `${exact}_remote_share`,
      unit: "share",
      value: (move) => share(move[exact]),
    },
    {
      name: "cycles",
      exact: `${exact}_cycles`,
      unit: "number",
      value: (move) => move[exact].all.cycles ?? null,
      show: (move) => roundText(move[exact].all),
    },
    { name: null, exact: `${exact}_loads`, value: (move) => move[exact].all.loads },
  ];
  return describeTable<Move>(
    [
      { name: "at, s", exact: "moved_ns", unit: "time" },
      { name: "task", exact: "comm" },
      { name: "pid", exact: "pid", unit: "id" },
      { name: "from node", exact: "from_nid", unit: "id" },
      { name: "to node", exact: "to_nid", unit: "id" },
      { name: "was", exact: "how", value: ({ how }) => how ?? "not recorded" },
      ...phase("before", "before"),
      ...phase("first half after", "early"),
      ...phase("second half", "late"),
      {
        name: "pages that followed",
        exact: "pages_followed",
        unit: "count",
        value: ({ pages }) => pages?.followed ?? null,
        show: ({ pages }) =>
          pages ? `${formatCount(pages.followed)} of ${formatCount(pages.left_behind)}` : "not recorded",
      },
      {
        name: "migrated for it",
        exact: "migrated",
        unit: "count",
        value: ({ migrated }) => migrated ?? null,
        show: ({ migrated }) =>
          migrated === null || migrated === undefined ? "not recorded" : formatCount(migrated),
        title: "Pages that NUMA balancing migrated while the task was on the new node",
      },
      { name: "so", exact: "verdict", value: verdictText },
      { name: "known", exact: "label" },
    ],
    moves,
  );
}
