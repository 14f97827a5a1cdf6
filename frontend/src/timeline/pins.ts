/** Lanes that stay at the top while the others scroll: which, in a link, and how much room they may take. */

import type { LaneBox, LaneKind, LaneSpec } from "./lanes.ts";
import type { PanelId } from "./panels.ts";

/** More would leave nothing to scroll. */
export const MOST_PINS = 6;
/** Of the height that is seen. */
const MOST_SHARE = 0.6;

const KINDS: ReadonlySet<LaneKind> = new Set(["node", "cpu", "cling", "pressure", "query"]);

export function canPin(kind: LaneKind): boolean {
  return KINDS.has(kind);
}

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
    const { key, kind, min, nid = -1, cpu = -1, resource = "", open = false } = spec;
    if (y + min > available * MOST_SHARE) break;
    boxes.push({ panel, key, kind, nid, cpu, resource, y, height: min, open });
    y += min;
  }
  return boxes;
}

/** What a lane is called on its button and in the palette. */
export function laneTitle({
  kind,
  nid,
  cpu,
  resource,
}: Pick<LaneBox, "kind" | "nid" | "cpu" | "resource">): string {
  if (kind === "node") return `node ${nid}`;
  if (kind === "cpu") return `cpu ${cpu}`;
  if (kind === "query") return `lane ${Number(resource) + 1} of the query`;
  return kind === "pressure" ? `${resource} pressure` : `numa group ${resource}`;
}
