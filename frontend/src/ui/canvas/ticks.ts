/** Ticks of the time axis: round numbers of the trace clock, not of the distance from the origin. */

import { formatAbs } from "../../lib/format.ts";
import { type AbsNs, type RelNs, type Span, spanLength } from "../../lib/time.ts";

export interface Ticks {
  /** Positions, ascending, inside the span. */
  readonly at: readonly RelNs[];
  /** Distance of two ticks in ns, 1, 2 or 5 times a power of ten. */
  readonly step: number;
  /** Digits after the point of a second that tell two neighbours apart. */
  readonly decimals: number;
}

/** The smallest step of 1, 2, 5 × 10^k ns (at least 1 ns) that makes at most `count` intervals. */
export function tickStep(length: number, count: number): number {
  const raw = Math.max(1, length / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5]) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

export function timeTicks(origin: AbsNs, span: Span, count: number): Ticks {
  const step = tickStep(spanLength(span), count);
  const stepBig = BigInt(Math.round(step));
  const from = origin + BigInt(Math.ceil(span.from));
  const rest = from % stepBig;
  let tick = rest === 0n ? from : from - rest + (from > 0n ? stepBig : 0n);
  const at: RelNs[] = [];
  for (let guard = 0; guard < 1000; guard += 1) {
    const rel = Number(tick - origin);
    if (rel > span.to) break;
    at.push(rel);
    tick += stepBig;
  }
  const decimals = Math.min(9, Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9)));
  return { at, step, decimals };
}

export function tickLabel(origin: AbsNs, rel: RelNs, ticks: Ticks): string {
  return formatAbs(origin + BigInt(Math.round(rel)), ticks.decimals);
}
