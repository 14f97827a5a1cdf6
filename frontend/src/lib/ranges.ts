/**
 * Committed ranges: each lies inside the one before, and the innermost bounds all moves and requests. The first is
 * inside the whole recording, which is not a range itself.
 */

import { type AbsNs, parseNs, type Span, spanLength } from "./time.ts";
import { MIN_SPAN_NS } from "./viewport.ts";

export interface AbsWindow {
  readonly from: AbsNs;
  readonly to: AbsNs;
}

/** Deeper nesting is never needed, and every range lengthens the link. */
const MOST_RANGES = 8;
/** A window that is nearly all of what there is already would be a step to nowhere. */
const NARROWER = 0.98;

/** With the window as the innermost range; null when it is hardly narrower than what bounds it, or there are too many. */
export function commitRange(ranges: readonly Span[], window: Span, whole: Span): readonly Span[] | null {
  const bounds = ranges.at(-1) ?? whole;
  const from = Math.ceil(Math.max(window.from, bounds.from));
  const to = Math.floor(Math.min(window.to, bounds.to));
  if (ranges.length >= MOST_RANGES || to - from < MIN_SPAN_NS) return null;
  if (to - from > spanLength(bounds) * NARROWER) return null;
  return [...ranges, { from, to }];
}

/** Ranges that contain an interval: going elsewhere leaves the others. */
export function around(ranges: readonly Span[], { from, to }: Span): readonly Span[] {
  const left = ranges.findIndex((range) => from < range.from || to > range.to);
  return left < 0 ? ranges : ranges.slice(0, left);
}

/** The ranges up to the first that is empty or reaches beyond the one before. */
export function nested<T extends { readonly from: number | bigint; readonly to: number | bigint }>(
  ranges: readonly T[],
): readonly T[] {
  const kept: T[] = [];
  for (const range of ranges.slice(0, MOST_RANGES)) {
    const outer = kept.at(-1);
    if (range.from >= range.to || (outer && (range.from < outer.from || range.to > outer.to))) break;
    kept.push(range);
  }
  return kept;
}

export function formatWindow({ from, to }: AbsWindow): string {
  return `${from}~${to}`;
}

/** `from~to`; null for other text, or an empty window. */
export function parseWindow(text: string | undefined): AbsWindow | null {
  const [fromText, toText, extra] = (text ?? "").split("~");
  if (fromText === undefined || toText === undefined || extra !== undefined) return null;
  const from = parseNs(fromText);
  const to = parseNs(toText);
  return from !== null && to !== null && from < to ? { from, to } : null;
}

/** `from~to,from~to`, the outermost first. */
export function encodeRanges(ranges: readonly AbsWindow[]): string {
  return ranges.map(formatWindow).join(",");
}

export function parseRanges(text: string | undefined): readonly AbsWindow[] {
  const found: AbsWindow[] = [];
  for (const part of (text ?? "").split(",")) {
    const [fromText = "", toText = "", extra] = part.split("~");
    const from = parseNs(fromText);
    const to = parseNs(toText);
    if (from === null || to === null || extra !== undefined) break;
    found.push({ from, to });
  }
  return nested(found);
}

/** Ascending, each once; null for text other than a list, and for an empty one. */
export function parseNumbers(text: string | undefined): readonly number[] | null {
  if (text === undefined) return null;
  if (text === "") return [];
  const numbers = text.split(",");
  if (!numbers.every((number) => /^\d{1,5}$/.test(number))) return null;
  return [...new Set(numbers.map(Number))].sort((a, b) => a - b);
}

export function formatNumbers(numbers: readonly number[] | null): string | null {
  return numbers && [...numbers].sort((a, b) => a - b).join(",");
}
