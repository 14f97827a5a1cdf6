/** The map of waits: columns of time, buckets of length that are powers of two. */

import { scaleLinear } from "d3-scale";
import type { WaitCell } from "../../../api/routes/sections.ts";
import type { HeatWaits, WaitHeatSection } from "../../../api/types.ts";
import type { Field } from "../../../lib/csv.ts";
import {
  formatAbs,
  formatCount,
  formatDuration,
  formatExactNs,
  formatTime,
  plural,
} from "../../../lib/format.ts";
import { type AbsNs, parseNs } from "../../../lib/time.ts";
import type { Palette } from "../../../ui/canvas/palette.ts";
import { fillFaint, paintTicks, setText } from "../../../ui/canvas/pen.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";

export const HEAT_KINDS = ["wakeups", "preempted"] as const;
export type HeatKind = (typeof HEAT_KINDS)[number];

export const HEAT_WORDS: Readonly<Record<HeatKind, string>> = {
  wakeups: "Wakeups",
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

export function columnEdges(map: WaitMap, column: number): readonly [AbsNs, AbsNs] {
  const start = map.from + BigInt(column) * BigInt(map.stepNs);
  const end = start + BigInt(map.stepNs);
  return [start, end < map.to ? end : map.to];
}

/** Query for a cell's waits; one that ends with the window is in the last column. */
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
    `(${formatExactNs(least)} to ${formatExactNs(below)}) that ended ${formatAbs(from)} – ${formatTime(to)}`
  );
}

/** The map in words, for screen readers. */
export function mapSays(map: WaitMap): string {
  const what = map.kind === "wakeups" ? "Waits after a wakeup" : "Waits after a preemption";
  if (map.count === 0) return `${what} over time: none in this window.`;
  const worst = map.cells.reduce((a, b) => (b.bucket > a.bucket ? b : a));
  const [from, to] = columnEdges(map, worst.column);
  const common = map.sums.indexOf(Math.max(...map.sums)) + map.least;
  const [least, below] = bucketEdges(common);
  return (
    `${what} over time: ${formatCount(map.count)} waits in ${plural(map.columns, "column")} of ${formatDuration(map.stepNs)}. ` +
    `Most are ${formatDuration(least)} to ${formatDuration(below)} long; the longest, of ${formatDuration(bucketEdges(worst.bucket)[0])} ` +
    `and more, ended between ${formatAbs(from, 3)} and ${formatTime(to, 3)}.`
  );
}

/** Target of an arrow; the cursor begins at the fullest cell of the longest waits. */
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

// The map of waits: time to the right, length upwards in powers of two, all columns together next to it.

const GUTTER = 62;
const SIDE = 92;
const AXIS = 22;
const HEAD = 8;

interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Width of a column and height of a bucket. */
  readonly cell: number;
  readonly row: number;
}

function plotOf(map: WaitMap, width: number, height: number): Plot {
  const [left, right] = [GUTTER, Math.max(GUTTER + 1, width - SIDE)];
  const [top, bottom] = [HEAD, Math.max(HEAD + 1, height - AXIS)];
  // The last column may reach beyond the window's end; it is drawn as wide as it is.
  const length = Number(map.to - map.from);
  return {
    left,
    right,
    top,
    bottom,
    cell: ((right - left) * map.stepNs) / Math.max(1, length),
    row: (bottom - top) / (map.most - map.least + 1),
  };
}

/** The cell under a CSS pixel; null outside of the map. */
export function heatPlaceAt(
  map: WaitMap,
  width: number,
  height: number,
  x: number,
  y: number,
): HeatPlace | null {
  const { left, right, top, bottom, cell, row } = plotOf(map, width, height);
  if (x < left || x >= right || y < top || y >= bottom) return null;
  return {
    column: Math.min(map.columns - 1, Math.floor((x - left) / cell)),
    bucket: map.most - Math.floor((y - top) / row),
  };
}

export interface WaitHeatMarks {
  readonly here: HeatPlace | null;
  /** The cell whose waits are listed. */
  readonly chosen: HeatPlace | null;
}

