/** Where each lane of each panel stands, in CSS pixels from the top of the lane area. */

import type { PanelId } from "./panels.ts";

export interface NodeInfo {
  readonly nid: number;
  readonly cpus: readonly number[];
}

/** `section` is the line above a panel's lanes that names and folds it. */
export type LaneKind = "section" | "node" | "cpu" | "cling" | "pressure" | "kicks" | "rate" | "query";

/** A lane as its panel wants it. */
export interface LaneSpec {
  /** As the timeline query names it: `node:0`, `cpu:3`; of other panels what they name it: `psi:cpu`, `cling:2`. */
  readonly key: string;
  readonly kind: LaneKind;
  /** Heights that can be read and that are not wasted, CSS pixels. */
  readonly min: number;
  readonly max: number;
  /** Air below it. */
  readonly gap?: number;
  readonly nid?: number;
  readonly cpu?: number;
  readonly resource?: string;
  readonly open?: boolean;
}

export interface LaneBox {
  readonly panel: PanelId;
  /** Of a `section` the panel's id. */
  readonly key: string;
  readonly kind: LaneKind;
  /** -1 for lanes of the whole system. */
  readonly nid: number;
  /** The CPU number, -1 for all other lanes. */
  readonly cpu: number;
  /** What a lane of another panel is about, empty for nodes and CPUs. */
  readonly resource: string;
  readonly y: number;
  readonly height: number;
  /** A node lane whose CPUs are shown, a section whose lanes are. */
  readonly open: boolean;
}

/** A panel as it is to be laid out. */
export interface PanelSpec {
  readonly id: PanelId;
  readonly folded: boolean;
  readonly factor: number;
  readonly lanes: readonly LaneSpec[];
}

export interface PanelBox {
  readonly id: PanelId;
  readonly y: number;
  /** With the line that names it. */
  readonly height: number;
  readonly folded: boolean;
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
const NODE_MIN = 84;
const NODE_MAX = 200;
const CPU_MIN = 26;
const CPU_MAX = 52;
/** Air under a node and its CPUs. */
const GROUP_GAP = 10;
/** No factor makes a lane lower than this. */
const LEAST = 14;

/** With this many CPUs or fewer all of them fit one screen, and the page opens with all of them shown. */
export const OPEN_ALL_UP_TO = 16;

export function defaultOpen(nodes: readonly NodeInfo[]): number[] {
  const cpus = nodes.reduce((sum, node) => sum + node.cpus.length, 0);
  return cpus <= OPEN_ALL_UP_TO ? nodes.map((node) => node.nid) : [];
}

/** A CPU's lane by itself, also while its node's CPUs are not shown. */
export function cpuLane(nodes: readonly NodeInfo[], cpu: number): LaneSpec | null {
  const node = nodes.find(({ cpus }) => cpus.includes(cpu));
  return node ? { key: `cpu:${cpu}`, kind: "cpu", nid: node.nid, cpu, min: CPU_MIN, max: CPU_MAX } : null;
}

/** Nodes in the order given, each followed by its CPUs when open. */
export function nodeLanes(nodes: readonly NodeInfo[], open: ReadonlySet<number>): LaneSpec[] {
  const lanes: LaneSpec[] = [];
  for (const { nid, cpus } of nodes) {
    const shown = open.has(nid) ? cpus : [];
    const gap = (last: boolean) => (last ? { gap: GROUP_GAP } : {});
    const heights = { min: NODE_MIN, max: NODE_MAX };
    lanes.push({
      key: `node:${nid}`,
      kind: "node",
      nid,
      ...heights,
      open: open.has(nid),
      ...gap(shown.length === 0),
    });
    for (const [i, cpu] of shown.entries()) {
      const last = i === shown.length - 1;
      lanes.push({ key: `cpu:${cpu}`, kind: "cpu", nid, cpu, min: CPU_MIN, max: CPU_MAX, ...gap(last) });
    }
  }
  return lanes;
}

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
  for (const { folded, factor, lanes } of panels) {
    least += SECTION;
    for (const { min, max, gap } of folded ? [] : lanes) {
      least += heightAt(min, max, factor, 0) + (gap ?? 0);
      growth += Math.max(0, max - min) * factor;
    }
  }
  const share = growth > 0 ? Math.min(1, Math.max(0, available - least) / growth) : 0;

  const boxes: LaneBox[] = [];
  const placed: PanelBox[] = [];
  let y = above;
  for (const { id, folded, factor, lanes } of panels) {
    const top = y;
    const none = { nid: -1, cpu: -1, resource: "" };
    boxes.push({ panel: id, key: id, kind: "section", ...none, y, height: SECTION, open: !folded });
    y += SECTION;
    for (const { key, kind, min, max, gap = 0, nid = -1, cpu = -1, resource = "", open = false } of folded
      ? []
      : lanes) {
      const height = heightAt(min, max, factor, share);
      boxes.push({ panel: id, key, kind, nid, cpu, resource, y, height, open });
      y += height + gap;
    }
    placed.push({ id, y: top, height: y - top, folded });
  }
  return { boxes, panels: placed, height: y, pinned };
}

/** Room that pinned lanes take from the top of what is seen. */
export function pinnedHeight({ pinned }: Pick<LaneLayout, "pinned">): number {
  const last = pinned.at(-1);
  return last ? last.y + last.height + PIN_LINE : 0;
}

function heightAt(min: number, max: number, factor: number, share: number): number {
  return Math.max(LEAST, Math.floor((min + share * Math.max(0, max - min)) * factor));
}

/** Lanes that the timeline query knows. */
export function isEventLane({ kind }: LaneBox): boolean {
  return kind === "node" || kind === "cpu";
}

/** The first of boxes that stand below each other whose end is below a height. */
function firstBelow(boxes: readonly { readonly y: number; readonly height: number }[], y: number): number {
  let low = 0;
  let high = boxes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const box = boxes[middle];
    if (box && box.y + box.height > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The lane at a height, or null in the air between lanes. */
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
