/** The lanes of nodes, and of their CPUs where they are open. */

import type { LaneSpec, NodeInfo } from "../../timeline/lanes.ts";

const NODE_MIN = 84;
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

/** A CPU's lane by itself, also while its node's CPUs are not shown. */
export function cpuLane(nodes: readonly NodeInfo[], cpu: number): LaneSpec | null {
  const node = nodes.find(({ cpus }) => cpus.includes(cpu));
  return node
    ? { key: `cpu:${cpu}`, kind: "cpu", title: `cpu ${cpu}`, nid: node.nid, cpu, min: CPU_MIN, max: CPU_MAX }
    : null;
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
      title: `node ${nid}`,
      nid,
      ...heights,
      open: open.has(nid),
      ...gap(shown.length === 0),
    });
    for (const [i, cpu] of shown.entries()) {
      const last = i === shown.length - 1;
      lanes.push({
        key: `cpu:${cpu}`,
        kind: "cpu",
        title: `cpu ${cpu}`,
        nid,
        cpu,
        min: CPU_MIN,
        max: CPU_MAX,
        ...gap(last),
      });
    }
  }
  return lanes;
}
