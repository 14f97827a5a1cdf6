/** Values of pixel columns as bars, areas and edges: what the strips of all lanes are made of. */

import type { Ink } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import { firstEndingAfter, Kind, type Piece } from "../tiles/tiles.ts";
import { eachRun } from "../tiles/window-source.ts";
import { oneMark } from "./glyphs.ts";

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

/** Calm bars under a firm edge: the height is the value, the area only leads the eye to it. */
export function paintArea(
  ctx: CanvasRenderingContext2D,
  values: Float64Array,
  most: number,
  strip: Strip,
  fill: string,
): void {
  ctx.fillStyle = fill;
  ctx.globalAlpha = 0.52;
  paintColumns(ctx, values, most, strip);
  ctx.globalAlpha = 0.92;
  paintEdge(ctx, values, most, strip);
  ctx.globalAlpha = 1;
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

/** Below this height lines would hide what they measure, CSS pixels. */
const SCALED_FROM = 24;

/** Lines at the half and the full height of a strip of values, and what the full height is. */
export function paintScale(
  { ctx, box, ink }: LaneCanvas,
  { base, height }: Pick<Strip, "base" | "height">,
  full: string,
): void {
  const { palette } = ink;
  if (height < SCALED_FROM) return;
  ctx.fillStyle = palette.muted;
  ctx.globalAlpha = 0.35;
  for (const y of [base - height, Math.round(base - height / 2)]) ctx.fillRect(0, y, box.width, 0.5);
  ctx.globalAlpha = 1;
  ctx.font = `9px ${palette.font}`;
  const width = ctx.measureText(full).width + 4;
  // What is behind it is still felt.
  ctx.fillStyle = palette.track;
  ctx.globalAlpha = 0.8;
  ctx.fillRect(0, base - height, width, 11);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.text;
  ctx.fillText(full, 2, base - height + 6);
  ctx.font = `11px ${palette.font}`;
}

export interface LanePlace {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/** A lane on the canvas of a frame: what its painters have in common. */
export interface LaneCanvas {
  readonly ctx: CanvasRenderingContext2D;
  readonly scale: TimeScale;
  readonly box: LanePlace;
  readonly ink: Ink;
}

export interface CpuStrips {
  readonly waitTop: number;
  readonly waitHeight: number;
  readonly runTop: number;
  readonly runHeight: number;
}

export function cpuStrips(height: number): CpuStrips {
  const waitHeight = Math.max(5, Math.round(height * 0.22));
  const runTop = 1 + waitHeight + 1;
  return { waitTop: 1, waitHeight, runTop, runHeight: height - runTop - 2 };
}

// Parts of a lane where the running task is not known: hatched where events were lost, dotted before the first.

export const LOST = oneMark({ shape: "hatch", tone: "muted", means: "events lost" });
export const UNKNOWN = oneMark({ shape: "dots", tone: "muted", means: "not known" });

/** Fills the gaps of one piece over the whole height of its lane. */
export function paintGaps({ ctx, scale, box, ink }: LaneCanvas, { tile, span }: Piece): void {
  const { gaps } = tile;
  const { palette, hatch, dots } = ink;
  for (let i = firstEndingAfter(gaps, span.from); i < gaps.length; i += 1) {
    const t0 = gaps.t0[i] ?? 0;
    if (t0 >= span.to) break;
    const x0 = Math.max(-8, xOf(scale, Math.max(t0, span.from)));
    const x1 = Math.min(box.width + 8, xOf(scale, Math.min(gaps.t1[i] ?? 0, span.to)));
    const lost = gaps.kind[i] === Kind.Lost;
    const width = Math.max(lost ? 2 : 0.5, x1 - x0);
    if (lost) {
      ctx.fillStyle = palette.ground;
      ctx.globalAlpha = 0.72;
      ctx.fillRect(x0, box.y + 1, width, box.height - 2);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = lost ? hatch : dots;
    ctx.fillRect(x0, box.y + 1, width, box.height - 2);
  }
}
