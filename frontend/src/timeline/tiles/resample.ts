/** Items onto pixel columns: means weighed by time, peaks as they are. What a strip draws is what it measured. */

import type { RelNs, Span } from "../../lib/time.ts";
import { firstEndingAfter, type Items } from "./tiles.ts";

export interface Columns {
  readonly busy: Float64Array;
  readonly wait: Float64Array;
  readonly peak: Float64Array;
}

/** Some items and the interval of time that they speak for. */
export interface Source {
  readonly items: Items;
  readonly span: Span;
}

/**
 * @param from time at the left edge of the first column
 * @param perNs columns per ns
 * @param count number of columns
 * @param into columns to write over; a lane that is drawn with every frame has some of its own kind already
 */
export function resample(
  sources: readonly Source[],
  from: RelNs,
  perNs: number,
  count: number,
  into: Columns = columnsOf(count),
): Columns {
  const { busy, wait, peak } = into;
  for (const { items, span } of sources) {
    const { t0: starts, t1: ends, length } = items;
    for (let i = firstEndingAfter(items, span.from); i < length; i += 1) {
      const t0 = starts[i] ?? 0;
      if (t0 >= span.to) break;
      const x0 = Math.max(0, (Math.max(t0, span.from) - from) * perNs);
      const x1 = Math.min(count, (Math.min(ends[i] ?? 0, span.to) - from) * perNs);
      const itemBusy = items.busy[i] ?? 0;
      const itemWait = items.wait[i] ?? 0;
      const itemPeak = items.waitMax[i] ?? 0;
      const first = Math.floor(x0);
      const last = Math.ceil(x1) - 1;
      if (last < first) continue;
      add(into, first, Math.min(x1, first + 1) - x0, itemBusy, itemWait, itemPeak);
      if (last === first) continue;
      add(into, last, x1 - last, itemBusy, itemWait, itemPeak);
      // Whole columns belong to this item alone, as items do not overlap.
      if (last - first < 2) continue;
      busy.fill(itemBusy, first + 1, last);
      wait.fill(itemWait, first + 1, last);
      peak.fill(itemPeak, first + 1, last);
    }
  }
  return into;
}

function add({ busy, wait, peak }: Columns, x: number, part: number, b: number, w: number, p: number): void {
  busy[x] = (busy[x] ?? 0) + part * b;
  wait[x] = (wait[x] ?? 0) + part * w;
  if (p > (peak[x] ?? 0)) peak[x] = p;
}

function columnsOf(count: number): Columns {
  return { busy: new Float64Array(count), wait: new Float64Array(count), peak: new Float64Array(count) };
}

let spare = columnsOf(0);

/** Empty columns to draw from at once: the next caller is given the same ones. */
export function spareColumns(count: number): Columns {
  if (spare.busy.length !== count) spare = columnsOf(count);
  else {
    spare.busy.fill(0);
    spare.wait.fill(0);
    spare.peak.fill(0);
  }
  return spare;
}

/**
 * Calls `draw` once for every run of columns with the same height, in whole units of a device pixel.
 * @param height device pixels of a column
 */
export function eachRun(
  count: number,
  height: (column: number) => number,
  draw: (column: number, length: number, height: number) => void,
): void {
  let start = 0;
  let current = count > 0 ? height(0) : 0;
  for (let x = 1; x <= count; x += 1) {
    const next = x < count ? height(x) : Number.NaN;
    if (next === current) continue;
    if (current > 0) draw(start, x - start, current);
    start = x;
    current = next;
  }
}
