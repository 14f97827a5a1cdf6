/** The NUMA balancer's actions as texts and rows: the Ops table, why attempts failed, how tasks crossed nodes. */

import type { Attempt, Ops, VmstatSection } from "../../../api/types.ts";
import { CATALOGUE } from "../../../lib/catalogue.ts";
import { formatCount, formatShare } from "../../../lib/format.ts";
import { labelText } from "../../../lib/terms.ts";
import { describeTable, type TextTable } from "../../../ui/table/described-table.ts";
import { imbalanceWords, noCpuText, verdictText, wayText } from "../lanes/attempt-glyphs.ts";

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

/** The kernel's counters of placed tasks next to what its events show. */
export function placementsText(placements: NonNullable<VmstatSection["placements"]>): string {
  const { migrated_counted, migrated_recorded, swapped_counted, swapped_recorded } = placements;
  return `The kernel counted ${migrated_counted} moved and ${swapped_counted} swapped tasks; its events show ${migrated_recorded} and ${swapped_recorded}.`;
}

type Counter = VmstatSection["table"]["rows"][number];

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
