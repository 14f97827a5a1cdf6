/** Lanes that stay at the top while the others scroll: which, in a link, and how much room they may take. */

import type { PanelId } from "./arrangement.ts";
import { boxOf, type LaneBox, type LaneSpec } from "./lanes.ts";

/** More would leave nothing to scroll. */
export const MOST_PINS = 6;
/** Of the height that is seen. */
const MOST_SHARE = 0.6;

/** As lanes are called, in the order in which they were pinned; what is no name of a lane is left out. */
export function parsePins(text: string | undefined): readonly string[] {
  const keys = (text ?? "").slice(0, 1024).split(",");
  return [...new Set(keys.filter((key) => /^[a-z]{1,16}:[a-z0-9]{1,16}$/.test(key)))].slice(0, MOST_PINS);
}

/** Pins a lane below the others that are, or lets it go. With as many as there may be the oldest makes room. */
export function togglePin(pins: readonly string[], key: string): readonly string[] {
  if (pins.includes(key)) return pins.filter((each) => each !== key);
  return [...pins, key].slice(-MOST_PINS);
}

export interface PinnedLane {
  readonly panel: PanelId;
  readonly spec: LaneSpec;
}

/**
 * Pinned lanes from the top down, as high as they can still be read. Those that do not fit stay where they were.
 * @param available visible height, CSS pixels
 */
export function layoutPins(lanes: readonly PinnedLane[], available: number): readonly LaneBox[] {
  const boxes: LaneBox[] = [];
  let y = 0;
  for (const { panel, spec } of lanes) {
    if (y + spec.min > available * MOST_SHARE) break;
    boxes.push(boxOf(panel, spec, y, spec.min));
    y += spec.min;
  }
  return boxes;
}
