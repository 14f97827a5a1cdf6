/**
 * A node's lane: two strips on one time axis. Above, runnable tasks that wait (red: it is cost), the mean solid in
 * front of the faint peak. Below, the share of the node's CPUs that are busy, in its colour.
 */

import { formatCount } from "../../../../lib/format.ts";
import type { LaneCanvas } from "../../../../timeline/draw/strips.ts";
import { paintArea, paintColumns, paintGaps, paintScale } from "../../../../timeline/draw/strips.ts";
import type { LaneSpec, NodeInfo } from "../../../../timeline/lanes.ts";
import type { Piece } from "../../../../timeline/tiles/tiles.ts";
import { resample, spareColumns } from "../../../../timeline/tiles/window-source.ts";

export interface NodeStrips {
  readonly waitTop: number;
  readonly waitHeight: number;
  readonly busyTop: number;
  readonly busyHeight: number;
  /** Middle of the row of marks below. */
  readonly markY: number;
}

/** Height of the row of marks, CSS pixels. */
const MARKS = 14;

/** Positions of the strips inside a lane of this height. */
export function nodeStrips(height: number): NodeStrips {
  const pad = 3;
  const inner = height - 2 * pad - MARKS;
  const waitHeight = Math.round(inner * 0.44);
  const busyTop = pad + waitHeight + 2;
  const busyHeight = height - pad - MARKS - busyTop;
  return { waitTop: pad, waitHeight, busyTop, busyHeight, markY: busyTop + busyHeight + MARKS / 2 + 1 };
}

/** @param waitScale waiting tasks at the strip's full height, one for all nodes so that they compare */
export function paintNodeLane(
  lane: LaneCanvas,
  pieces: readonly Piece[],
  colour: string,
  waitScale: number,
): void {
  const { ctx, scale, box, ink } = lane;
  const { palette } = ink;
  const strips = nodeStrips(box.height);
  const waitBase = box.y + strips.waitTop + strips.waitHeight;
  const busyBase = box.y + strips.busyTop + strips.busyHeight;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + strips.waitTop, box.width, strips.waitHeight);
  ctx.fillRect(0, box.y + strips.busyTop, box.width, strips.busyHeight);

  const count = Math.round(box.width * box.ratio);
  const sources = pieces.map(({ tile, span }) => ({ items: tile.bars, span }));
  const { busy, wait, peak } = resample(
    sources,
    scale.from,
    scale.perNs * box.ratio,
    count,
    spareColumns(count),
  );
  const waiting = { base: waitBase, height: strips.waitHeight, ratio: box.ratio };

  ctx.fillStyle = palette.costSoft;
  paintColumns(ctx, peak, waitScale, waiting);
  paintArea(ctx, wait, waitScale, waiting, palette.cost);
  paintArea(ctx, busy, 1, { base: busyBase, height: strips.busyHeight, ratio: box.ratio }, colour);

  for (const piece of pieces) paintGaps(lane, piece);
  paintScale(lane, waiting, formatCount(waitScale));
  paintScale(lane, { base: busyBase, height: strips.busyHeight }, "100 %");
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, waitBase, box.width, 1);
  ctx.fillRect(0, busyBase, box.width, 1);
}

// The lanes of nodes, and of their CPUs where they are open.

const NODE_MIN = 84;
const NODE_MAX = 200;
/** Height that still has room for a node's captions. */
const NODE_LOW = 54;
/** Height that still shows both strips and the marks. */
const NODE_LEAST = 40;
const CPU_MIN = 26;
const CPU_MAX = 52;
/** Space under a node and its CPUs. */
const GROUP_GAP = 10;

/** Number of CPUs up to which the page opens with all of them shown, where they fit. */
export const OPEN_ALL_UP_TO = 16;

