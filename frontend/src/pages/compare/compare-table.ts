/** Tables of a comparison: numbers for the page, and for files. */

import type { ComparedCell, ComparedTable, ComparedTableRow, Comparison } from "../../api/types.ts";
import type { Field } from "../../lib/csv.ts";
import { formatDuration } from "../../lib/format.ts";
import type { Label } from "../../lib/terms.ts";
import type { StarRule } from "./compare-state.ts";

export type Verdict = "better" | "worse" | "more" | "less" | "same" | "none";

const NS_PER_MS = 1e6;

/** Content of a cell: a count with its rate next to it, or one number. */
export interface CellText {
  readonly value: string;
  readonly rate: string | null;
}

export function cellText(row: ComparedTableRow, cell: ComparedCell): CellText {
  if (cell.mean === null) return { value: "–", rate: null };
  if (!row.counted) return { value: inUnit(cell.mean, row.unit), rate: null };
  const rate = `${inUnit(cell.mean, row.unit)}/s`;
  // Of windows the rate is the number; of whole runs what was counted.
  if ((cell.summary?.n ?? 0) > 1 || cell.total === null) return { value: rate, rate: null };
  return { value: inUnit(cell.total, row.unit), rate };
}

/** A number with its unit, as short as it stays true. */
export function inUnit(value: number, unit: string): string {
  if (unit === "ns") return formatDuration(value);
  if (unit === "ms") return value === 0 ? "0 ms" : formatDuration(value * NS_PER_MS);
  const text = plainNumber(value);
  return unit === "" || unit === "cost" ? text : `${text} ${unit}`;
}

