/**
 * A task's lane. Running fills it in the colour of its node. A runnable task, which waits for a CPU, is two thirds
 * high in the colour of cost, with a firm edge after a preemption and lines when throttled. Sleep is low in the colour
 * of its cause; uninterruptible sleep is higher and has an edge. Merged times have a part as high as the share that
 * ran, and above it one for the share that waited.
 */

import type { TaskSleep } from "../../../../api/types.ts";
import { causeTitle } from "../../../../lib/causes.ts";
import { formatDuration } from "../../../../lib/format.ts";
import type { RelNs } from "../../../../lib/time.ts";
import { type LaneCanvas, paintGaps } from "../../../../timeline/draw/strips.ts";
import {
  firstEndingAfter,
  type Items,
  itemAt,
  Kind,
  type Piece,
  type Tile,
} from "../../../../timeline/tiles/tiles.ts";
import { xOf } from "../../../../ui/canvas/surface.ts";
import { ledgerInk, sleepLabel } from "../../../off_cpu/lanes/index.ts";

export interface StateLaneStyle {
  readonly nodeOf: (cpu: number) => number | null;
  readonly nodeColour: (nid: number) => string;
  /** Width of one character of the label font, CSS pixels. */
  readonly charWidth: number;
  /** Others are brought forward. */
  readonly dimmed: boolean;
  /** The sleep at a time; null where it is not known. */
  readonly sleepAt: (at: RelNs) => TaskSleep | null;
}

/** Legend of the states: the look of each is a class of the style sheet. A sleep with a cause has its cause's key. */
export const STATE_KEYS: Readonly<Record<TaskState, readonly [look: string, means: string]>> = {
  Slice: ["running", "ran, in its node's colour"],
  Woken: ["woken", "runnable, woken"],
  Preempted: ["preempted", "runnable, preempted"],
  Resumed: ["throttled", "throttled"],
  Blocked: ["blocked", "uninterruptible sleep (D)"],
  Sleeping: ["sleeping", "sleeping"],
};

type TaskState = Exclude<keyof typeof Kind, "Bucket" | "Merged" | "Lost" | "Unknown" | "Wait" | "Threads">;

const LABEL_FROM = 34;
const DIMMED = 0.35;
const PAD = 3;

/** Height of the lane's content, and of a state. */
export function stateStrip(height: number, kind: number): { readonly top: number; readonly height: number } {
  const whole = height - 2 * PAD;
  const share = isWait(kind) ? 0.66 : kind === Kind.Blocked ? 0.4 : kind === Kind.Sleeping ? 0.26 : 1;
  const own = Math.max(2, Math.round(whole * share));
  return { top: PAD + whole - own, height: own };
}

export function isSleep(kind: number): boolean {
  return kind === Kind.Sleeping || kind === Kind.Blocked;
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
  for (const piece of pieces) {
    ctx.globalAlpha = alphaOf(style);
    paintStates(lane, piece, style);
    paintGaps(lane, piece);
  }
  ctx.globalAlpha = 1;
}

function alphaOf({ dimmed }: StateLaneStyle): number {
  return dimmed ? DIMMED : 1;
}

function paintStates(lane: LaneCanvas, { tile: { bars }, span }: Piece, style: StateLaneStyle): void {
  const { ctx, scale, box } = lane;
  const { ratio } = box;
  const snap = (x: number) => Math.round(x * ratio) / ratio;
  const hair = 1 / ratio;
  const merged = { ran: new Side(ctx), waited: new Side(ctx) };
  let drawnTo = Number.NEGATIVE_INFINITY;
  for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
    const t0 = bars.t0[i] ?? 0;
    if (t0 >= span.to) break;
    const x0 = Math.max(-8, snap(xOf(scale, Math.max(t0, span.from))));
    const x1 = Math.max(
      x0 + hair,
      Math.min(box.width + 8, snap(xOf(scale, Math.min(bars.t1[i] ?? 0, span.to)))),
    );
    // What ends inside a pixel that is already inked would not be seen.
    if (x1 <= drawnTo) continue;
    drawnTo = x1;
    if (bars.kind[i] === Kind.Merged) joinMerged(lane, merged, bars, i, { x0, width: x1 - x0 }, style);
    else paintState(lane, bars, i, { x0, width: x1 - x0 }, style);
  }
  merged.ran.paint();
  merged.waited.paint();
}

interface Place {
  readonly x0: number;
  readonly width: number;
}

/** Bars side by side of one height and colour, painted as one: merged times are as many as pixels in each of all lanes. */
class Side {
  readonly #ctx: CanvasRenderingContext2D;
  #x0 = 0;
  #x1 = 0;
  #top = 0;
  #height = 0;
  #fill = "";

  constructor(ctx: CanvasRenderingContext2D) {
    this.#ctx = ctx;
  }

  add({ x0, width }: Place, top: number, height: number, fill: string): void {
    if (x0 !== this.#x1 || top !== this.#top || height !== this.#height || fill !== this.#fill) {
      this.paint();
      this.#x0 = x0;
      this.#top = top;
      this.#height = height;
      this.#fill = fill;
    }
    this.#x1 = x0 + width;
  }

