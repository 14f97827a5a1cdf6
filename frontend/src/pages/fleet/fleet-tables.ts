/** A fleet's answers as tables, and the lines of the chart. */

import type { FleetFinding, FleetMachine, FleetPoint, FleetRows, UpgradeRow } from "../../api/types.ts";
import { kindText } from "../../lib/findings.ts";
import { formatCount, formatDuration } from "../../lib/format.ts";
import { type Column, describeTable, NOTHING, type TextTable } from "../../ui/table/described-table.ts";

const MS = 1e6;
const DIGITS = 3;

export function amountText(value: number | null, unit: string): string {
  if (value === null) return NOTHING;
  if (unit === "ns") return formatDuration(value, DIGITS);
  const number =
    Number.isInteger(value) || Math.abs(value) >= 1000 ? formatCount(value) : `${+value.toPrecision(DIGITS)}`;
  return unit === "" ? number : `${number} ${unit}`;
}

/** The day of a moment, UTC. */
export function dayText(moment: string | null): string {
  return moment === null ? "all" : moment.slice(0, 10);
}

export function machinesTable(rows: readonly FleetMachine[]): TextTable {
  const columns: readonly Column<FleetMachine>[] = [
    { name: "machine", exact: "machine" },
    { name: "flips", exact: "flips", unit: "count", title: FLIPS },
    {
      name: "per minute",
      exact: "flips_per_minute",
      unit: "number",
      show: ({ flips_per_minute }) => amountText(flips_per_minute, ""),
    },
    { name: "flips are", exact: "label" },
    { name: "recordings", exact: "recordings", unit: "count" },
    {
      name: "last seen",
      exact: "last_seen",
      show: ({ last_seen }) => dayText(last_seen),
      title: "Time of recording (UTC), or of the upload if no input has it",
    },
    {
      name: "kernel",
      exact: "kernel",
      show: ({ kernel, kernels }) => (kernels > 1 ? `${kernel} and ${kernels - 1} before` : kernel),
    },
    {
      name: "size",
      exact: null,
      value: ({ nodes, cpus }) => (nodes ?? 0) * 100_000 + (cpus ?? 0),
      show: sizeText,
      title: "NUMA nodes and CPUs",
    },
    {
      name: "what-if",
      exact: "flips_what_if",
      unit: "count",
      title: "What-if: flips on a kernel without cling, if it had cling",
    },
    {
      name: "worst finding",
      exact: "worst_kind",
      value: ({ worst }) => worst?.kind ?? null,
      show: ({ worst }) => (worst === null ? NOTHING : kindText(worst.kind)),
    },
    {
      name: "its cost",
      exact: "worst_cost_ms",
      unit: "number",
      value: ({ worst }) => worst?.cost_ms,
      show: ({ worst }) => (worst === null ? NOTHING : formatDuration(worst.cost_ms * MS, DIGITS)),
    },
    { name: null, exact: "nodes", unit: "count" },
    { name: null, exact: "cpus", unit: "count" },
    { name: null, exact: "latest" },
  ];
  return describeTable(columns, rows);
}

function sizeText({ nodes, cpus }: FleetMachine): string {
  if (!nodes || cpus === null) return NOTHING;
  return cpus % nodes === 0 ? `${nodes} × ${cpus / nodes} CPUs` : `${cpus} CPUs, ${nodes} nodes`;
}

const FLIPS = "How often a node became busy for a numa group under NUMA cling, or stopped being busy";

