/** What slices, gaps and shares say under the pointer. */

import {
  bothDurations,
  formatAbs,
  formatCount,
  formatDuration,
  formatShare,
  plural,
} from "../../lib/format.ts";
import { type AbsNs, type RelNs, toAbs } from "../../lib/time.ts";
import type { LaneBox } from "../../timeline/lanes.ts";
import type { Described } from "../../timeline/panel.ts";
import { type Items, itemAt, Kind, NO_TASK, type Tile } from "../../timeline/tiles/tiles.ts";

export interface Surroundings {
  readonly origin: AbsNs;
  readonly taskName: (task: number) => { readonly comm: string; readonly pid: number } | null;
}

export interface LaneHit {
  readonly strip: "bars" | "gaps" | "idle";
  /** Index in the strip's items, -1 for idle. */
  readonly index: number;
  readonly from: RelNs;
  readonly to: RelNs;
}

/** What a lane holds at a time. Gaps win over bars: what runs there is not known. */
export function hitLane(lane: LaneBox, tile: Tile, at: RelNs, reach: number): LaneHit | null {
  const gap = itemAt(tile.gaps, at, 0);
  if (gap >= 0) return hitOf("gaps", tile.gaps, gap);
  const bar = itemAt(tile.bars, at, reach);
  if (bar >= 0) return hitOf("bars", tile.bars, bar);
  if (lane.kind === "node" || at < tile.span.from || at >= tile.span.to) return null;
  return { strip: "idle", index: -1, ...idleAround(tile, at) };
}

function hitOf(strip: "bars" | "gaps", items: Items, index: number): LaneHit {
  return { strip, index, from: items.t0[index] ?? 0, to: items.t1[index] ?? 0 };
}

/** The empty interval between two items, as far as the tile reaches. */
function idleAround(tile: Tile, at: RelNs): { from: RelNs; to: RelNs } {
  let { from, to } = tile.span;
  for (const items of [tile.bars, tile.gaps]) {
    for (let i = 0; i < items.length; i += 1) {
      const t0 = items.t0[i] ?? 0;
      const t1 = items.t1[i] ?? 0;
      if (t1 <= at) from = Math.max(from, t1);
      if (t0 > at) {
        to = Math.min(to, t0);
        break;
      }
    }
  }
  return { from, to };
}

export function describeHit(lane: LaneBox, tile: Tile, hit: LaneHit, around: Surroundings): Described {
  const place = lane.kind === "node" ? `node ${lane.nid}` : `CPU ${lane.cpu}, node ${lane.nid}`;
  const times = (exact: boolean): [string, string][] => [
    ["from", `${formatAbs(toAbs(around.origin, hit.from))} s`],
    ["to", `${formatAbs(toAbs(around.origin, hit.to))} s`],
    [
      exact ? "duration" : "length",
      exact ? bothDurations(hit.to - hit.from) : formatDuration(hit.to - hit.from),
    ],
  ];
  if (hit.strip === "gaps") {
    const lost = tile.gaps.kind[hit.index] === Kind.Lost;
    return {
      title: lost ? "Events lost" : "Not known yet",
      task: null,
      rows: [["where", place], ...times(true)],
      label: null,
      note: lost
        ? "The kernel dropped events here. Who ran is not known until the next sched_switch."
        : "No event says yet who runs on this CPU.",
    };
  }
  if (hit.strip === "idle") {
    return {
      title: "Idle",
      task: null,
      rows: [["where", place], ...times(true)],
      label: "observed",
      note: null,
    };
  }
  const { bars } = tile;
  const i = hit.index;
  if (lane.kind === "node") {
    return {
      title: `Node ${lane.nid}`,
      task: null,
      rows: [
        ["CPUs busy", formatShare(bars.busy[i] ?? 0)],
        [
          "tasks waiting",
          `${(bars.wait[i] ?? 0).toFixed(2)} mean, ${formatCount(bars.waitMax[i] ?? 0)} peak`,
        ],
        ...times(false),
      ],
      ...nodeKnowledge(tile, hit),
    };
  }
  const task = bars.task[i] ?? NO_TASK;
  const name = around.taskName(task);
  const title = name ? name.comm : "unnamed task";
  const pid: [string, string][] = name ? [["pid", String(name.pid)]] : [];
  if (bars.kind[i] === Kind.Merged) {
    return {
      title: `${plural(bars.count[i] ?? 0, "slice")} merged`,
      task,
      rows: [
        ["longest in sum", name ? `${name.comm} (${name.pid})` : title],
        ["where", place],
        ["CPU busy", formatShare(bars.busy[i] ?? 0)],
        ...times(false),
      ],
      label: "observed",
      note: "Zoom in to see each slice.",
    };
  }
  return { title, task, rows: [...pid, ["where", place], ...times(true)], label: "observed", note: null };
}

/** A node's counts are a replay of its CPUs' run queues; where a CPU's events are missing they are less than that. */
function nodeKnowledge(tile: Tile, hit: LaneHit): Pick<Described, "label" | "note"> {
  const { gaps } = tile;
  for (let i = 0; i < gaps.length; i += 1) {
    if ((gaps.t0[i] ?? 0) < hit.to && (gaps.t1[i] ?? 0) > hit.from) {
      return {
        label: "inferred",
        note: "Events of a CPU are missing here: its share and its queue are left out.",
      };
    }
  }
  return { label: "replayed", note: null };
}