  paint(): void {
    if (this.#height <= 0 || this.#x1 <= this.#x0) return;
    this.#ctx.fillStyle = this.#fill;
    this.#ctx.fillRect(this.#x0, this.#top, this.#x1 - this.#x0, this.#height);
    this.#x0 = this.#x1;
  }
}

function runColour(lane: LaneCanvas, items: Items, i: number, style: StateLaneStyle): string {
  const nid = style.nodeOf(items.ofTask?.cpu[i] ?? -1);
  return nid === null ? lane.ink.palette.muted : style.nodeColour(nid);
}

function joinMerged(
  lane: LaneCanvas,
  { ran, waited }: { readonly ran: Side; readonly waited: Side },
  bars: Items,
  i: number,
  place: Place,
  style: StateLaneStyle,
): void {
  const { box, ink } = lane;
  const whole = box.height - 2 * PAD;
  const bottom = box.y + box.height - PAD;
  // What is there at all is seen; edges are on device pixels, as those of columns are.
  const highOf = (share: number) =>
    share > 0 ? Math.max(2, Math.round(share * whole * box.ratio) / box.ratio) : 0;
  const low = highOf(bars.busy[i] ?? 0);
  const high = Math.min(whole - low, highOf(bars.wait[i] ?? 0));
  ran.add(place, bottom - low, low, runColour(lane, bars, i, style));
  waited.add(place, bottom - low - high, high, ink.palette.cost);
}

function paintState(lane: LaneCanvas, bars: Items, i: number, place: Place, style: StateLaneStyle): void {
  const { ctx, box, ink } = lane;
  const { palette } = ink;
  const { x0, width } = place;
  const kind = bars.kind[i] ?? Kind.Unknown;
  const strip = stateStrip(box.height, kind);
  const top = box.y + strip.top;
  const throttled = isWait(kind) && causeOf(bars, i) === "throttled";
  if (isSleep(kind)) {
    paintSleep(lane, bars, i, place, style);
    return;
  }
  ctx.fillStyle =
    kind === Kind.Slice
      ? runColour(lane, bars, i, style)
      : kind === Kind.Woken
        ? palette.cost
        : isWait(kind)
          ? palette.costSoft
          : palette.unknown;
  // A hairline between neighbours keeps two runs two.
  ctx.fillRect(x0, top, kind === Kind.Slice && width > 3 ? width - 1 / box.ratio : width, strip.height);
  if (kind === Kind.Preempted || kind === Kind.Resumed) {
    ctx.fillStyle = palette.cost;
    ctx.fillRect(x0, top, width, 2);
  }
  if (throttled) {
    ctx.globalAlpha = alphaOf(style) * 0.5;
    ctx.fillStyle = ink.hatch;
    ctx.fillRect(x0, top, width, strip.height);
    ctx.globalAlpha = alphaOf(style);
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
  ctx.globalAlpha = alphaOf(style);
}

/** In the colour of its cause, with words over it. What has no cause yet stays gray. */
function paintSleep(lane: LaneCanvas, bars: Items, i: number, place: Place, style: StateLaneStyle): void {
  const { ctx, box, ink } = lane;
  const { palette } = ink;
  const { x0, width } = place;
  const [t0, t1] = [bars.t0[i] ?? 0, bars.t1[i] ?? 0];
  const strip = stateStrip(box.height, bars.kind[i] ?? Kind.Sleeping);
  const top = box.y + strip.top;
  const sleep = style.sleepAt((t0 + t1) / 2);
  ctx.fillStyle = sleep ? (ledgerInk("asleep", sleep.cause, palette.theme) ?? ink.dots) : palette.unknown;
  ctx.fillRect(x0, top, width, strip.height);
  if (bars.kind[i] === Kind.Blocked) {
    ctx.fillStyle = palette.warn;
    ctx.fillRect(x0, top, width, 2);
  }
  if (!sleep || width < LABEL_FROM) return;
  const text = sleepLabel(sleep);
  const left = Math.max(x0, 0) + 4;
  const fits = Math.floor((Math.min(x0 + width, box.width) - 3 - left) / style.charWidth);
  if (fits < 6) return;
  ctx.globalAlpha = style.dimmed ? 0.75 : 1;
  ctx.fillStyle = palette.muted;
  const free = top - box.y;
  ctx.fillText(text.length <= fits ? text : `${text.slice(0, fits - 1)}…`, left, box.y + free / 2 + 1.5);
  ctx.globalAlpha = alphaOf(style);
}

function labelOf(items: Items, i: number, kind: number): string | null {
  if (kind === Kind.Slice) return `cpu ${items.ofTask?.cpu[i] ?? "?"}`;
  if (!isWait(kind)) return null;
  const cause = causeOf(items, i);
  const length = formatDuration((items.t1[i] ?? 0) - (items.t0[i] ?? 0));
  return cause === null ? length : `${length} ${causeTitle(cause)}`;
}

/** Item of a lane at a time. Gaps win: the task's state there is not known. */
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
