/** Moves of a window: pure arithmetic on spans. Bounds are the whole trace. */

import { type RelNs, type Span, spanLength } from "./time.ts";

/** No window is narrower: at 20 ns across a screen one pixel is far below the clock's grain. */
export const MIN_SPAN_NS = 20;
/** Distance that a view may extend past either end, as a share of the window: the end should be visible as an end. */
const OVERSCROLL = 0.02;

/** The nearest window of allowed length and place. */
export function clampSpan(span: Span, bounds: Span): Span {
  const whole = Math.max(MIN_SPAN_NS, spanLength(bounds));
  const max = whole * (1 + 2 * OVERSCROLL) + 2;
  const length = Math.min(Math.max(spanLength(span), MIN_SPAN_NS), max);
  // One ns of grace: a window that was rounded for a link must come back as it was written.
  const margin = length * OVERSCROLL + 1;
  const centre = (span.from + span.to) / 2;
  let from = spanLength(span) === length ? span.from : centre - length / 2;
  from = Math.min(from, bounds.from + whole + margin - length);
  from = Math.max(from, bounds.from - margin);
  return { from, to: from + length };
}

/** Zooms by `factor` (> 1 is in) so that the time `at` keeps its place on the screen. */
export function zoomAt(span: Span, at: RelNs, factor: number, bounds: Span): Span {
  const whole = spanLength(bounds) * (1 + 2 * OVERSCROLL);
  const length = Math.min(Math.max(spanLength(span) / factor, MIN_SPAN_NS), Math.max(whole, MIN_SPAN_NS));
  const share = (at - span.from) / spanLength(span);
  const from = at - share * length;
  return clampSpan({ from, to: from + length }, bounds);
}

/** Moves by a share of the window's length; positive is later. */
export function panBy(span: Span, share: number, bounds: Span): Span {
  const delta = spanLength(span) * share;
  return clampSpan({ from: span.from + delta, to: span.to + delta }, bounds);
}

/** A window around `target` with some space on both sides, inside the bounds. */
export function fitSpan(target: Span, bounds: Span, air = 0.15): Span {
  const room = Math.max(spanLength(target), MIN_SPAN_NS / 2) * air;
  const from = Math.min(target.from, Math.max(target.from - room, bounds.from));
  const to = Math.max(target.to, Math.min(target.to + room, bounds.to));
  return clampSpan({ from, to }, bounds);
}

/** The same length, moved just far enough that `target` is inside; unchanged when it already is. */
export function revealSpan(span: Span, target: Span, bounds: Span): Span {
  const length = spanLength(span);
  const air = length * 0.1;
  if (target.from >= span.from && target.to <= span.to) return span;
  if (spanLength(target) > length * 0.8) return fitSpan(target, bounds);
  const from = target.from < span.from ? target.from - air : target.to + air - length;
  return clampSpan({ from, to: from + length }, bounds);
}

/** One step of a move from one window to another; lengths change geometrically so that zooming feels even. */
export function mixSpan(a: Span, b: Span, t: number): Span {
  if (t <= 0) return a;
  if (t >= 1) return b;
  const la = spanLength(a);
  const lb = spanLength(b);
  const ratio = lb / la;
  if (Math.abs(ratio - 1) < 1e-6) {
    return { from: a.from + (b.from - a.from) * t, to: a.to + (b.to - a.to) * t };
  }
  const length = la * ratio ** t;
  // The share of the way that keeps one point of time still during a pure zoom.
  const s = (length - la) / (lb - la);
  const from = a.from + (b.from - a.from) * s;
  return { from, to: from + length };
}
