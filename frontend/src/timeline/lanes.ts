/** Position of each lane of each panel, in CSS pixels from the top of the lane area. */

import { bisector } from "d3-array";
import type { PanelId } from "./arrangement.ts";

export interface NodeInfo {
  readonly nid: number;
  readonly cpus: readonly number[];
  /** CPUs below each last-level cache, for a node with more than one. */
  readonly llcs?: readonly (readonly number[])[];
}

/** Kind of the line above a panel's lanes that names and folds it. */
export const HEADING = "section";

export interface LaneSpec {
  /** As the timeline query names it: `node:0`, `cpu:3`; of other panels what they name it: `psi:cpu`, `cling:2`. */
  readonly key: string;
  /** Identifies lanes of one panel. */
  readonly kind: string;
  /** Name on its pin and in the palette; a lane without one cannot be pinned. */
  readonly title?: string;
  /** Heights that can be read and that are not wasted, CSS pixels. */
  readonly min: number;
  readonly max: number;
  /** Space below it. */
  readonly gap?: number;
  readonly nid?: number;
  readonly cpu?: number;
  readonly resource?: string;
  readonly open?: boolean;
}

export interface LaneBox {
  readonly panel: PanelId;
  /** Of a heading the panel's id. */
  readonly key: string;
  readonly kind: string;
  /** null: it cannot be pinned. */
  readonly title: string | null;
  /** -1 for lanes of the whole system. */
  readonly nid: number;
  /** The CPU number, -1 for all other lanes. */
  readonly cpu: number;
  /** Subject of a lane of another panel, empty for nodes and CPUs. */
  readonly resource: string;
  readonly y: number;
  readonly height: number;
  /** A node lane whose CPUs are shown, a heading whose lanes are. */
  readonly open: boolean;
}

/** A panel as it is to be laid out. */
export interface PanelSpec {
  readonly id: PanelId;
  readonly collapsed: boolean;
  readonly factor: number;
  readonly lanes: readonly LaneSpec[];
}

export interface PanelBox {
  readonly id: PanelId;
  readonly y: number;
  /** With the line that names it. */
  readonly height: number;
  readonly collapsed: boolean;
}

export interface LaneLayout {
  readonly boxes: readonly LaneBox[];
  readonly panels: readonly PanelBox[];
  readonly height: number;
  /** Lanes that stay at the top of what is seen while the others scroll, counted from there; first of them the upper. */
  readonly pinned: readonly LaneBox[];
}

export const SECTION = 26;
/** Below pinned lanes. */
const PIN_LINE = 3;
/** No factor makes a lane lower than this. */
const LEAST = 14;

/**
 * Stacks panels, each a line with its name and, unless folded, its lanes. Heights grow to use a tall window and never
 * shrink below what can be read, times the panel's factor; a taller stack scrolls.
 * @param available visible height in CSS pixels
 */
export function layoutPanels(
  panels: readonly PanelSpec[],
  available: number,
  pinned: readonly LaneBox[] = [],
): LaneLayout {
  const above = pinnedHeight({ pinned });
  let least = above;
  let growth = 0;
  for (const { collapsed, factor, lanes } of panels) {
    least += SECTION;
    for (const { min, max, gap } of collapsed ? [] : lanes) {
      least += heightAt(min, max, factor, 0) + (gap ?? 0);
      growth += Math.max(0, max - min) * factor;
    }
  }
  const share = growth > 0 ? Math.min(1, Math.max(0, available - least) / growth) : 0;

  const boxes: LaneBox[] = [];
  const placed: PanelBox[] = [];
  let y = above;
  for (const { id, collapsed, factor, lanes } of panels) {
    const top = y;
    const none = { title: null, nid: -1, cpu: -1, resource: "" };
    boxes.push({ panel: id, key: id, kind: HEADING, ...none, y, height: SECTION, open: !collapsed });
    y += SECTION;
    for (const lane of collapsed ? [] : lanes) {
      const height = heightAt(lane.min, lane.max, factor, share);
      boxes.push(boxOf(id, lane, y, height));
      y += height + (lane.gap ?? 0);
    }
    placed.push({ id, y: top, height: y - top, collapsed });
  }
  return { boxes, panels: placed, height: y, pinned };
}

export function boxOf(panel: PanelId, lane: LaneSpec, y: number, height: number): LaneBox {
  const { key, kind, title = null, nid = -1, cpu = -1, resource = "", open = false } = lane;
  return { panel, key, kind, title, nid, cpu, resource, y, height, open };
}

/** Room that pinned lanes take from the top of what is seen. */
export function pinnedHeight({ pinned }: Pick<LaneLayout, "pinned">): number {
  const last = pinned.at(-1);
  return last ? last.y + last.height + PIN_LINE : 0;
}

function heightAt(min: number, max: number, factor: number, share: number): number {
  return Math.max(LEAST, Math.floor((min + share * Math.max(0, max - min)) * factor));
}

/** The first of boxes below each other whose end is below a height. */
const firstBelow = bisector((box: Pick<LaneBox, "y" | "height">) => box.y + box.height).right;

/** The lane at a height, or null between lanes. */
export function laneAt(layout: LaneLayout, y: number): LaneBox | null {
  const box = layout.boxes[firstBelow(layout.boxes, y)];
  return box && box.y <= y ? box : null;
}

/** Lanes that a viewport shows at least partly. */
export function visibleLanes(layout: LaneLayout, top: number, height: number): readonly LaneBox[] {
  const { boxes } = layout;
  const first = firstBelow(boxes, top);
  let end = first;
  while (end < boxes.length && (boxes[end]?.y ?? 0) < top + height) end += 1;
  return boxes.slice(first, end);
}

/** Before which panel one goes that is let go at a height; null for behind the last. */
export function dropPlace(layout: LaneLayout, y: number): PanelId | null {
  return layout.panels.find((panel) => y < panel.y + panel.height / 2)?.id ?? null;
}

// Lanes that stay at the top while the others scroll: which, in a link, and how much room they may take.

/** More would leave nothing to scroll. */
export const MOST_PINS = 12;
/** Of the height that is seen. */
const MOST_SHARE = 0.6;

/** Names of lanes in the order in which they were pinned; invalid ones are left out. */
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
