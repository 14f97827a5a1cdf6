/** Rows of a query where they are denser than pixels: slices merge into blocks with a count, counters into their range. */

import type { RelNs } from "../../lib/time.ts";
import { firstFrom } from "../../timeline/draw/glyphs.ts";
import type { LaneRows } from "./sql-track.ts";

/** Slices that stand below one pixel's share of each other; all arrays have the same length. */
export interface Blocks {
  readonly length: number;
  /** Place of the first row in the lane. */
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  /** Part of the block's time in which a slice was, 0..1. */
  readonly share: Float32Array;
}

/** CSS pixels: narrower slices merge with neighbours that are as near. */
const NARROW = 3;
/** A block ends where its count can be read. */
const WIDE = 28;

/**
 * Merges from the left, over the whole lane: so a block keeps its slices while the window moves.
 * @param perPixel ns of a CSS pixel
 */
export function mergeSlices({ length, t0, t1 }: LaneRows, perPixel: number): Blocks {
  const blocks = {
    first: new Uint32Array(length),
    count: new Uint32Array(length),
    t0: new Float64Array(length),
    t1: new Float64Array(length),
    share: new Float32Array(length),
  };
  const narrow = NARROW * perPixel;
  let n = 0;
  let filled = 0;
  let mergeable = false;
  const close = () => {
    const last = n - 1;
    if (last < 0) return;
    const long = (blocks.t1[last] ?? 0) - (blocks.t0[last] ?? 0);
    blocks.share[last] = long > 0 ? Math.min(1, filled / long) : 1;
  };
  for (let i = 0; i < length; i += 1) {
    const [from, to] = [t0[i] ?? 0, t1[i] ?? 0];
    const isNarrow = to - from < narrow;
    const last = n - 1;
    const near = from - (blocks.t1[last] ?? 0) < narrow && to - (blocks.t0[last] ?? 0) <= WIDE * perPixel;
    if (mergeable && isNarrow && near) {
      blocks.count[last] = (blocks.count[last] ?? 0) + 1;
      blocks.t1[last] = Math.max(blocks.t1[last] ?? 0, to);
      filled += to - from;
      continue;
    }
    close();
    blocks.first[n] = i;
    blocks.count[n] = 1;
    blocks.t0[n] = from;
    blocks.t1[n] = to;
    filled = to - from;
    mergeable = isNarrow;
    n += 1;
  }
  close();
  return { length: n, ...blocks };
}

/** Blocks of a row of slices with their last merging, which holds for as long as the zoom does. */
export class SliceRow {
  readonly rows: LaneRows;
  #perPixel = -1;
  #blocks: Blocks | null = null;

  constructor(rows: LaneRows) {
    this.rows = rows;
  }

  blocks(perPixel: number): Blocks {
    // A zoom by less than a thousandth is none, as for marks.
    if (!this.#blocks || Math.abs(perPixel - this.#perPixel) > this.#perPixel * 1e-3) {
      this.#blocks = mergeSlices(this.rows, perPixel);
      this.#perPixel = perPixel;
    }
    return this.#blocks;
  }
}

/** Index of the block under a time, or the nearest within reach; -1 for none. */
export function blockAt({ t0, t1, length }: Blocks, at: RelNs, reach: number): number {
  const next = firstFrom(t0, length, at);
  let best = -1;
  let distance = reach;
  for (const i of [next - 1, next]) {
    if (i < 0 || i >= length) continue;
    const away = Math.max(0, (t0[i] ?? 0) - at, at - (t1[i] ?? 0));
    if (away <= distance) {
      best = i;
      distance = away;
    }
  }
  return best;
}

/** What a counter had in each pixel column; NaN before its first value. */
export interface CounterColumns {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Weighed by time. */
  readonly mean: Float64Array;
}

/**
 * @param from time at the left edge of the first column
 * @param perColumn ns of a column
 */
export function counterColumns(
  rows: LaneRows,
  from: RelNs,
  perColumn: number,
  count: number,
): CounterColumns {
  const low = new Float64Array(count).fill(Number.NaN);
  const high = new Float64Array(count).fill(Number.NaN);
  const mean = new Float64Array(count);
  const known = new Float64Array(count);
  const { length, t0, t1, value } = rows;
  const start = Math.max(0, firstFrom(t0, length, from) - 1);
  for (let i = start; i < length; i += 1) {
    const x0 = Math.max(0, ((t0[i] ?? 0) - from) / perColumn);
    const x1 = Math.min(count, ((t1[i] ?? 0) - from) / perColumn);
    if (x0 >= count) break;
    const own = value[i] ?? 0;
    // A value that held for less than any column is still one that was.
    const last = x1 < 0 ? -1 : Math.min(count - 1, Math.max(Math.floor(x0), Math.ceil(x1) - 1));
    for (let x = Math.floor(x0); x <= last; x += 1) {
      const part = Math.max(0, Math.min(x1, x + 1) - Math.max(x0, x));
      mean[x] = (mean[x] ?? 0) + part * own;
      known[x] = (known[x] ?? 0) + part;
      low[x] = lesser(low[x], own);
      high[x] = -lesser(-(high[x] ?? Number.NaN), -own);
    }
  }
  for (let x = 0; x < count; x += 1) {
    const part = known[x] ?? 0;
    mean[x] = part > 0 ? (mean[x] ?? 0) / part : (high[x] ?? Number.NaN);
  }
  return { low, high, mean };
}

/** The lesser of two, of which the first may not be known yet. */
function lesser(known: number | undefined, own: number): number {
  return known !== undefined && known <= own ? known : own;
}
