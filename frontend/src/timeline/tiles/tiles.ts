/**
 * The engine's answer for one lane and one window, and the choice between several answers.
 *
 * A tile holds columns, never objects per item: a lane of 3,000 items is eight typed arrays.
 */

import { bisectRight } from "d3-array";
import { overlaps, type RelNs, type Span, spanLength } from "../../lib/time.ts";

/** Kinds of items as the timeline answer numbers them. */
export const Kind = {
  Bucket: 0,
  Slice: 1,
  Merged: 2,
  Lost: 3,
  Unknown: 4,
  Wait: 5,
  Woken: 6,
  Preempted: 7,
  Resumed: 8,
  Sleeping: 9,
  Blocked: 10,
  Threads: 11,
} as const;

/** `task` of an item that belongs to none. */
export const NO_TASK = 0xffff_ffff;

/** Columns that only items of a task's lane, and of threads together, have. */
export interface TaskColumns {
  /** Of a run, or where a wait ended; NO_CPU for none. */
  readonly cpu: Uint32Array;
  /** Task on the waking CPU; -1 for none. */
  readonly wakerPid: Int32Array;
  /** Place in `causes` of the cause that most of a wait had; 255 for none. */
  readonly cause: Uint8Array;
  /** For groups of threads: mean number in uninterruptible sleep. */
  readonly blocked: Float32Array;
  /** Mean number of threads in an unknown state. */
  readonly unknown: Float32Array;
  /** As the service names them. */
  readonly causes: readonly string[];
}

export const NO_CPU = 0xffff_ffff;

/** Items of one lane in ascending, non-overlapping order. All arrays have the same length. */
export interface Items {
  readonly length: number;
  readonly kind: Uint8Array;
  /** ns relative to the origin, half-open [t0, t1). */
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  /** Share of CPUs busy (node) or share of the item busy (CPU), 0..1. */
  readonly busy: Float32Array;
  /** The part of `busy` by real-time and deadline tasks (CPU). */
  readonly rt: Float32Array;
  /** Mean number of runnable tasks waiting. */
  readonly wait: Float32Array;
  readonly waitMax: Uint32Array;
  /** Row of the task table, NO_TASK for none. */
  readonly task: Uint32Array;
  /** Slices that were merged into the item. */
  readonly count: Uint32Array;
  /** null where no lane of the answer is a task's, a process' or a cgroup's. */
  readonly ofTask: TaskColumns | null;
}

export interface Tile {
  /** The window that was requested: outside it the tile says nothing. */
  readonly span: Span;
  /** ns per pixel that was requested. */
  readonly resolution: number;
  /** Buckets of a node, or exact and merged slices of a CPU. */
  readonly bars: Items;
  /** Time ranges without data: lost events, and the time before the first event. */
  readonly gaps: Items;
  /** Waiting tasks of a CPU lane (a node's are in `bars`). */
  readonly waits: Items;
}

/** A interval of the screen and the tile that draws it. */
export interface Piece {
  readonly tile: Tile;
  readonly span: Span;
}

/** A tile this much coarser than the screen is still called sharp. */
const SHARP = 1.6;

export function isSharp(tile: Pick<Tile, "resolution">, target: number): boolean {
  // At 1 ns per pixel there is nothing finer to request: the trace clock counts in ns.
  return tile.resolution <= Math.max(target * SHARP, 1);
}

/**
 * Covers `span` with the best tiles there are, without overlaps, ascending. Sharp tiles come first, the
 * coarsest of them (it has the fewest items); where none reaches, the least coarse steps in.
 * @param target ns per pixel of the screen
 */
export function coverWith(tiles: readonly Tile[], span: Span, target: number): Piece[] {
  const ranked = tiles
    .filter((tile) => overlaps(tile.span, span))
    .sort((a, b) => {
      const sharpA = isSharp(a, target);
      const sharpB = isSharp(b, target);
      if (sharpA !== sharpB) return sharpA ? -1 : 1;
      return sharpA ? b.resolution - a.resolution : a.resolution - b.resolution;
    });
  let open: Span[] = [span];
  const pieces: Piece[] = [];
  for (const tile of ranked) {
    const next: Span[] = [];
    for (const gap of open) {
      const from = Math.max(gap.from, tile.span.from);
      const to = Math.min(gap.to, tile.span.to);
      if (from >= to) {
        next.push(gap);
        continue;
      }
      pieces.push({ tile, span: { from, to } });
      if (gap.from < from) next.push({ from: gap.from, to: from });
      if (to < gap.to) next.push({ from: to, to: gap.to });
    }
    open = next;
    if (open.length === 0) break;
  }
  return pieces.sort((a, b) => a.span.from - b.span.from);
}

/** True when sharp tiles cover every part of `span` that lies inside `bounds`. */
export function isCovered(tiles: readonly Tile[], span: Span, bounds: Span, target: number): boolean {
  const from = Math.max(span.from, bounds.from);
  const to = Math.min(span.to, bounds.to);
  if (from >= to) return true;
  let reached = from;
  for (const piece of coverWith(tiles, { from, to }, target)) {
    if (piece.span.from > reached || !isSharp(piece.tile, target)) return false;
    reached = piece.span.to;
  }
  return reached >= to;
}

/** Index of the first item with t1 > at; `length` when there is none. Items are ascending. */
export function firstEndingAfter(items: Items, at: RelNs): number {
  return bisectRight(items.t1, at, 0, items.length);
}

/**
 * The item under a pointer: the one that contains `at`, else the nearest within `reach` ns (a slice may be
 * thinner than a pixel), else -1.
 */
