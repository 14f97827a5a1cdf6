/** The map of waits: time to the right, length upwards in powers of two, all columns together next to it. */

import { scaleLinear } from "d3-scale";
import { formatCount, formatDuration } from "../../lib/format.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../ui/canvas/surface.ts";
import { bucketEdges, type HeatPlace, type WaitMap } from "./wait-heat.ts";

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
  ctx.font = `11px ${palette.font}`;
  ctx.fillStyle = palette.muted;
  ctx.strokeStyle = palette.line;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
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
  ctx.strokeStyle = palette.line;
  ctx.fillStyle = palette.muted;
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  ctx.beginPath();
  for (const tick of ticks) {
    const at = Math.round(seconds(tick)) + 0.5;
    ctx.moveTo(at, plot.bottom);
    ctx.lineTo(at, plot.bottom + 4);
    ctx.fillText(
      `${format(tick).replaceAll(",", "")} s`,
      Math.min(Math.max(at, plot.left + 24), width - 24),
      plot.bottom + 6,
    );
  }
  ctx.stroke();
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
  ctx.font = `10px ${palette.mono}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const [at, sum] of map.sums.entries()) {
    if (sum === 0) continue;
    const top = rowTop(map, plot, map.least + at);
    ctx.globalAlpha = 0.55;
    ctx.fillStyle = palette.accent;
    ctx.fillRect(left, top, Math.max(1, bar(sum)), plot.row - 1);
    ctx.globalAlpha = 1;
    if (plot.row < 9) continue;
    ctx.fillStyle = palette.muted;
    ctx.fillText(
      sum < 10_000 ? formatCount(sum) : `${Math.round(sum / 1000)} k`,
      left + bar(sum) + 4,
      top + plot.row / 2,
    );
  }
}
