/**
 * A lane of recorded pressure: the share of time that some task stalled as an area, and before it the share that all did,
 * darker. Steps between samples, solid because they are observed; the highest step inside a pixel stands faint behind.
 */

import { PEAK_UNIT, type PressureSeries, pressurePieces } from "../logic/pressure.ts";
import { resample } from "../logic/resample.ts";
import type { Span } from "../logic/time.ts";
import { paintGaps } from "./gaps.ts";
import type { NodeLaneBox } from "./node-lane.ts";
import type { Ink } from "./palette.ts";
import { paintArea, paintColumns } from "./strips.ts";
import type { TimeScale } from "./surface.ts";

const PAD = 3;

/**
 * @param series null while its samples are not there
 * @param most share at the lane's full height
 */
export function paintPressureLane(
  ctx: CanvasRenderingContext2D,
  series: PressureSeries | null,
  view: Span,
  scale: TimeScale,
  box: NodeLaneBox,
  ink: Ink,
  most: number,
): void {
  const { palette } = ink;
  const height = box.height - 2 * PAD;
  const base = box.y + PAD + height;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, height);
  if (series) {
    const strip = { base, height, ratio: box.ratio };
    const pieces = pressurePieces(series, view);
    const columns = resample(
      pieces.map(({ tile, span }) => ({ items: tile.bars, span })),
      scale.from,
      scale.perNs / box.ratio,
      Math.round(box.width * box.ratio),
    );
    ctx.fillStyle = palette.costSoft;
    paintColumns(ctx, columns.peak, most * PEAK_UNIT, strip);
    paintArea(ctx, columns.busy, most, strip, palette.cost);
    ctx.fillStyle = palette.full;
    paintColumns(ctx, columns.wait, most, strip);
    for (const piece of pieces) paintGaps(ctx, piece, scale, box, ink);
  }
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, base, box.width, 1);
}
