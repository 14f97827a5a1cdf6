/** Items onto pixel columns: means weighed by time, peaks as they are. What a strip draws is what it measured. */

import { firstEndingAfter, type Items } from "./tiles.ts";
import type { RelNs, Span } from "./time.ts";

export interface Columns {
  readonly busy: Float64Array;
  readonly wait: Float64Array;
  readonly peak: Float64Array;
}

/** Some items and the stretch of time that they speak for. */
export interface Source {
  readonly items: Items;
  readonly span: Span;
}

/**
 * @param from time at the left edge of the first column
 * @param perNs columns per ns
 * @param count number of columns
 */
export function resample(sources: readonly Source[], from: RelNs, perNs: number, count: number): Columns {
  const busy = new Float64Array(count);
  const wait = new Float64Array(count);
  const peak = new Float64Array(count);
  for (const { items, span } of sources) {
    for (let i = firstEndingAfter(items, span.from); i < items.length; i += 1) {
      const t0 = items.t0[i] ?? 0;
      if (t0 >= span.to) break;
      const x0 = Math.max(0, (Math.max(t0, span.from) - from) * perNs);
      const x1 = Math.min(count, (Math.min(items.t1[i] ?? 0, span.to) - from) * perNs);
      const itemBusy = items.busy[i] ?? 0;
      const itemWait = items.wait[i] ?? 0;
      const itemPeak = items.waitMax[i] ?? 0;
      for (let x = Math.floor(x0); x < x1; x += 1) {
        const part = Math.min(x1, x + 1) - Math.max(x0, x);
        busy[x] = (busy[x] ?? 0) + part * itemBusy;
        wait[x] = (wait[x] ?? 0) + part * itemWait;
        if (itemPeak > (peak[x] ?? 0)) peak[x] = itemPeak;
      }
    }
  }
  return { busy, wait, peak };
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
