/** Stretches of a lane of which nobody knows who ran: hatched where events were lost, dotted before the first. */

import type { Ink } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import { firstEndingAfter, Kind, type Piece } from "../tiles/tiles.ts";

/** Fills the gaps of one piece over the whole height of its lane. */
export function paintGaps(
  ctx: CanvasRenderingContext2D,
  { tile, span }: Piece,
  scale: TimeScale,
  box: { readonly y: number; readonly height: number; readonly width: number },
  ink: Ink,
): void {
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
