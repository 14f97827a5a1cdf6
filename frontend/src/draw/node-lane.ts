/**
 * A node's lane: two strips on one time axis. Above, runnable tasks that wait (red: it is cost), the mean
 * solid and the peak faint behind it. Below, the share of the node's CPUs that are busy, in its colour.
 */

import { eachRun, resample } from "../logic/resample.ts";
import type { Piece } from "../logic/tiles.ts";
import { paintGaps } from "./gaps.ts";
import type { Ink } from "./palette.ts";
import type { TimeScale } from "./surface.ts";

export interface NodeStrips {
  readonly waitTop: number;
  readonly waitHeight: number;
  readonly busyTop: number;
  readonly busyHeight: number;
}

/** Where the strips stand inside a lane of this height. */
export function nodeStrips(height: number): NodeStrips {
  const pad = 3;
  const inner = height - 2 * pad;
  const waitHeight = Math.round(inner * 0.44);
  const busyTop = pad + waitHeight + 2;
  return { waitTop: pad, waitHeight, busyTop, busyHeight: height - pad - busyTop };
}

export interface NodeLaneBox {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/**
 * @param waitScale waiting tasks at the strip's full height, one for all nodes so that they compare
 */
export function paintNodeLane(
  ctx: CanvasRenderingContext2D,
  pieces: readonly Piece[],
  scale: TimeScale,
  box: NodeLaneBox,
  colour: string,
  ink: Ink,
  waitScale: number,
): void {
  const { palette } = ink;
  const strips = nodeStrips(box.height);
  const waitBase = box.y + strips.waitTop + strips.waitHeight;
  const busyBase = box.y + strips.busyTop + strips.busyHeight;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + strips.waitTop, box.width, strips.waitHeight);
  ctx.fillRect(0, box.y + strips.busyTop, box.width, strips.busyHeight);

  const count = Math.round(box.width * box.ratio);
  const sources = pieces.map(({ tile, span }) => ({ items: tile.bars, span }));
  const { busy, wait, peak } = resample(sources, scale.from, scale.perNs / box.ratio, count);
  const bars = (values: Float64Array, most: number, base: number, height: number) =>
    paintColumns(ctx, values, most, { base, height, ratio: box.ratio });

  ctx.fillStyle = palette.costSoft;
  bars(peak, waitScale, waitBase, strips.waitHeight);
  // Calm areas under firm edges: the height is the reading, the area only leads the eye to it.
  const area = (values: Float64Array, most: number, base: number, height: number, fill: string) => {
    ctx.fillStyle = fill;
    ctx.globalAlpha = 0.52;
    bars(values, most, base, height);
    ctx.globalAlpha = 0.92;
    paintEdge(ctx, values, most, { base, height, ratio: box.ratio });
    ctx.globalAlpha = 1;
  };
  area(wait, waitScale, waitBase, strips.waitHeight, palette.cost);
  area(busy, 1, busyBase, strips.busyHeight, colour);

  for (const piece of pieces) paintGaps(ctx, piece, scale, box, ink);
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, waitBase, box.width, 1);
  ctx.fillRect(0, busyBase, box.width, 1);
}

export interface Strip {
  /** Bottom edge, CSS pixels. */
  readonly base: number;
  readonly height: number;
  readonly ratio: number;
}

/** Bars up from the base, one per device pixel column; `most` is the strip's full height. */
export function paintColumns(
  ctx: CanvasRenderingContext2D,
  values: Float64Array,
  most: number,
  { base, height, ratio }: Strip,
): void {
  const full = Math.round(height * ratio);
  const perUnit = full / Math.max(most, 1e-9);
  eachRun(
    values.length,
    (x) => heightOf(values[x] ?? 0, perUnit, full),
    (x, length, h) => ctx.fillRect(x / ratio, base - h / ratio, length / ratio, h / ratio),
  );
}

/** The upper edge of such bars as one line with its risers. */
function paintEdge(
  ctx: CanvasRenderingContext2D,
  values: Float64Array,
  most: number,
  { base, height, ratio }: Strip,
): void {
  const full = Math.round(height * ratio);
  const perUnit = full / Math.max(most, 1e-9);
  const pixel = 1 / ratio;
  let before = 0;
  let end = 0;
  eachRun(
    values.length,
    (x) => heightOf(values[x] ?? 0, perUnit, full),
    (x, length, h) => {
      if (x > end) before = 0;
      const riser = Math.abs(h - before);
      if (riser > 1) ctx.fillRect(x / ratio, base - Math.max(h, before) / ratio, pixel, riser / ratio);
      ctx.fillRect(x / ratio, base - h / ratio, length / ratio, pixel);
      before = h;
      end = x + length;
    },
  );
}

/** Device pixels; whatever is more than nothing is at least one. */
function heightOf(value: number, perUnit: number, full: number): number {
  // Sums of parts of a column end a hair off their true value.
  if (value <= 1e-9) return 0;
  return Math.min(full, Math.max(1, Math.round(value * perUnit)));
}