export function paintWaitHeat(surface: Surface, map: WaitMap, marks: WaitHeatMarks, palette: Palette): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const plot = plotOf(map, width, height);
  ctx.fillStyle = palette.track;
  ctx.fillRect(plot.left, plot.top, plot.right - plot.left, plot.bottom - plot.top);
  // One wait must be seen next to thousands: shades go by the logarithm, in one hue.
  const strength = scaleLinear()
    .domain([0, Math.log1p(Math.max(1, map.peak))])
    .range([0.16, 1]);
  ctx.fillStyle = palette.accent;
  const gap = plot.cell > 5 && plot.row > 5 ? 1 : 0;
  for (const { column, bucket, count } of map.cells) {
    const left = plot.left + column * plot.cell;
    const right = Math.min(plot.right, left + plot.cell);
    ctx.globalAlpha = strength(Math.log1p(count));
    ctx.fillRect(left, rowTop(map, plot, bucket), Math.max(1, right - left - gap), plot.row - gap);
  }
  ctx.globalAlpha = 1;
  paintLengths(ctx, map, plot, palette);
  paintTimes(ctx, map, plot, palette, width);
  paintSums(ctx, map, plot, palette, width);
  outline(ctx, map, plot, marks.chosen, palette.text, 2);
  outline(ctx, map, plot, marks.here, palette.text, 1);
}

function rowTop(map: WaitMap, plot: Plot, bucket: number): number {
  return plot.top + (map.most - bucket) * plot.row;
}

function outline(
  ctx: CanvasRenderingContext2D,
  map: WaitMap,
  plot: Plot,
  place: HeatPlace | null,
  colour: string,
  thick: number,
): void {
  if (!place) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = thick;
  const left = plot.left + place.column * plot.cell;
  const wide = Math.max(3, Math.min(plot.cell, plot.right - left));
  ctx.strokeRect(left - 0.5, rowTop(map, plot, place.bucket) - 0.5, wide + 1, plot.row + 1);
  ctx.lineWidth = 1;
}

/** The edges between buckets, as many as can be read. */
function paintLengths(ctx: CanvasRenderingContext2D, map: WaitMap, plot: Plot, palette: Palette): void {
  setText(ctx, `11px ${palette.font}`, palette.muted, "right");
  ctx.strokeStyle = palette.line;
  const every = Math.max(1, Math.ceil(15 / plot.row));
  ctx.beginPath();
  for (let edge = map.least; edge <= map.most + 1; edge += every) {
    const at = Math.round(rowTop(map, plot, edge - 1)) + 0.5;
    ctx.moveTo(plot.left - 4, at);
    ctx.lineTo(plot.left, at);
    const [least] = bucketEdges(edge);
    ctx.fillText(
      formatDuration(least, 3),
      plot.left - 7,
      Math.min(plot.bottom - 4, Math.max(at, plot.top + 5)),
    );
  }
  ctx.stroke();
}

function paintTimes(
  ctx: CanvasRenderingContext2D,
  map: WaitMap,
  plot: Plot,
  palette: Palette,
  width: number,
): void {
  const start = Number(map.from) / 1e9;
  const seconds = scaleLinear()
    .domain([start, start + Math.max(1, Number(map.to - map.from)) / 1e9])
    .range([plot.left, plot.right]);
  const ticks = seconds.ticks(Math.max(2, Math.floor((plot.right - plot.left) / 110)));
  const format = seconds.tickFormat(ticks.length);
  const marks = ticks.map((tick) => ({ at: seconds(tick), words: `${format(tick).replaceAll(",", "")} s` }));
  paintTicks(ctx, palette, marks, plot.bottom, [plot.left + 24, width - 24]);
}

/** All columns together: the histogram that the map is, seen from its side. */
function paintSums(
  ctx: CanvasRenderingContext2D,
  map: WaitMap,
  plot: Plot,
  palette: Palette,
  width: number,
): void {
  const left = plot.right + 10;
  const bar = scaleLinear()
    .domain([0, Math.max(1, ...map.sums)])
    .range([0, Math.max(1, width - left - 34)]);
  for (const [at, sum] of map.sums.entries()) {
    if (sum === 0) continue;
    const top = rowTop(map, plot, map.least + at);
    fillFaint(ctx, palette.accent, 0.55, [left, top, Math.max(1, bar(sum)), plot.row - 1]);
    if (plot.row < 9) continue;
    setText(ctx, `10px ${palette.font}`, palette.muted);
    ctx.fillText(
      sum < 10_000 ? formatCount(sum) : `${Math.round(sum / 1000)} k`,
      left + bar(sum) + 4,
      top + plot.row / 2,
    );
  }
}
