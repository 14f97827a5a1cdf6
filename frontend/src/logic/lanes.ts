/** Where each lane stands, in CSS pixels from the top of the lane area. */

export interface NodeInfo {
  readonly nid: number;
  readonly cpus: readonly number[];
}

export interface LaneBox {
  /** As the timeline query names it: `node:0`, `cpu:3`. */
  readonly key: string;
  readonly kind: "node" | "cpu";
  readonly nid: number;
  /** The CPU number, -1 for a node's own lane. */
  readonly cpu: number;
  readonly y: number;
  readonly height: number;
  /** A node lane whose CPUs are shown. */
  readonly open: boolean;
}

export interface LaneLayout {
  readonly boxes: readonly LaneBox[];
  readonly height: number;
}

const NODE_MIN = 68;
const NODE_MAX = 200;
const CPU_MIN = 26;
const CPU_MAX = 52;
/** Air under a node and its CPUs. */
const GROUP_GAP = 10;

/** With this many CPUs or fewer all of them fit one screen, and the page opens with all of them shown. */
export const OPEN_ALL_UP_TO = 16;

export function defaultOpen(nodes: readonly NodeInfo[]): number[] {
  const cpus = nodes.reduce((sum, node) => sum + node.cpus.length, 0);
  return cpus <= OPEN_ALL_UP_TO ? nodes.map((node) => node.nid) : [];
}

/**
 * Stacks nodes in the order given, each followed by its CPUs when open. Heights grow to use a tall window
 * and never shrink below what can be read; a taller stack scrolls.
 * @param available visible height in CSS pixels
 */
export function layoutLanes(
  nodes: readonly NodeInfo[],
  open: ReadonlySet<number>,
  available: number,
): LaneLayout {
  const cpuCount = nodes.reduce((sum, node) => sum + (open.has(node.nid) ? node.cpus.length : 0), 0);
  const fixed = nodes.length * GROUP_GAP;
  const least = fixed + nodes.length * NODE_MIN + cpuCount * CPU_MIN;
  const spare = Math.max(0, available - least);
  const growth = nodes.length * (NODE_MAX - NODE_MIN) + cpuCount * (CPU_MAX - CPU_MIN);
  const share = growth > 0 ? Math.min(1, spare / growth) : 0;
  const nodeHeight = Math.floor(NODE_MIN + share * (NODE_MAX - NODE_MIN));
  const cpuHeight = Math.floor(CPU_MIN + share * (CPU_MAX - CPU_MIN));

  const boxes: LaneBox[] = [];
  let y = 0;
  for (const { nid, cpus } of nodes) {
    const isOpen = open.has(nid);
    boxes.push({ key: `node:${nid}`, kind: "node", nid, cpu: -1, y, height: nodeHeight, open: isOpen });
    y += nodeHeight;
    if (isOpen) {
      for (const cpu of cpus) {
        boxes.push({ key: `cpu:${cpu}`, kind: "cpu", nid, cpu, y, height: cpuHeight, open: false });
        y += cpuHeight;
      }
    }
    y += GROUP_GAP;
  }
  return { boxes, height: y };
}

/** The lane at a height, or null in the air between lanes. */
export function laneAt(layout: LaneLayout, y: number): LaneBox | null {
  let low = 0;
  let high = layout.boxes.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const box = layout.boxes[middle];
    if (!box) return null;
    if (y < box.y) high = middle - 1;
    else if (y >= box.y + box.height) low = middle + 1;
    else return box;
  }
  return null;
}

/** Lanes that a viewport shows at least partly. */
export function visibleLanes(layout: LaneLayout, top: number, height: number): LaneBox[] {
  return layout.boxes.filter((box) => box.y < top + height && box.y + box.height > top);
}
