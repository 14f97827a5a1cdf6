/**
 * A task's lane. Running fills it in the colour of its node; a runnable task, which waits for a CPU, stands two thirds high in
 * the colour of cost, after a preemption under a firm edge, throttled with lines through it; uninterruptible sleep is low, other
 * sleep a line. Merged times have a part as high as the share that ran, and above it one for the share that waited.
 */

import { causeWords } from "../../lib/causes.ts";
import { formatDuration } from "../../lib/format.ts";
import type { RelNs } from "../../lib/time.ts";
import { type LaneCanvas, paintGaps } from "../../timeline/draw/strips.ts";
import {
  firstEndingAfter,
  type Items,
  itemAt,
  Kind,
  type Piece,
  type Tile,
} from "../../timeline/tiles/tiles.ts";
import { xOf } from "../../ui/canvas/surface.ts";

export interface StateLaneStyle {
  readonly nodeOf: (cpu: number) => number | null;
  readonly nodeColour: (nid: number) => string;
  /** Width of one character of the label font, CSS pixels. */
  readonly charWidth: number;
  /** Others are brought forward. */
  readonly dimmed: boolean;
}

const LABEL_FROM = 34;
const DIMMED = 0.35;
const PAD = 3;

/** Height of what stands in the lane, and of what a state takes of it. */
export function stateStrip(height: number, kind: number): { readonly top: number; readonly height: number } {
  const whole = height - 2 * PAD;
  const share = isWait(kind) ? 0.66 : kind === Kind.Blocked ? 0.34 : kind === Kind.Sleeping ? 0.1 : 1;
  const own = Math.max(2, Math.round(whole * share));
  return { top: PAD + whole - own, height: own };
}

/** Runnable, and not running. */
export function isWait(kind: number): boolean {
  return kind === Kind.Woken || kind === Kind.Preempted || kind === Kind.Resumed;
}

export function causeOf({ ofTask }: Items, i: number): string | null {
  return ofTask?.causes[ofTask.cause[i] ?? 255] ?? null;
}

export function paintStateLane(lane: LaneCanvas, pieces: readonly Piece[], style: StateLaneStyle): void {
  const { ctx, box, ink } = lane;
  ctx.fillStyle = ink.palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, box.height - 2 * PAD);
  ctx.globalAlpha = style.dimmed ? DIMMED : 1;
  for (const piece of pieces) {
    paintStates(lane, piece, style);
    paintGaps(lane, piece);
    ctx.globalAlpha = style.dimmed ? DIMMED : 1;
  }
  ctx.globalAlpha = 1;
}

function paintStates(lane: LaneCanvas, { tile: { bars }, span }: Piece, style: StateLaneStyle): void {
  const { ctx, scale, box } = lane;
  const { ratio } = box;
  const snap = (x: number) => Math.round(x * ratio) / ratio;
  const hair = 1 / ratio;
  for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
    const t0 = bars.t0[i] ?? 0;
    if (t0 >= span.to) break;
    const x0 = Math.max(-8, snap(xOf(scale, Math.max(t0, span.from))));
    const x1 = Math.min(box.width + 8, snap(xOf(scale, Math.min(bars.t1[i] ?? 0, span.to))));
    const place = { x0, width: Math.max(hair, x1 - x0) };
    if (bars.kind[i] === Kind.Merged) paintMerged(lane, bars, i, place, style);
    else paintState(lane, bars, i, place, style);
    ctx.globalAlpha = style.dimmed ? DIMMED : 1;
  }
}

interface Place {
  readonly x0: number;
  readonly width: number;
}

function runColour(lane: LaneCanvas, items: Items, i: number, style: StateLaneStyle): string {
  const nid = style.nodeOf(items.ofTask?.cpu[i] ?? -1);
  return nid === null ? lane.ink.palette.muted : style.nodeColour(nid);
}

