/** Values of pixel columns as bars, areas and edges: what the strips of all lanes are made of. */

import { eachRun } from "../tiles/resample.ts";

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

/** Calm bars under a firm edge: the height is the reading, the area only leads the eye to it. */
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

export interface LanePlace {
  readonly y: number;
  readonly height: number;
  readonly width: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
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
