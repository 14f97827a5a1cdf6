/** Windows of a view as spans of the stage, and back. */

import type { AbsWindow } from "../../lib/ranges.ts";
import { type Span, toAbs, toRel } from "../../lib/time.ts";
import { clampSpan } from "../../lib/viewport.ts";
import type { Scene } from "../scene.ts";

/** In whole ns, and never empty. */
export function windowOf(span: Span, { origin }: Scene): AbsWindow {
  const from = toAbs(origin, span.from);
  const to = toAbs(origin, span.to);
  return { from, to: to > from ? to : from + 1n };
}

export function spanOf(window: AbsWindow | null, { origin, bounds, common }: Scene): Span {
  const wanted = window ? { from: toRel(origin, window.from), to: toRel(origin, window.to) } : common;
  return clampSpan(wanted, bounds);
}