function paintMerged(
  lane: LaneCanvas,
  bars: Items,
  i: number,
  { x0, width }: Place,
  style: StateLaneStyle,
): void {
  const { ctx, box, ink } = lane;
  const whole = box.height - 2 * PAD;
  const bottom = box.y + box.height - PAD;
  const [busy, wait] = [bars.busy[i] ?? 0, bars.wait[i] ?? 0];
  // What is there at all is seen.
  const ran = busy > 0 ? Math.max(2, busy * whole) : 0;
  const waited = wait > 0 ? Math.max(2, wait * whole) : 0;
  ctx.fillStyle = runColour(lane, bars, i, style);
  ctx.fillRect(x0, bottom - ran, width, ran);
  ctx.fillStyle = ink.palette.cost;
  ctx.fillRect(x0, Math.max(box.y + PAD, bottom - ran - waited), width, Math.min(waited, whole - ran));
}

function paintState(lane: LaneCanvas, bars: Items, i: number, place: Place, style: StateLaneStyle): void {
  const { ctx, box, ink } = lane;
  const { palette } = ink;
  const { x0, width } = place;
  const kind = bars.kind[i] ?? Kind.Unknown;
  const strip = stateStrip(box.height, kind);
  const top = box.y + strip.top;
  const throttled = isWait(kind) && causeOf(bars, i) === "throttled";
  ctx.fillStyle =
    kind === Kind.Slice
      ? runColour(lane, bars, i, style)
      : kind === Kind.Woken
        ? palette.cost
        : isWait(kind)
          ? palette.costSoft
          : kind === Kind.Blocked
            ? palette.warn
            : palette.unknown;
  // A hairline between neighbours keeps two runs two.
  ctx.fillRect(x0, top, kind === Kind.Slice && width > 3 ? width - 1 / box.ratio : width, strip.height);
  if (kind === Kind.Preempted || kind === Kind.Resumed) {
    ctx.fillStyle = palette.cost;
    ctx.fillRect(x0, top, width, 2);
  }
  if (throttled) {
    ctx.globalAlpha *= 0.5;
    ctx.fillStyle = ink.hatch;
    ctx.fillRect(x0, top, width, strip.height);
  }
  if (width < LABEL_FROM) return;
  const text = labelOf(bars, i, kind);
  if (text === null) return;
  const left = Math.max(x0, 0) + 4;
  const fits = Math.floor((x0 + width - 3 - left) / style.charWidth);
  if (fits < 4) return;
  ctx.globalAlpha = style.dimmed ? 0.75 : 1;
  ctx.fillStyle = kind === Kind.Slice || (kind === Kind.Woken && !throttled) ? palette.ground : palette.text;
  ctx.fillText(
    text.length <= fits ? text : `${text.slice(0, fits - 1)}…`,
    left,
    top + strip.height / 2 + 0.5,
  );
}

function labelOf(items: Items, i: number, kind: number): string | null {
  if (kind === Kind.Slice) return `cpu ${items.ofTask?.cpu[i] ?? "?"}`;
  if (!isWait(kind)) return null;
  const cause = causeOf(items, i);
  const length = formatDuration((items.t1[i] ?? 0) - (items.t0[i] ?? 0));
  return cause === null ? length : `${length} ${causeWords(cause)}`;
}

/** What a lane holds at a time. Gaps win: what the task did there is not known. */
export interface StateHit {
  readonly items: Items;
  readonly index: number;
  readonly kind: number;
  readonly from: RelNs;
  readonly to: RelNs;
}

export function hitState(tile: Tile, at: RelNs, reach: number): StateHit | null {
  const gap = itemAt(tile.gaps, at, 0);
  const items = gap >= 0 ? tile.gaps : tile.bars;
  const index = gap >= 0 ? gap : itemAt(tile.bars, at, reach);
  return index < 0 ? null : stateAt(items, index);
}

export function stateAt(items: Items, index: number): StateHit {
  const kind = items.kind[index] ?? Kind.Unknown;
  return { items, index, kind, from: items.t0[index] ?? 0, to: items.t1[index] ?? 0 };
}
