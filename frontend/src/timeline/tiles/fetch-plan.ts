/** Which window and resolution to ask the engine for, so that answers are few and can be used again. */

import { type Span, spanLength } from "../../lib/time.ts";

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
