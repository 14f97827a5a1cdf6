/** What is under the pointer. */

import type { TimelineSource } from "../data/timeline-source.ts";
import { hitLane, type LaneHit } from "../logic/describe.ts";
import { type LaneBox, type LaneLayout, laneAt } from "../logic/lanes.ts";
import { coverWith, type Tile } from "../logic/tiles.ts";
import { type RelNs, type Span, spanLength } from "../logic/time.ts";

export interface Probed {
  readonly box: LaneBox;
  readonly tile: Tile;
  readonly hit: LaneHit;
}

export interface ProbePlace {
  readonly layout: LaneLayout;
  readonly view: Span;
  readonly bounds: Span;
  /** CSS pixels. */
  readonly width: number;
  readonly scrollTop: number;
}

/** Slices thinner than the pointer's tip are still meant, CSS pixels. */
const REACH_PX = 3;

export function timeAt(x: number, view: Span, width: number): RelNs {
  return view.from + (x / width) * spanLength(view);
}

/** The item at a point of the plot; null between lanes, outside the trace and where nothing is loaded. */
export function probe(source: TimelineSource, place: ProbePlace, x: number, y: number): Probed | null {
  const { layout, view, bounds, width, scrollTop } = place;
  const box = laneAt(layout, y + scrollTop);
  if (!box) return null;
  const at = timeAt(x, view, width);
  if (at < bounds.from || at > bounds.to) return null;
  const perPixel = spanLength(view) / width;
  const pieces = coverWith(source.tiles(box.key), view, perPixel);
  const piece = pieces.find(({ span }) => at >= span.from && at < span.to);
  if (!piece) return null;
  const hit = hitLane(box, piece.tile, at, perPixel * REACH_PX);
  return hit ? { box, tile: piece.tile, hit } : null;
}
