/** Memory that follows tasks and tasks that follow memory: rates to draw, and words. */

import type { AutomigTable, MigrationMetrics, MigrationSection } from "../../../api/types.ts";
import { formatCount, formatDuration, formatShare } from "../../../lib/format.ts";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";

export interface Rate {
  /** Per second, one value for each step. */
  readonly values: readonly number[];
  readonly most: number;
}

/** Counts of steps as rates; the last step may be shorter than the others. */
export function perSecond(counts: readonly number[], stepNs: number, lengthNs: number): Rate {
  const values = counts.map((count, i) => {
    const length = Math.min(stepNs, lengthNs - i * stepNs);
    return length > 0 ? (count * 1e9) / length : 0;
  });
  return { values, most: values.reduce((most, value) => Math.max(most, value), 0) };
}

export function ratesSentence(metrics: MigrationMetrics, pages: Rate, moves: Rate): string {
  return (
    `${formatCount(metrics.memory_follows_cpu.pages)} pages migrated on fault, at most ${formatCount(pages.most)} a second; ` +
    `${formatCount(metrics.moves.count)} moves of tasks between nodes, at most ${formatCount(moves.most)} a second.`
  );
}

export function shareOr(share: number | null): string {
  return share === null ? "not known" : formatShare(share);
}

export function nsOr(ns: number | null): string {
  return ns === null ? "–" : formatDuration(ns);
}

const REASONS: Readonly<Record<string, string>> = { numa_misplaced: "on NUMA fault", "": "not reported" };

export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

export interface LawRow {
  readonly key: string;
  readonly law: string;
  readonly left: string;
  readonly right: string;
  readonly residual: string;
  readonly verdict: "holds" | "broken" | "not known";
  readonly note: string;
}

type Conserved = NonNullable<MigrationSection["modern"]>["conserved"];

export function lawRows(conserved: Conserved): LawRow[] {
  const count = (value: number | null) => (value === null ? "–" : formatCount(value));
  return conserved.map(({ law, left, right, residual, slack, holds, missing }) => ({
    key: law,
    law,
    left: count(left),
    right: count(right),
    residual: residual === null ? "–" : signed(residual),
    verdict: holds === null ? "not known" : holds ? "holds" : "broken",
    note: [
      slack > 0 ? `± ${formatCount(slack)} allowed` : "",
      missing.length > 0 ? `lacks ${missing.join(", ")}` : "",
    ]
      .filter((text) => text !== "")
      .join("; "),
  }));
}

function signed(value: number): string {
  return value < 0 ? `−${formatCount(-value)}` : `+${formatCount(value)}`;
}

export interface AutomigLaw {
  readonly law: string;
  readonly form: string;
  readonly rows: string;
  readonly verdict: "holds" | "broken" | "not checked";
  readonly note: string;
}

export function automigLaws({ laws }: Pick<AutomigTable, "laws">): AutomigLaw[] {
  return laws.map(({ law, form, holds, skewed, rows, violated, violations }) => ({
    law,
    form,
    rows: `${holds} of ${rows}`,
    verdict: rows === 0 ? "not checked" : violated > 0 ? "broken" : "holds",
    note: [
      skewed > 0 ? `${skewed} sampled while they changed` : "",
      // To the letter it holds of caches without shared pages only.
      violated === 0 && holds + skewed < rows ? `${rows - holds - skewed} with shared pages` : "",
      violations[0] ? `row ${violations[0].row + 1}: ${violations[0].what}` : "",
    ]
      .filter((text) => text !== "")
      .join("; "),
  }));
}

// What memory did, as described tables: calls that migrate pages, laws, equivalents, the statistics of auto-migration.

type Modern = NonNullable<MigrationSection["modern"]>;

