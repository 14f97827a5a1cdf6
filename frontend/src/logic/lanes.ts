/** Where each lane stands, in CSS pixels from the top of the lane area. */

export interface NodeInfo {
  readonly nid: number;
  readonly cpus: readonly number[];
}

export interface LaneBox {
  /** As the timeline query names it: `node:0`, `cpu:3`; of pressure, which no timeline query tells: `psi`, `psi:cpu`. */
  readonly key: string;
  /** `section` is the line above the pressure lanes that folds them. */
  readonly kind: "node" | "cpu" | "section" | "pressure";
  /** -1 for lanes of the whole system. */
  readonly nid: number;
  /** The CPU number, -1 for all other lanes. */
  readonly cpu: number;
  /** What a pressure lane is about, empty for all others. */
  readonly resource: string;
  readonly y: number;
  readonly height: number;
  /** A node lane whose CPUs are shown, a section whose lanes are. */
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
const SECTION = 26;
const PRESSURE_MIN = 34;
const PRESSURE_MAX = 64;
/** Air under a node and its CPUs. */
const GROUP_GAP = 10;

/** With this many CPUs or fewer all of them fit one screen, and the page opens with all of them shown. */
export const OPEN_ALL_UP_TO = 16;

export function defaultOpen(nodes: readonly NodeInfo[]): number[] {
  const cpus = nodes.reduce((sum, node) => sum + node.cpus.length, 0);
  return cpus <= OPEN_ALL_UP_TO ? nodes.map((node) => node.nid) : [];
}

/** Which pressure lanes there are, in order; without any the section is a line with a sentence. */
export interface PressureLanes {
  readonly open: boolean;
  readonly resources: readonly string[];
}

export const NO_PRESSURE: PressureLanes = { open: false, resources: [] };

/**
 * Stacks nodes in the order given, each followed by its CPUs when open, and pressure below. Heights grow to use a
 * tall window and never shrink below what can be read; a taller stack scrolls.
 * @param available visible height in CSS pixels
 */
export function layoutLanes(
  nodes: readonly NodeInfo[],
  open: ReadonlySet<number>,
  available: number,
  pressure: PressureLanes = NO_PRESSURE,
): LaneLayout {
  const cpuCount = nodes.reduce((sum, node) => sum + (open.has(node.nid) ? node.cpus.length : 0), 0);
  const resources = pressure.open ? pressure.resources : [];
  const fixed = nodes.length * GROUP_GAP + SECTION;
  const least = fixed + nodes.length * NODE_MIN + cpuCount * CPU_MIN + resources.length * PRESSURE_MIN;
  const spare = Math.max(0, available - least);
  const growth =
    nodes.length * (NODE_MAX - NODE_MIN) +
    cpuCount * (CPU_MAX - CPU_MIN) +
    resources.length * (PRESSURE_MAX - PRESSURE_MIN);
  const share = growth > 0 ? Math.min(1, spare / growth) : 0;
  const grown = (min: number, max: number) => Math.floor(min + share * (max - min));
  const nodeHeight = grown(NODE_MIN, NODE_MAX);
  const cpuHeight = grown(CPU_MIN, CPU_MAX);
  const pressureHeight = grown(PRESSURE_MIN, PRESSURE_MAX);

  const boxes: LaneBox[] = [];
  let y = 0;
  const add = (box: Pick<LaneBox, "key" | "kind" | "height"> & Partial<LaneBox>) => {
    boxes.push({ nid: -1, cpu: -1, resource: "", open: false, ...box, y });
    y += box.height;
  };
  for (const { nid, cpus } of nodes) {
    const isOpen = open.has(nid);
    add({ key: `node:${nid}`, kind: "node", nid, height: nodeHeight, open: isOpen });
    for (const cpu of isOpen ? cpus : []) {
      add({ key: `cpu:${cpu}`, kind: "cpu", nid, cpu, height: cpuHeight });
    }
    y += GROUP_GAP;
  }
  add({ key: "psi", kind: "section", height: SECTION, open: pressure.open });
  for (const resource of resources) {
    add({ key: `psi:${resource}`, kind: "pressure", resource, height: pressureHeight });
  }
  return { boxes, height: y };
}

/** Lanes that the timeline query knows. */
export function isEventLane({ kind }: LaneBox): boolean {
  return kind === "node" || kind === "cpu";
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
