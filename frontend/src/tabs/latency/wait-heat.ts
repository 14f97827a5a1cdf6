/** The map of waits: columns of time, buckets of length that are powers of two. */

import type { WaitCell } from "../../api/routes/sections.ts";
import type { HeatWaits, WaitHeatSection } from "../../api/types.ts";
import type { Field } from "../../lib/csv.ts";
import { formatAbs, formatCount, formatDuration, formatExactNs, plural } from "../../lib/format.ts";
import { type AbsNs, parseNs } from "../../lib/time.ts";

export const HEAT_KINDS = ["wakeups", "preempted"] as const;
export type HeatKind = (typeof HEAT_KINDS)[number];

export const HEAT_WORDS: Readonly<Record<HeatKind, string>> = {
  wakeups: "Wake-ups",
  preempted: "Preempted",
};

/** A column and a bucket of the map. */
export interface HeatPlace {
  readonly column: number;
  readonly bucket: number;
}

export interface WaitMap {
  readonly kind: HeatKind;
  readonly from: AbsNs;
  readonly to: AbsNs;
  readonly stepNs: number;
  readonly columns: number;
  /** The first and the last bucket with a wait; one more on each side would be empty. */
  readonly least: number;
  readonly most: number;
  readonly cells: HeatWaits["cells"];
  /** By bucket from `least` on: all its waits. */
  readonly sums: readonly number[];
  readonly count: number;
  /** The most in one cell. */
  readonly peak: number;
}

export function waitMap(heat: WaitHeatSection, kind: HeatKind): WaitMap {
  const { cells, count, most: peak } = heat[kind];
  const buckets = cells.map(({ bucket }) => bucket);
  const least = buckets.reduce((low, bucket) => Math.min(low, bucket), buckets[0] ?? 0);
  const most = buckets.reduce((high, bucket) => Math.max(high, bucket), least);
  const sums = Array.from({ length: most - least + 1 }, () => 0);
  for (const cell of cells) sums[cell.bucket - least] = (sums[cell.bucket - least] ?? 0) + cell.count;
  return {
    kind,
    from: parseNs(heat.from_ns) ?? 0n,
    to: parseNs(heat.to_ns) ?? 0n,
    stepNs: heat.step_ns,
    columns: heat.columns,
    least,
    most,
    cells,
    sums,
    count,
    peak,
  };
}

export function cellCount(map: WaitMap, { column, bucket }: HeatPlace): number {
  return map.cells.find((cell) => cell.column === column && cell.bucket === bucket)?.count ?? 0;
}

/** Lower and upper edge of a bucket, ns. */
export function bucketEdges(bucket: number): readonly [number, number] {
  return [bucket === 0 ? 0 : 2 ** bucket, 2 ** (bucket + 1)];
}

/** Begin and end of a column. */
export function columnEdges(map: WaitMap, column: number): readonly [AbsNs, AbsNs] {
  const start = map.from + BigInt(column) * BigInt(map.stepNs);
  const end = start + BigInt(map.stepNs);
  return [start, end < map.to ? end : map.to];
}

/** What the service is requested, to have a cell's waits; one that ends with the window is in the last column. */
export function heatCell(map: WaitMap, { column, bucket }: HeatPlace): WaitCell {
  const [from, to] = columnEdges(map, column);
  const [leastNs, belowNs] = bucketEdges(bucket);
  const last = column === map.columns - 1;
  return { kind: map.kind, leastNs, belowNs, from, to: last ? to + 1n : to };
}

/** `12 waits of 1.024 µs – 2.048 µs (1,024 ns to 2,048 ns) that ended 12.004 – 12.006 s`. */
export function cellText(map: WaitMap, place: HeatPlace): string {
  const [least, below] = bucketEdges(place.bucket);
  const [from, to] = columnEdges(map, place.column);
  return (
    `${plural(cellCount(map, place), "wait")} of ${formatDuration(least)} – ${formatDuration(below)} ` +
    `(${formatExactNs(least)} to ${formatExactNs(below)}) that ended ${formatAbs(from)} – ${formatAbs(to)} s`
  );
}

/** The map in words, for who does not see it. */
export function mapSays(map: WaitMap): string {
  const what = map.kind === "wakeups" ? "Waits after a wake-up" : "Waits after a preemption";
  if (map.count === 0) return `${what} over time: none in this window.`;
  const worst = map.cells.reduce((a, b) => (b.bucket > a.bucket ? b : a));
  const [from, to] = columnEdges(map, worst.column);
  const common = map.sums.indexOf(Math.max(...map.sums)) + map.least;
  const [least, below] = bucketEdges(common);
  return (
    `${what} over time: ${formatCount(map.count)} waits in ${plural(map.columns, "column")} of ${formatDuration(map.stepNs)}. ` +
    `Most are ${formatDuration(least)} to ${formatDuration(below)} long; the longest, of ${formatDuration(bucketEdges(worst.bucket)[0])} ` +
    `and more, ended between ${formatAbs(from, 3)} and ${formatAbs(to, 3)} s.`
  );
}

/** Where an arrow leads to; the cursor begins at the fullest cell of the longest waits. */
export function stepPlace(map: WaitMap, place: HeatPlace | null, key: string): HeatPlace | null {
  if (!place) {
    const longest = map.cells.filter(({ bucket }) => bucket === map.most);
    const first = longest[0];
    return first ? { column: first.column, bucket: first.bucket } : null;
  }
  const { column, bucket } = place;
  const moved: Readonly<Record<string, HeatPlace>> = {
    ArrowLeft: { column: column - 1, bucket },
    ArrowRight: { column: column + 1, bucket },
    ArrowUp: { column, bucket: bucket + 1 },
    ArrowDown: { column, bucket: bucket - 1 },
    Home: { column: 0, bucket },
    End: { column: map.columns - 1, bucket },
  };
  const next = moved[key] ?? place;
  return {
    column: Math.min(map.columns - 1, Math.max(0, next.column)),
    bucket: Math.min(map.most, Math.max(map.least, next.bucket)),
  };
}

export const HEAT_HEAD = ["kind", "from_ns", "to_ns", "least_wait_ns", "below_wait_ns", "waits"] as const;

/** Every cell with a wait, exactly. */
export function heatRows(map: WaitMap): Field[][] {
  return map.cells.map((cell) => [
    map.kind,
    ...columnEdges(map, cell.column),
    ...bucketEdges(cell.bucket),
    cell.count,
  ]);
}