export function itemAt(items: Items, at: RelNs, reach: number): number {
  const next = firstEndingAfter(items, at);
  if (next < items.length && (items.t0[next] ?? 0) <= at) return next;
  let best = -1;
  let distance = reach;
  if (next < items.length) {
    const ahead = (items.t0[next] ?? 0) - at;
    if (ahead <= distance) {
      best = next;
      distance = ahead;
    }
  }
  if (next > 0 && at - (items.t1[next - 1] ?? 0) < distance) best = next - 1;
  return best;
}

/**
 * Time-weighted means of busy share and waiting depth over the recorded part of a window, and its peak; null if
 * nothing is recorded. Time without an item outside of gaps counts as idle with no task waiting: such buckets are
 * not sent.
 */
export function meansOver(
  pieces: readonly Piece[],
  window: Span,
): { readonly busy: number; readonly wait: number; readonly peak: number } | null {
  let whole = 0;
  let time = 0;
  let busy = 0;
  let wait = 0;
  let peak = 0;
  let known = false;
  for (const { tile, span } of pieces) {
    const from = Math.max(span.from, window.from);
    const to = Math.min(span.to, window.to);
    if (to <= from) continue;
    whole += to - from;
    time += to - from - gapTime(tile, from, to);
    known ||= knownBetween(tile, from, to);
    const { bars } = tile;
    for (let i = firstEndingAfter(bars, from); i < bars.length; i += 1) {
      const t0 = Math.max(bars.t0[i] ?? 0, from);
      const t1 = Math.min(bars.t1[i] ?? 0, to);
      if (t0 >= to) break;
      const length = t1 - t0 - gapTime(tile, t0, t1);
      if (length <= 0) continue;
      busy += (bars.busy[i] ?? 0) * length;
      wait += (bars.wait[i] ?? 0) * length;
      peak = Math.max(peak, bars.waitMax[i] ?? 0);
    }
  }
  // The edge of a bucket may be all that is recorded.
  const recorded = time > 0 ? time : whole;
  return known ? { busy: busy / recorded, wait: wait / recorded, peak } : null;
}

/** Time of gaps in a part of a tile. */
function gapTime({ gaps }: Tile, from: RelNs, to: RelNs): number {
  let time = 0;
  let end = from;
  for (let i = firstEndingAfter(gaps, from); i < gaps.length && (gaps.t0[i] ?? 0) < to; i += 1) {
    const t1 = Math.min(gaps.t1[i] ?? 0, to);
    time += Math.max(0, t1 - Math.max(gaps.t0[i] ?? 0, end));
    end = Math.max(end, t1);
  }
  return time;
}

/** Returns whether a part of a tile has more than gaps. */
function knownBetween({ bars, gaps }: Tile, from: RelNs, to: RelNs): boolean {
  const first = firstEndingAfter(bars, from);
  if (first < bars.length && (bars.t0[first] ?? 0) < to) return true;
  let end = from;
  for (let i = firstEndingAfter(gaps, from); i < gaps.length && (gaps.t0[i] ?? 0) <= end; i += 1) {
    end = gaps.t1[i] ?? 0;
  }
  return end < to;
}

// Which window and resolution to ask the engine for, so that answers are few and can be used again.

export interface FetchPlan {
  /** Whole ns, inside the bounds. */
  readonly from: number;
  readonly to: number;
  /** Pixel columns to request; (to - from) / px is the resolution. */
  readonly px: number;
  readonly resolution: number;
}

/** Windows start and end on multiples of this many columns: neighbours and returns share their edges. */
const GRID_COLUMNS = 64;
/** Room on each side, as a share of the window: a short pan finds its data already there. */
const MARGIN = 0.5;
/** No request is wider. Two 4K screens side by side stay below it. */
export const MAX_PX = 8192;

/** The power of two nearest to the screen's ns per pixel (on a log scale), at least 1 ns. */
export function quantiseResolution(nsPerPixel: number): number {
  return Math.max(1, 2 ** Math.round(Math.log2(Math.max(nsPerPixel, 1e-9))));
}

/** The widest plot that a limit of `maxPx` columns serves sharply; wider screens get this much detail. */
export function widestPlot(maxPx: number): number {
  // Margins double the window, rounding to a power of two adds at most √2, the grid one step per side.
  return Math.max(
    64,
    Math.floor((Math.min(maxPx, MAX_PX) - 2 * GRID_COLUMNS) / ((1 + 2 * MARGIN) * Math.SQRT2)),
  );
}

/** @param width plot width in device-independent pixels, > 0 */
export function planFetch(view: Span, width: number, bounds: Span): FetchPlan {
  const length = spanLength(view);
  const resolution = quantiseResolution(length / Math.max(1, width));
  const grid = resolution * GRID_COLUMNS;
  const lowest = Math.floor(bounds.from);
  const highest = Math.ceil(bounds.to);
  let from = Math.max(lowest, Math.floor((view.from - length * MARGIN) / grid) * grid);
  let to = Math.min(highest, Math.ceil((view.to + length * MARGIN) / grid) * grid);
  if (to <= from) {
    // The view lies outside the trace; request its nearest end so that the answer is small and valid.
    from = view.from >= highest ? Math.max(lowest, highest - grid) : lowest;
    to = Math.min(highest, from + grid);
  }
  if (to <= from) to = from + 1;
  const px = Math.max(1, Math.min(MAX_PX, Math.ceil((to - from) / resolution)));
  return { from, to, px, resolution: (to - from) / px };
}

/** True while a request under way would still help the present view, so that it is worth waiting for. */
export function stillUseful(plan: FetchPlan, view: Span, width: number): boolean {
  const target = spanLength(view) / Math.max(1, width);
  const shared = Math.min(plan.to, view.to) - Math.max(plan.from, view.from);
  const ratio = plan.resolution / target;
  return shared > 0.25 * Math.min(spanLength(view), plan.to - plan.from) && ratio < 8 && ratio > 1 / 16;
}