function plainNumber(value: number): string {
  const size = Math.abs(value);
  const digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  const [whole = "", rest] = value.toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

/** Returns whether a difference gets a star by the rule. */
export function isStarred(cell: ComparedCell, rule: StarRule): boolean {
  return (rule === "2020" ? cell.t_test : cell.intervals)?.significant === true;
}

/** Returns whether the significance of a difference is known. */
export function isTested(cell: ComparedCell, rule: StarRule): boolean {
  return (rule === "2020" ? cell.t_test : cell.intervals) !== null;
}

/**
 * Change of the number itself, and its direction: `−49.00 %, better`. For the engine a positive percent is better,
 * whichever way the number changed.
 */
export function percentText(
  { better }: Pick<ComparedTableRow, "better">,
  { percent }: Pick<ComparedCell, "percent">,
): string {
  if (percent === null) return "–";
  const text = Math.abs(percent).toFixed(2);
  if (text === "0.00") return "0.00 %";
  const fell = better === "lower" ? percent > 0 : percent < 0;
  const word = better === "neither" ? "" : percent > 0 ? ", better" : ", worse";
  return `${fell ? "−" : "+"}${text} %${word}`;
}

export function verdictOf(row: ComparedTableRow, cell: ComparedCell): Verdict {
  if (cell.percent === null) return "none";
  if (Math.abs(cell.percent) < 0.005) return "same";
  const up = cell.percent > 0;
  if (row.better === "neither") return up ? "more" : "less";
  return up ? "better" : "worse";
}

/** Description of a difference, for the tooltip and for screen readers. */
export function differenceSays(row: ComparedTableRow, cell: ComparedCell, rule: StarRule): string {
  if (cell.percent === null) return "no ratio: the baseline is 0";
  const verdict = verdictOf(row, cell);
  const how = verdict === "same" ? "no difference" : verdict;
  return `${how}${testSays(cell, rule)}`;
}

function testSays({ t_test, intervals }: ComparedCell, rule: StarRule): string {
  if (rule === "2020") {
    if (t_test === null) return "; no significance test with one value";
    const p =
      t_test.p === null
        ? "nothing spreads"
        : `p ${t_test.p < 0.0001 ? "< 0.0001" : `= ${t_test.p.toFixed(4)}`}`;
    return `; ${t_test.significant ? "significant" : "not significant"} (${p})`;
  }
  if (intervals === null) return "; no significance test with one value";
  const far = Math.abs(intervals.cidiff).toFixed(2);
  return `; ${intervals.significant ? "significant" : "not significant"} (intervals differ by ${far})`;
}

/** Reason for which a table has no data of a side, for each such side. */
export function absentReasons(
  comparison: Pick<Comparison, "sides">,
  table: Pick<ComparedTable, "absent">,
): string[] {
  return comparison.sides.flatMap(({ key }, side) => {
    const reason = table.absent[side];
    return reason ? [`${key}: ${reason}`] : [];
  });
}

/** The label that most cells of a side have; the others say their own. */
export function usualLabel(table: ComparedTable, side: number): Label | null {
  const counts = new Map<Label, number>();
  for (const row of table.rows) {
    const label = row.sides[side]?.label;
    if (label) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

/** The label that all cells of a row share where the heads of their columns say another one: said once, with its name. */
export function rowLabel(row: ComparedTableRow, usual: readonly (Label | null)[]): Label | null {
  const labels = row.sides.map(({ label }) => label);
  const known = new Set(labels.filter((label) => label !== null));
  const [label] = known;
  if (known.size !== 1 || !label) return null;
  return labels.some((here, side) => here !== null && here !== usual[side]) ? label : null;
}

/** A row of which no side has more than zero says nothing; most tables have several. */
export function isQuiet(row: ComparedTableRow): boolean {
  return row.counted && row.sides.every(({ total, mean }) => (total ?? 0) === 0 && (mean ?? 0) === 0);
}

const SPREAD = [
  "n",
  "mean",
  "harmonic_mean",
  "min",
  "first_quartile",
  "median",
  "third_quartile",
  "max",
  "sample_deviation",
  "population_deviation",
] as const;

/** All of a table, a line for each row and side. */
export function tableCsv(comparison: Comparison, table: ComparedTable): { head: string[]; rows: Field[][] } {
  const head = [
    ...["row", "title", "unit", "better", "side", "name", "total", "mean", "mean_kind", "percent"],
    ...["significant_2020", "t", "p", "significant_2024", "cidiff", "change_mean", "change_median"],
    ...SPREAD.map((name) => `spread_${name}`),
    ...["label", "missing", "reason"],
  ];
  const rows = table.rows.flatMap((row) =>
    row.sides.map((cell, side): Field[] => [
      ...[
        row.name,
        row.title,
        row.unit,
        row.better,
        comparison.sides[side]?.key,
        comparison.sides[side]?.name,
      ],
      ...[cell.total, cell.mean, row.mean, cell.percent],
      ...[cell.t_test?.significant, cell.t_test?.t, cell.t_test?.p],
      ...[cell.intervals?.significant, cell.intervals?.cidiff, cell.change_mean, cell.change_median],
      ...SPREAD.map((name) => cell.summary?.[name]),
      ...[cell.label, cell.missing.join("; "), cell.reason],
    ]),
  );
  return { head, rows };
}

export function nodesCsv(comparison: Comparison): { head: string[]; rows: Field[][] } {
  const rows = comparison.analyses.flatMap((analysis, at): Field[][] => {
    const use = comparison.utilisation[at];
    if (!use?.available) return [];
    return use.nodes.flatMap(({ nid, average, percent }) =>
      percent.map((cell, step): Field[] => {
        const from = BigInt(analysis.window_ns[0] ?? 0) + BigInt(step) * BigInt(comparison.step_ns);
        return [analysis.key, analysis.title, nid, average, step, from, cell];
      }),
    );
  });
  return { head: ["analysis", "title", "node", "average_percent", "step", "from_ns", "percent"], rows };
}

export function binsCsv(comparison: Comparison): { head: string[]; rows: Field[][] } {
  const { edges_ns: edges, analyses } = comparison.latency;
  const rows = analyses.flatMap((part, at): Field[][] =>
    part.available
      ? part.counts.map((count, bin) => [
          comparison.analyses[at]?.key,
          edges[bin - 1] ?? 0,
          edges[bin],
          count,
          part.percent[bin],
          part.at_most_percent[bin],
        ])
      : [],
  );
  return { head: ["analysis", "from_ns", "below_ns", "wakeups", "percent", "at_most_percent"], rows };
}

export function findingsCsv(comparison: Comparison): { head: string[]; rows: Field[][] } {
  const rows = comparison.findings.kinds.flatMap((kind) =>
    kind.sides.map(({ count, worst }, side): Field[] => [
      ...[kind.id, kind.severity, kind.label, comparison.sides[side]?.key, count],
      ...[worst?.impact_ms, worst?.from_ns, worst?.to_ns, worst?.summary],
    ]),
  );
  return {
    head: ["id", "severity", "label", "side", "count", "worst_impact_ms", "from_ns", "to_ns", "summary"],
    rows,
  };
}

/** Description of a per-node table for screen readers. */
export function heatSays(comparison: Comparison, at: number): string {
  const use = comparison.utilisation[at];
  const key = comparison.analyses[at]?.key ?? "";
  if (!use?.available) return `${key}: ${use?.reason ?? "nothing"}`;
  const nodes = use.nodes.map(({ nid, average, percent }) => {
    const known = percent.filter((cell) => cell !== null);
    if (average === null || known.length === 0) return `node ${nid} not recorded`;
    const [least, most] = [Math.min(...known), Math.max(...known)];
    return `node ${nid} ${average} % on average, ${least} to ${most} %`;
  });
  return `${key}, CPU use by node in steps of ${formatDuration(comparison.step_ns)}: ${nodes.join("; ")}`;
}

/** Description of the histograms for screen readers. */
export function waitsSay(comparison: Comparison): string {
  const table = comparison.tables.find(({ name }) => name === "latency");
  const parts = ["latency_p50_ns", "latency_p99_ns"].flatMap((name) => {
    const row = table?.rows.find((each) => each.name === name);
    if (!row) return [];
    const sides = row.sides.map((cell, at) => `${comparison.sides[at]?.key} ${cellText(row, cell).value}`);
    return [`${row.title} ${sides.join(", ")}`];
  });
  return `Wakeup waits by length. ${parts.join("; ")}`;
}
