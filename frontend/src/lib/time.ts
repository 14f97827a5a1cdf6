/**
 * Times on two scales.
 *
 * Absolute times are ns of the trace's own clock. They can exceed 2^53 (a TSC or wall clock), so they are
 * BigInt. Everything that is drawn is relative to the analysis' origin, in float64 ns: exact to the ns for
 * the first 104 days after the origin.
 */

/** ns since the analysis' origin; may carry a fraction while the view is moving. */
export type RelNs = number;
/** ns of the trace clock. */
export type AbsNs = bigint;

/** A half-open interval of relative time, `to > from`. */
export interface Span {
  readonly from: RelNs;
  readonly to: RelNs;
}

export function toAbs(origin: AbsNs, rel: RelNs): AbsNs {
  return origin + BigInt(Math.round(rel));
}

export function toRel(origin: AbsNs, abs: AbsNs): RelNs {
  return Number(abs - origin);
}

const DECIMAL = /^-?\d{1,20}$/;

/** Reads a decimal ns count; null for other text, so that a hand-typed link cannot break the page. */
export function parseNs(text: string): AbsNs | null {
  return DECIMAL.test(text) ? BigInt(text) : null;
}

/** Digits of the service; 0 for other text. */
export function nsOf(text: string): AbsNs {
  return parseNs(text) ?? 0n;
}

export function spanLength(span: Span): number {
  return span.to - span.from;
}

export function overlaps(a: Span, b: Span): boolean {
  return a.from < b.to && b.from < a.to;
}
