/** Counts per step as rates: an area, or areas of nodes on top of each other, and what of them was in vain before it in red. */

import type { Span } from "../../lib/time.ts";
import type { LanePlace } from "../../timeline/draw/strips.ts";
import { paintArea, paintColumns } from "../../timeline/draw/strips.ts";
import { resample } from "../../timeline/tiles/resample.ts";
import type { Ink } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import type { RateTrack } from "./memory-tracks.ts";

const PAD = 3;

export interface RateLook {
  /** Stacked, the first on top. */
  readonly parts: readonly { readonly track: RateTrack; readonly colour: string }[];
  /** Of them all. */
  readonly cost: RateTrack | null;
  /** Rate at the lane's full height. */
  readonly most: number;
  /** What the counts speak for: next to it nothing is known yet. */
  readonly span: Span;
}

export function paintRateLane(
  ctx: CanvasRenderingContext2D,
  { parts, cost, most, span }: RateLook,
  scale: TimeScale,
  box: LanePlace,
  ink: Ink,
): void {
  const { palette } = ink;
  const height = box.height - 2 * PAD;
  const base = box.y + PAD + height;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, height);
  const count = Math.round(box.width * box.ratio);
  const strip = { base, height, ratio: box.ratio };
  const columns = (track: RateTrack) =>
    resample([{ items: track.items, span }], scale.from, scale.perNs * box.ratio, count).busy;
  const stack = new Float64Array(count);
  const layers = parts.toReversed().map(({ track, colour }) => {
    const values = columns(track);
    for (let x = 0; x < count; x += 1) stack[x] = (stack[x] ?? 0) + (values[x] ?? 0);
    return { colour, values: stack.slice() };
  });
  // The whole stack first, then what is below each.
  ctx.globalAlpha = 0.85;
  for (const { colour, values } of layers.toReversed()) {
    ctx.fillStyle = colour;
    paintColumns(ctx, values, most, strip);
  }
  ctx.globalAlpha = 1;
  if (cost) paintArea(ctx, columns(cost), most, strip, palette.cost);
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, base, box.width, 1);
  const [from, to] = [xOf(scale, span.from), xOf(scale, span.to)];
  ctx.fillStyle = ink.dots;
  if (from > 0) ctx.fillRect(0, box.y + PAD, Math.min(from, box.width), height);
  if (to < box.width) ctx.fillRect(Math.max(0, to), box.y + PAD, box.width - Math.max(0, to), height);
}
