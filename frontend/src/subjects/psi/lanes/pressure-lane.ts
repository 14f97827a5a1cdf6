/**
 * A lane of pressure. Recorded values: the share of time that some task stalled as an area, in front of that the darker share that all did. They are steps between samples, solid because they are observed; the highest step
 * inside a pixel is faint in the back. Values from events: lines with open marks above, in the look of their
 * label.
 */

import { bisectLeft } from "d3-array";
import { TERMS } from "../../../lib/terms.ts";
import type { Span } from "../../../lib/time.ts";
import { DASHES, inkOf, markTable } from "../../../timeline/draw/glyphs.ts";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import { paintArea, paintColumns, paintGaps, paintScale, type Strip } from "../../../timeline/draw/strips.ts";
import { resample, spareColumns } from "../../../timeline/tiles/window-source.ts";
import { xOf } from "../../../ui/canvas/surface.ts";
import { PEAK_UNIT, type PressureSeries, pressurePieces } from "./pressure.ts";
import type { Replay } from "./replay-source.ts";

const Stalled = { Some: 0, Full: 1 } as const;

export const STALLS = markTable(Stalled, {
  Some: { shape: "area", tone: "cost", means: "some", title: TERMS.some },
  Full: { shape: "area", tone: "full", means: "full", title: TERMS.full },
});

const PAD = 3;
/** Minimum distance of marks, CSS pixels: they identify the line, not its points. */
const MARK_DISTANCE = 30;
const MARK_RADIUS = 2.5;

export interface PressureLane {
  /** null while its samples are not there. */
  readonly series: PressureSeries | null;
  /** null while it is not there, and where nothing can be replayed. */
  readonly replay: Replay | null;
}

/** @param most share at the lane's full height */
export function paintPressureLane(
  lane: LaneCanvas,
  { series, replay }: PressureLane,
  view: Span,
  most: number,
): void {
  const { ctx, scale, box, ink } = lane;
  const { palette } = ink;
  const height = box.height - 2 * PAD;
  const base = box.y + PAD + height;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, height);
  const strip = { base, height, ratio: box.ratio };
  if (replay?.label === "what-if") {
    ctx.fillStyle = ink.whatIf;
    ctx.fillRect(0, box.y + PAD, box.width, height);
  }
  if (series) {
    const pieces = pressurePieces(series, view);
    const columns = resample(
      pieces.map(({ tile, span }) => ({ items: tile.bars, span })),
      scale.from,
      scale.perNs * box.ratio,
      Math.round(box.width * box.ratio),
      spareColumns(Math.round(box.width * box.ratio)),
    );
    ctx.fillStyle = palette.costSoft;
    paintColumns(ctx, columns.peak, most * PEAK_UNIT, strip);
    paintArea(ctx, columns.busy, most, strip, inkOf(ink, STALLS, Stalled.Some));
    ctx.fillStyle = inkOf(ink, STALLS, Stalled.Full);
    paintColumns(ctx, columns.wait, most, strip);
    for (const piece of pieces) paintGaps(lane, piece);
  }
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, base, box.width, 1);
  if (replay) paintReplay(lane, replay, view, strip, most);
  paintScale(lane, strip, `${Number((most * 100).toFixed(2))} %`);
}

function paintReplay(
  lane: LaneCanvas,
  { series, label }: Replay,
  view: Span,
  strip: Strip,
  most: number,
): void {
  const { ctx, scale, ink } = lane;
  const { width } = lane.box;
  const { at } = series;
  const left = Math.max(0, xOf(scale, at[0] ?? 0));
  const right = Math.min(width, xOf(scale, at[at.length - 1] ?? 0));
  if (right <= left) return;
  const columns = resample(
    pressurePieces(series, view).map(({ tile, span }) => ({ items: tile.bars, span })),
    scale.from,
    scale.perNs * strip.ratio,
    Math.round(width * strip.ratio),
    spareColumns(Math.round(width * strip.ratio)),
  );
  ctx.lineWidth = 1;
  ctx.setLineDash([...DASHES[label]]);
  // Those of which all tasks suffered lie below, fainter.
  for (const [values, has, alpha] of [
    [columns.wait, series.hasFull, 0.55],
    [columns.busy, series.hasSome, 1],
  ] as const) {
    if (!has) continue;
    ctx.strokeStyle = ink.palette.text;
    ctx.globalAlpha = alpha;
    strokeSteps(ctx, values, most, strip, left, right);
  }
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
  if (series.hasSome) paintMarks(lane, series, columns.busy, most, strip);
}

function strokeSteps(
  ctx: CanvasRenderingContext2D,
  values: Float64Array,
  most: number,
  strip: Strip,
  left: number,
  right: number,
): void {
  const first = Math.floor(left * strip.ratio);
  const end = Math.min(values.length, Math.ceil(right * strip.ratio));
  ctx.beginPath();
  let before = Number.NaN;
  for (let x = first; x < end; x += 1) {
    const y = heightAt(values, x, most, strip);
    if (y === before) continue;
    if (Number.isNaN(before)) ctx.moveTo(x / strip.ratio, y);
    else {
      ctx.lineTo(x / strip.ratio, before);
      ctx.lineTo(x / strip.ratio, y);
    }
    before = y;
  }
  ctx.lineTo(end / strip.ratio, before);
  ctx.stroke();
}

/** Half a pixel off the base, so that a line of one pixel is one. */
function heightAt(values: Float64Array, x: number, most: number, { base, height }: Strip): number {
  const share = Math.min(1, (values[x] ?? 0) / Math.max(most, 1e-9));
  return Math.round(base - share * (height - 1)) - 0.5;
}

/** At the moments at which the totals are known, as far as they have room. */
function paintMarks(
  lane: LaneCanvas,
  { at }: PressureSeries,
  values: Float64Array,
  most: number,
  strip: Strip,
): void {
  const { ctx, scale, box, ink } = lane;
  ctx.fillStyle = ink.palette.ground;
  ctx.strokeStyle = ink.palette.text;
  let last = Number.NEGATIVE_INFINITY;
  for (let i = bisectLeft(at, scale.from); i < at.length; i += 1) {
    const x = xOf(scale, at[i] ?? 0);
    if (x > box.width) break;
    if (x - last < MARK_DISTANCE) continue;
    last = x;
    // The step that ends here is what the totals at this moment show.
    const column = Math.max(0, Math.min(values.length - 1, Math.ceil(x * strip.ratio) - 1));
    ctx.beginPath();
    ctx.arc(x, heightAt(values, column, most, strip), MARK_RADIUS, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
}
