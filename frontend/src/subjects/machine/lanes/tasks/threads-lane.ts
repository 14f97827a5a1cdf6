/**
 * A process or a cgroup as one lane: numbers of its threads that ran, waited for a CPU, were blocked or had an
 * unknown state, stacked in this order from below. Sleeping threads take no height.
 */

import { plural } from "../../../../lib/format.ts";
import { type AbsNs, type RelNs, type Span, toAbs } from "../../../../lib/time.ts";
import { type LaneCanvas, paintScale } from "../../../../timeline/draw/strips.ts";
import { type EventFact, eventFact, type Row } from "../../../../timeline/event-fact.ts";
import { firstEndingAfter, type Items, itemAt, type Piece } from "../../../../timeline/tiles/tiles.ts";
import { xOf } from "../../../../ui/canvas/surface.ts";

const PAD = 2;

/** Mean numbers of threads of an item. */
interface Counts {
  readonly ran: number;
  readonly waited: number;
  readonly blocked: number;
  readonly unknown: number;
}

function countsOf({ busy, wait, ofTask }: Items, i: number): Counts {
  return {
    ran: busy[i] ?? 0,
    waited: wait[i] ?? 0,
    blocked: ofTask?.blocked[i] ?? 0,
    unknown: ofTask?.unknown[i] ?? 0,
  };
}

const sumOf = ({ ran, waited, blocked, unknown }: Counts) => ran + waited + blocked + unknown;

/** The largest number of threads of an item in the view: the lane's full height, rounded up. */
export function mostThreads(pieces: readonly Piece[], view: Span): number {
  let most = 0;
  for (const { tile, span } of pieces) {
    const { bars } = tile;
    const [from, to] = [Math.max(span.from, view.from), Math.min(span.to, view.to)];
    for (let i = firstEndingAfter(bars, from); i < bars.length && (bars.t0[i] ?? 0) < to; i += 1)
      most = Math.max(most, sumOf(countsOf(bars, i)));
  }
  return Math.max(1, Math.ceil(most - 1e-6));
}

export function paintThreads(
  lane: LaneCanvas,
  pieces: readonly Piece[],
  { most, dimmed }: { readonly most: number; readonly dimmed: boolean },
): void {
  const { ctx, box, scale, ink } = lane;
  const { palette } = ink;
  const height = box.height - 2 * PAD;
  const base = box.y + box.height - PAD;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, height);
  ctx.globalAlpha = dimmed ? 0.35 : 1;
  const snap = (x: number) => Math.round(x * box.ratio) / box.ratio;
  for (const { tile, span } of pieces) {
    const { bars } = tile;
    for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
      const t0 = bars.t0[i] ?? 0;
      if (t0 >= span.to) break;
      const x0 = Math.max(-8, snap(xOf(scale, Math.max(t0, span.from))));
      const x1 = Math.min(box.width + 8, snap(xOf(scale, Math.min(bars.t1[i] ?? 0, span.to))));
      const width = Math.max(1 / box.ratio, x1 - x0);
      const { ran, waited, blocked, unknown } = countsOf(bars, i);
      let under = 0;
      const bar = (count: number, fill: string | CanvasPattern) => {
        if (count <= 0) return;
        const top = Math.min(most, under + count);
        const [y0, y1] = [snap(base - (top / most) * height), snap(base - (under / most) * height)];
        ctx.fillStyle = fill;
        // What is there at all is seen.
        ctx.fillRect(x0, Math.min(y0, y1 - 1), width, Math.max(1, y1 - y0));
        under = top;
      };
      bar(ran, palette.accent);
      bar(waited, palette.cost);
      bar(blocked, palette.warn);
      bar(unknown, ink.dots);
    }
  }
  ctx.globalAlpha = 1;
  paintScale(lane, { base, height }, plural(most, "thread"));
}

export interface ThreadsHit {
  readonly items: Items;
  readonly index: number;
}

/** Item of a lane at a time; null if all threads sleep or do not exist. */
export function hitThreads({ tile }: Piece, at: RelNs, reach: number): ThreadsHit | null {
  const index = itemAt(tile.bars, at, reach);
  return index < 0 ? null : { items: tile.bars, index };
}

const number = (count: number) => (Number.isInteger(count) ? String(count) : count.toFixed(2));

/** @param title of the lane */
export function threadsFact({ items, index }: ThreadsHit, title: string, origin: AbsNs): EventFact {
  const counts = countsOf(items, index);
  const { ran, waited, blocked, unknown } = counts;
  const exact = [ran, waited, blocked, unknown].every(Number.isInteger);
  const rows: Row[] = [
    ["running", number(ran)],
    ["waiting for a CPU", number(waited)],
    ["uninterruptible sleep (D)", number(blocked)],
    ...(unknown > 0 ? [["not known", number(unknown)] as const] : []),
    ...(exact
      ? []
      : ([
          ["most running", String(items.count[index] ?? 0)],
          ["most waiting", String(items.waitMax[index] ?? 0)],
        ] as const)),
  ];
  return eventFact({
    title: `${title}: ${plural(Math.round(sumOf(counts)), "thread")} not asleep`,
    label: unknown > 0 ? "inferred" : "replayed",
    rows,
    note: exact
      ? "Number of its threads."
      : "Mean number of its threads over this time. Zoom in to see each change.",
    fn: "__schedule, try_to_wake_up",
    from: toAbs(origin, items.t0[index] ?? 0),
    to: toAbs(origin, items.t1[index] ?? 0),
  });
}