export function callsTable({ durations }: Pick<MigrationMetrics, "durations">): TextTable {
  type Call = MigrationMetrics["durations"][number];
  const near = "Percentiles of many calls are approximate";
  return describeTable<Call>(
    [
      { name: "calls that migrate pages", exact: "reason", show: ({ reason }) => reasonText(reason) },
      { name: "calls", exact: "calls", unit: "count", value: ({ batches }) => batches },
      { name: "pages", exact: "pages", unit: "count" },
      { name: "failed", exact: "failed", unit: "count" },
      {
        name: "in all",
        exact: "sum_ns",
        unit: "ns",
        value: ({ timed, sum_ns }) => (timed === 0 ? null : sum_ns),
        show: ({ timed, sum_ns }) => (timed === 0 ? "–" : formatDuration(sum_ns)),
      },
      { name: "median", exact: "p50_ns", unit: "ns", show: (each) => nsOr(each.p50_ns), title: near },
      { name: "99 %", exact: "p99_ns", unit: "ns", show: (each) => nsOr(each.p99_ns), title: near },
      { name: "longest", exact: "max_ns", unit: "ns" },
      { name: null, exact: "error_percent", unit: "percent" },
    ],
    durations,
  );
}

/** @param conserved of which the words are made by `lawRows`, row by row */
export function conservedTable(conserved: Modern["conserved"]): TextTable {
  const words = lawRows(conserved);
  type Law = { readonly entry: Modern["conserved"][number]; readonly said: (typeof words)[number] };
  const rows = conserved.flatMap((entry, i): Law[] => {
    const said = words[i];
    return said ? [{ entry, said }] : [];
  });
  return describeTable<Law>(
    [
      { name: "law", exact: "law", value: ({ entry }) => entry.law },
      { name: "left", exact: "left", unit: "count", value: ({ entry }) => entry.left },
      { name: "right", exact: "right", unit: "count", value: ({ entry }) => entry.right },
      {
        name: "residual",
        exact: "residual",
        unit: "count",
        value: ({ entry }) => entry.residual,
        show: ({ said }) => said.residual,
        title: "right − left",
      },
      { name: "verdict", exact: "verdict", value: ({ said }) => said.verdict },
      { name: "note", exact: "note", value: ({ said }) => said.note },
    ],
    rows,
  );
}

export function equivalentsTable(equivalents: Modern["equivalents"]): TextTable {
  type Equivalent = Modern["equivalents"][number];
  return describeTable<Equivalent>(
    [
      { name: "2010", exact: "statistic", title: "Short name of the statistic" },
      { name: "was called", exact: "name" },
      { name: "in the window", exact: "value", unit: "count" },
      { name: "reported today by", exact: "source", show: ({ source }) => source ?? "nothing" },
      { name: "what is different", exact: "note" },
      { name: "provenance", exact: "label" },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
    ],
    equivalents,
  );
}

export function automigLawTable(table: Pick<AutomigTable, "laws">): TextTable {
  return describeTable<ReturnType<typeof automigLaws>[number]>(
    [
      { name: "law", exact: "law" },
      { name: "says", exact: "form" },
      { name: "rows that keep it", exact: "rows" },
      { name: "verdict", exact: "verdict" },
      { name: "note", exact: "note" },
    ],
    automigLaws(table),
  );
}

const COUNTERS = [
  ["LC", "loc_checked"],
  ["MP", "misplaced"],
  ["MG", "migrated"],
  ["TM", "tasks_migrated"],
  ["SC", "scanned"],
  ["SE", "selected"],
  ["FA", "failed"],
  ["AD", "added"],
  ["RM", "removed"],
  ["DU", "duplicates"],
  ["FR", "refs_freed"],
] as const;

export function automigTable(table: Pick<AutomigTable, "rows">): TextTable {
  type Row = AutomigTable["rows"][number];
  const counters = COUNTERS.map(
    ([name, counter]): Column<Row> => ({
      name,
      exact: counter,
      unit: "count",
      value: ({ counters: entry }) => entry[counter] ?? 0,
      title: counter.replaceAll("_", " "),
    }),
  );
  return describeTable<Row>(
    [
      { name: "start, s", exact: "t_ns", unit: "time" },
      ...counters,
      { name: "E", exact: "cached", unit: "count", title: "Entries in the migration cache: AD − RM" },
      { name: "X", exact: "shared", unit: "count", title: "References beyond each entry's first" },
    ],
    table.rows,
  );
}
