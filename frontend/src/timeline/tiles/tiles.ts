/**
 * What the engine answered for one lane and one window, and which of several answers to draw where.
 *
 * A tile holds columns, never objects per item: a lane of 3,000 items is eight typed arrays.
 */

import type { RelNs, Span } from "../../lib/time.ts";
import { overlaps } from "../../lib/time.ts";

/** Kinds of items as the timeline answer numbers them. */
export const Kind = { Bucket: 0, Slice: 1, Merged: 2, Lost: 3, Unknown: 4, Wait: 5 } as const;

/** `task` of an item that belongs to none. */
export const NO_TASK = 0xffff_ffff;

/** Items of one lane in ascending, non-overlapping order. All arrays have the same length. */
export interface Items {
  readonly length: number;
  readonly kind: Uint8Array;
  /** ns relative to the origin, half-open [t0, t1). */
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  /** Share of CPUs busy (node) or share of the item busy (CPU), 0..1. */
  readonly busy: Float32Array;
  /** Mean number of runnable tasks waiting. */
  readonly wait: Float32Array;
  readonly waitMax: Uint32Array;
  /** Row of the task table, NO_TASK for none. */
  readonly task: Uint32Array;
  /** Slices that were merged into the item. */
  readonly count: Uint32Array;
}

export interface Tile {
  /** The window that was requested: outside it the tile says nothing. */
  readonly span: Span;
  /** ns per pixel that was requested. */
  readonly resolution: number;
  /** Buckets of a node, or exact and merged slices of a CPU. */
  readonly bars: Items;
  /** Stretches without knowledge: lost events, and the time before the first event. */
  readonly gaps: Items;
  /** Waiting tasks of a CPU lane (a node's stand in `bars`). */
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
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items.t1[middle] ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  return low;
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
 * Time-weighted means of busy share and waiting depth over a window, and its peak; null without data. Time
 * inside a piece without an item counts as nobody busy and nobody waiting: such buckets are not sent.
 */
export function meansOver(
  pieces: readonly Piece[],
  window: Span,
): { readonly busy: number; readonly wait: number; readonly peak: number } | null {
  let time = 0;
  let busy = 0;
  let wait = 0;
  let peak = 0;
  for (const { tile, span } of pieces) {
    const from = Math.max(span.from, window.from);
    const to = Math.min(span.to, window.to);
    if (to <= from) continue;
    time += to - from;
    const { bars } = tile;
    for (let i = firstEndingAfter(bars, from); i < bars.length; i += 1) {
      const t0 = Math.max(bars.t0[i] ?? 0, from);
      const t1 = Math.min(bars.t1[i] ?? 0, to);
      if (t0 >= to) break;
      const length = t1 - t0;
      busy += (bars.busy[i] ?? 0) * length;
      wait += (bars.wait[i] ?? 0) * length;
      peak = Math.max(peak, bars.waitMax[i] ?? 0);
    }
  }
  return time > 0 ? { busy: busy / time, wait: wait / time, peak } : null;
}
