/**
 * Wakeups from lane to lane: a line at the time of the wakeup, from the task on the waking CPU down or up to the
 * woken task.
 */

import type { Span } from "../../../../lib/time.ts";
import { oneMark } from "../../../../timeline/draw/glyphs.ts";
import type { SeenLane } from "../../../../timeline/panel.ts";
import { firstEndingAfter, Kind, type Piece } from "../../../../timeline/tiles/tiles.ts";
import { type TimeScale, xOf } from "../../../../ui/canvas/surface.ts";

export const WOKEN_BY = oneMark({ shape: "arrow", tone: "text", means: "woken by" });

export interface WakeArrow {
  /** CSS pixels on the canvas. */
  readonly x: number;
  readonly from: number;
  readonly to: number;
  /** The waker is on a lane of a CPU: fainter, as these are many. */
  readonly faint: boolean;
}

export interface ArrowWorld {
  readonly scale: TimeScale;
  readonly view: Span;
  /** CSS pixels. */
  readonly width: number;
  readonly seen: readonly SeenLane[];
  /** Pieces of a lane. */
  readonly pieces: (lane: string) => readonly Piece[];
  readonly pidOf: (task: number) => number;
}

/** Nearer ones would be one line. */
const APART = 5;
/** Width that a wake-up of a lane has for itself at least, CSS pixels: more would only be a curtain. */
const PER_WAKEUP = 24;

/** @param pids whose lanes are seen */
export function wakeArrows(world: ArrowWorld, pids: readonly number[]): readonly WakeArrow[] {
  const lanes = new Map(world.seen.map((lane) => [lane.box.key, lane]));
  const cpus = world.seen.filter(({ box }) => box.kind === "cpu");
  const middle = ({ box, top }: SeenLane) => top + box.height / 2;
  return pids.flatMap((pid) => {
    const own = lanes.get(`task:${pid}`);
    if (!own) return [];
    const arrows: WakeArrow[] = [];
    const found = wakeups(world, `task:${pid}`);
    if (found.length > world.width / PER_WAKEUP) return [];
    for (const { at, waker, x } of found) {
      const lane =
        lanes.get(`task:${waker}`) ?? cpus.find(({ box }) => ranAt(world, box.key, at, waker)) ?? null;
      if (lane) arrows.push({ x, from: middle(lane), to: middle(own), faint: lane.box.kind === "cpu" });
    }
    return arrows;
  });
}

interface Wakeup {
  readonly at: number;
  readonly waker: number;
  readonly x: number;
}

/**
 * Wakeups of a lane with enough distance; none if most are merged, as the rest would look like all. A wait that
 * began off the screen has its wakeup there.
 */
function wakeups({ scale, view, pieces }: ArrowWorld, lane: string): readonly Wakeup[] {
  const found: Wakeup[] = [];
  let before = Number.NEGATIVE_INFINITY;
  let merged = 0;
  for (const { tile, span } of pieces(lane)) {
    const { bars } = tile;
    for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
      const at = bars.t0[i] ?? 0;
      if (at >= span.to) break;
      if (bars.kind[i] === Kind.Merged) merged += 1;
      const waker = bars.ofTask?.wakerPid[i] ?? -1;
      if (bars.kind[i] !== Kind.Woken || waker <= 0 || at < span.from || at < view.from) continue;
      const x = xOf(scale, at);
      if (x - before < APART) continue;
      before = x;
      found.push({ at, waker, x });
    }
  }
  return merged > found.length ? [] : found;
}

/** Returns whether a CPU's lane shows that a pid ran on it at a time. */
function ranAt({ pieces, pidOf }: ArrowWorld, lane: string, at: number, pid: number): boolean {
  const piece = pieces(lane).find(({ span }) => at >= span.from && at < span.to);
  if (!piece) return false;
  const { bars } = piece.tile;
  const i = firstEndingAfter(bars, at);
  if (bars.kind[i] !== Kind.Slice || (bars.t0[i] ?? 0) > at) return false;
  return pidOf(bars.task[i] ?? -1) === pid;
}

const HEAD = 4;

export function paintArrows(
  ctx: CanvasRenderingContext2D,
  arrows: readonly WakeArrow[],
  colour: string,
  ratio: number,
): void {
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = 1;
  for (const faint of [true, false]) {
    ctx.globalAlpha = faint ? 0.4 : 0.9;
    ctx.beginPath();
    for (const { x, from, to } of arrows.filter((arrow) => arrow.faint === faint)) {
      const at = (Math.round(x * ratio) + 0.5) / ratio;
      const back = from < to ? -HEAD : HEAD;
      ctx.moveTo(at, from);
      ctx.lineTo(at, to);
      ctx.moveTo(at - HEAD + 1, to + back);
      ctx.lineTo(at, to);
      ctx.lineTo(at + HEAD - 1, to + back);
      ctx.moveTo(at + 2, from);
      ctx.arc(at, from, 2, 0, 2 * Math.PI);
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}