export function defaultOpen(nodes: readonly NodeInfo[]): number[] {
  const cpus = nodes.reduce((sum, node) => sum + node.cpus.length, 0);
  return cpus <= OPEN_ALL_UP_TO ? nodes.map((node) => node.nid) : [];
}

export interface NodeFit {
  /** Nodes whose CPUs are shown. */
  readonly open: readonly number[];
  /** Least height of a node's lane, CSS pixels. */
  readonly min: number;
}

/**
 * Folds nodes so that the lanes of all nodes fit a height.
 * @param room CSS pixels
 * @param first the node to open before all others; null: none
 */
export function fitNodes(nodes: readonly NodeInfo[], room: number, first: number | null): NodeFit {
  const usual = defaultOpen(nodes);
  const wanted = nodes
    .filter(({ nid }) => nid === first || usual.includes(nid))
    .sort((a, b) => Number(b.nid === first) - Number(a.nid === first));
  const each = (cpuHeight: number) => Math.floor((room - cpuHeight) / Math.max(1, nodes.length)) - GROUP_GAP;
  const open: number[] = [];
  let taken = 0;
  for (const { nid, cpus, llcs = [] } of wanted) {
    const height = cpus.length * CPU_MIN + Math.max(0, llcs.length - 1) * GROUP_GAP;
    if (each(taken + height) < NODE_LOW) continue;
    open.push(nid);
    taken += height;
  }
  return { open, min: Math.min(NODE_MIN, Math.max(NODE_LEAST, each(taken))) };
}

/** A CPU's lane by itself, also while its node's CPUs are not shown. */
export function cpuLane(nodes: readonly NodeInfo[], cpu: number): LaneSpec | null {
  const node = nodes.find(({ cpus }) => cpus.includes(cpu));
  return node
    ? {
        key: `cpu:${cpu}`,
        kind: "cpu",
        title: cpuTitle(node, cpu),
        nid: node.nid,
        cpu,
        min: CPU_MIN,
        max: CPU_MAX,
      }
    : null;
}

/** A CPU, with its last-level cache where its node has several. */
function cpuTitle({ llcs = [] }: NodeInfo, cpu: number): string {
  const place = llcs.findIndex((cpus) => cpus.includes(cpu));
  return place < 0 ? `cpu ${cpu}` : `cpu ${cpu}, LLC ${place}`;
}

/** A node's CPUs, those below one last-level cache together. */
function inLlcs({ cpus, llcs = [] }: NodeInfo): readonly number[] {
  const grouped = llcs.flat();
  return [...grouped, ...cpus.filter((cpu) => !grouped.includes(cpu))];
}

/** Nodes in the page's form: with their last-level caches if there is more than one. */
export function withLlcs(
  nodes: readonly NodeInfo[],
  llcs: readonly (readonly number[])[],
): readonly NodeInfo[] {
  return nodes.map((node) => {
    const own = llcs
      .map((cpus) => cpus.filter((cpu) => node.cpus.includes(cpu)))
      .filter(({ length }) => length > 0);
    return own.length > 1 ? { ...node, llcs: own } : node;
  });
}

/**
 * Nodes in the order given, each followed by its CPUs when open.
 * @param min least height of a node's lane, CSS pixels
 */
export function nodeLanes(
  nodes: readonly NodeInfo[],
  open: ReadonlySet<number>,
  min: number = NODE_MIN,
): LaneSpec[] {
  const lanes: LaneSpec[] = [];
  for (const node of nodes) {
    const { nid } = node;
    const shown = open.has(nid) ? inLlcs(node) : [];
    const gap = (last: boolean) => (last ? { gap: GROUP_GAP } : {});
    const heights = { min, max: NODE_MAX };
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
        title: cpuTitle(node, cpu),
        nid,
        cpu,
        min: CPU_MIN,
        max: CPU_MAX,
        // Space after each last-level cache.
        ...gap(last || (node.llcs ?? []).some((cpus) => cpus.at(-1) === cpu)),
      });
    }
  }
  return lanes;
}