export function seriesTable(points: readonly FleetPoint[], unit: string, by: string): TextTable {
  const columns: readonly Column<FleetPoint>[] = [
    {
      name: "from",
      exact: "from",
      value: ({ period }) => period,
      show: ({ period }) => dayText(period),
      title: "First day of the period, UTC",
    },
    { name: by === "all" ? "recordings" : by, exact: "group" },
    {
      name: "together",
      exact: `value_${unit}`,
      unit: "number",
      value: ({ value }) => value,
      show: ({ value, value_least: least }) => (least === null ? "" : "≤ ") + amountText(value, unit),
      title: "Over all recordings of the period; for a percentile, the upper edge of its bin",
    },
    {
      name: "least",
      exact: `least_${unit}`,
      unit: "number",
      value: ({ least }) => least,
      show: ({ least }) => amountText(least, unit),
      title: "Per recording",
    },
    {
      name: "most",
      exact: `most_${unit}`,
      unit: "number",
      value: ({ most }) => most,
      show: ({ most }) => amountText(most, unit),
    },
    { name: "from recordings", exact: "recordings", unit: "count" },
    {
      name: "of",
      exact: "looked_at",
      unit: "count",
      title: "All recordings of the group in the period; the others lack this value",
    },
    { name: "is", exact: "label" },
    { name: "latest", exact: "latest" },
  ];
  return describeTable(columns, points);
}

export function findingsTable(rows: readonly FleetFinding[]): TextTable {
  const columns: readonly Column<FleetFinding>[] = [
    { name: "from", exact: "from", value: ({ period }) => period, show: ({ period }) => dayText(period) },
    { name: "finding", exact: "kind", show: ({ kind }) => kindText(kind) },
    { name: "severity", exact: "severity" },
    { name: "count", exact: "count", unit: "count" },
    { name: "recordings", exact: "recordings", unit: "count" },
    { name: "of", exact: "looked_at", unit: "count" },
    { name: "machines", exact: "machines", unit: "count" },
    {
      name: "cost",
      exact: "cost_ms",
      unit: "number",
      show: ({ cost_ms }) => formatDuration(cost_ms * MS, DIGITS),
    },
    { name: "is", exact: "label" },
    {
      name: "costliest",
      exact: "worst",
      value: ({ worst }) => worst.analysis,
      show: ({ worst }) => `${worst.machine}, ${worst.title}`,
    },
  ];
  return describeTable(columns, rows);
}

/** Changes of an upgrade first: by both rules, then by one, the rest in its order. */
export function byChange(rows: readonly UpgradeRow[]): readonly UpgradeRow[] {
  const rank = ({ significant_2020: old, significant_2024: now }: UpgradeRow) => Number(old) + Number(now);
  return [...rows].sort((a, b) => rank(b) - rank(a));
}

export function changeText(rows: readonly UpgradeRow[]): string {
  const known = rows.filter((row) => row.significant_2020 !== null || row.significant_2024 !== null);
  if (known.length === 0) return "No significance test: it needs two recordings with each kernel.";
  const changed = byChange(known).filter((row) => starOf(row) !== "");
  if (changed.length === 0) return `None of ${metrics(known.length)} changed significantly.`;
  const listed = changed.slice(0, MOST_LISTED).map((row) => `${row.title} ${betterText(row)}${starOf(row)}`);
  const more = changed.length - listed.length;
  return `${formatCount(changed.length)} of ${metrics(known.length)} changed: ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

/** By how much it is better, worse, or just more. */
function betterText({ percent, better }: UpgradeRow): string {
  const amount = `${Math.abs(percent ?? 0).toFixed(1)} %`;
  if (better === "neither") return `${amount} ${(percent ?? 0) >= 0 ? "more" : "less"}`;
  return `${amount} ${(percent ?? 0) >= 0 ? "better" : "worse"}`;
}

const MOST_LISTED = 4;

function metrics(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "metric" : "metrics"}`;
}

export function flipsText(rows: readonly FleetMachine[]): string {
  const listed = rows.filter(({ flips }) => flips !== null);
  const having = listed.filter(({ flips }) => (flips ?? 0) > 0);
  const silent = rows.length - listed.length;
  const note = silent === 0 ? "" : `; ${formatCount(silent)} more had no recording with cling`;
  if (listed.length === 0) return "No recording has NUMA cling, so there are no flips to count.";
  if (having.length === 0)
    return `No busy node flipped on ${formatCount(listed.length)} ${listed.length === 1 ? "machine" : "machines"}${note}.`;
  const flips = having.reduce((sum, row) => sum + (row.flips ?? 0), 0);
  const recordings = having.reduce((sum, row) => sum + row.recordings_with_flips, 0);
  return (
    `Busy nodes flipped on ${formatCount(having.length)} of ${formatCount(listed.length)} machines, ` +
    `${formatCount(flips)} times in ${formatCount(recordings)} ${recordings === 1 ? "recording" : "recordings"}${note}.`
  );
}

export function upgradeTable(rows: readonly UpgradeRow[], kernels: readonly string[]): TextTable {
  const side = (at: number): readonly Column<UpgradeRow>[] => [
    {
      name: kernels[at] ?? "",
      exact: `mean_${kernels[at]}`,
      unit: "number",
      value: ({ sides }) => sides[at]?.mean,
      show: ({ sides, unit }) => amountText(sides[at]?.mean ?? null, unit),
      title: "Mean over the recordings",
    },
    {
      name: "minimum to maximum",
      exact: null,
      value: ({ sides }) => sides[at]?.least,
      show: ({ sides, unit }) => {
        const spread = sides[at];
        return spread ? `${amountText(spread.least, unit)} to ${amountText(spread.most, unit)}` : NOTHING;
      },
    },
    {
      name: "of",
      exact: `recordings_${kernels[at]}`,
      unit: "count",
      value: ({ sides }) => sides[at]?.recordings,
      title: "Recordings with this value",
    },
  ];
  const columns: readonly Column<UpgradeRow>[] = [
    { name: "metric", exact: "metric", value: ({ title }) => title },
    ...side(0),
    ...side(1),
    {
      name: "better by",
      exact: "better_by_percent",
      unit: "number",
      value: ({ percent }) => percent,
      show: percentText,
      title: "Positive is better, or larger where neither direction is better. ★ as in comparisons",
    },
    { name: "is", exact: "label" },
    { name: null, exact: "significant_2020" },
    { name: null, exact: "significant_2024" },
  ];
  return describeTable(columns, rows);
}

function percentText(row: UpgradeRow): string {
  if (row.percent === null) return NOTHING;
  const sign = row.percent > 0 ? "+" : "";
  return `${sign}${row.percent.toFixed(1)} %${starOf(row)}`;
}

/** A star where both rules see a difference, and which of them where only one does. */
export function starOf({ significant_2020: old, significant_2024: now }: UpgradeRow): string {
  if (old && now) return " ★";
  return old ? " ★2020" : now ? " ★2024" : "";
}

export function rowsTable({ columns, rows }: FleetRows): TextTable {
  return describeTable(
    columns.map(
      ({ name, kind }, at): Column<FleetRows["rows"][number]> => ({
        name,
        exact: name,
        unit: kind === "text" ? "text" : "number",
        value: (row) => row[at] ?? null,
        show: (row) => {
          const cell = row[at] ?? null;
          return cell === null ? NOTHING : typeof cell === "number" ? `${+cell.toPrecision(6)}` : cell;
        },
      }),
    ),
    rows,
  );
}

export interface FleetLine {
  /** Label, next to its last point. */
  readonly key: string;
  readonly name: string;
  /** Moment, ms, value, and of how many recordings. */
  readonly points: readonly (readonly [number, number, number])[];
}

/** As many lines can be distinguished. */
export const MOST_LINES = 8;

interface Placed {
  readonly group: string;
  readonly period: string | null;
  readonly value: number | null;
  readonly recordings: number;
  readonly weight: number;
}

/** The lines of a chart, by the weight of the groups; the table has all of them. */
export function linesOf(rows: readonly Placed[]): readonly FleetLine[] {
  const groups = new Map<string, { weight: number; points: [number, number, number][] }>();
  for (const { group, period, value, recordings, weight } of rows) {
    if (period === null || value === null) continue;
    const line = groups.get(group) ?? { weight: 0, points: [] };
    line.weight += weight;
    line.points.push([Date.parse(period), value, recordings]);
    groups.set(group, line);
  }
  return [...groups]
    .sort(([a, left], [b, right]) => right.weight - left.weight || a.localeCompare(b))
    .slice(0, MOST_LINES)
    .map(([name, { points }], place) => ({
      key: String.fromCharCode(65 + place),
      name,
      points: points.sort(([a], [b]) => a - b),
    }));
}
