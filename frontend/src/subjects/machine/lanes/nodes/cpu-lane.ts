/**
 * A CPU's lane: a thin strip of waiting tasks above, slices below. A slice of a few pixels fills the lane's height
 * in its task's colour. Thinner ones show only how busy the CPU was, in its node's colour, and merged ones by
 * their height. The share of tasks of a higher class is marked at its top, since samples are at its foot. Idle is
 * empty.
 */

import {
  bothDurations,
  formatCount,
  formatDuration,
  formatShare,
  formatTime,
  plural,
} from "../../../../lib/format.ts";
import { type AbsNs, type RelNs, toAbs } from "../../../../lib/time.ts";
import { inkOf, oneMark } from "../../../../timeline/draw/glyphs.ts";
import { cpuStrips, type LaneCanvas, paintColumns, paintGaps } from "../../../../timeline/draw/strips.ts";
import type { LaneBox } from "../../../../timeline/lanes.ts";
import type { Described } from "../../../../timeline/panel.ts";
import {
  firstEndingAfter,
  type Items,
  itemAt,
  Kind,
  NO_TASK,
  type Piece,
  type Tile,
} from "../../../../timeline/tiles/tiles.ts";
import { resample, spareColumns } from "../../../../timeline/tiles/window-source.ts";
import type { Ink } from "../../../../ui/canvas/palette.ts";
import { xOf } from "../../../../ui/canvas/surface.ts";

/** Look of a single item besides its own columns. */
export interface CpuLaneStyle {
  /** Waiting tasks at the strip's full height. */
  readonly waitScale: number;
  /** Of the CPU's node. */
  readonly colour: string;
  /** Rows of the task table to bring forward while all others step back; null for no such wish. */
  readonly focus: ReadonlySet<number> | null;
  readonly labelOf: (task: number) => { readonly comm: string; readonly pid: number } | null;
  /** Width of one character of the label font, CSS pixels. */
  readonly charWidth: number;
}

const LABEL_FROM = 30;
/** Minimum number of letters for a label. */
const LEAST_LETTERS = 6;
/** Slices thinner than this have no colour of their own: side by side they would be a rainbow, CSS pixels. */
export const COLOURED_FROM = 4;
const DIMMED = 0.3;
/** Height of what marks a slice of a real-time, deadline or stop task, as a share of the lane. */
const RT_MARK = 0.25;
export const HIGHER_CLASS = oneMark({
  shape: "edge",
  tone: "text",
  means: "real-time, deadline or stop task",
});
/** As calm as the areas of nodes are. */
const BUSY_ALPHA = 0.62;

export function paintCpuLane(lane: LaneCanvas, pieces: readonly Piece[], style: CpuLaneStyle): void {
  const { ctx, box, ink } = lane;
  const strips = cpuStrips(box.height);
  const top = box.y + strips.runTop;
  ctx.fillStyle = ink.palette.track;
  ctx.fillRect(0, top, box.width, strips.runHeight);
  paintWaits(lane, pieces, style.waitScale);
  for (const piece of pieces) {
    paintBars(lane, piece, { top, height: strips.runHeight }, style);
    paintGaps(lane, piece);
  }
}

function paintWaits({ ctx, scale, box, ink }: LaneCanvas, pieces: readonly Piece[], waitScale: number): void {
  // No task waits for most CPUs in most windows.
  if (pieces.every(({ tile }) => tile.waits.length === 0)) return;
  const strips = cpuStrips(box.height);
  const sources = pieces.map(({ tile, span }) => ({ items: tile.waits, span }));
  const count = Math.round(box.width * box.ratio);
  const { wait } = resample(sources, scale.from, scale.perNs * box.ratio, count, spareColumns(count));
  // A fifth of the height at least: one task that waits briefly is still a task that waits.
  const least = waitScale * 0.2;
  for (let x = 0; x < count; x += 1) {
    const value = wait[x] ?? 0;
    if (value > 1e-9 && value < least) wait[x] = least;
  }
  ctx.fillStyle = ink.palette.cost;
  const base = box.y + strips.waitTop + strips.waitHeight;
  paintColumns(ctx, wait, waitScale, { base, height: strips.waitHeight, ratio: box.ratio });
}

function paintBars(lane: LaneCanvas, { tile, span }: Piece, strip: BarStrip, style: CpuLaneStyle): void {
  const { ctx, scale, box } = lane;
  const { bars } = tile;
  const { top, height } = strip;
  const { ratio } = box;
  // Edges are on device pixels: a thin slice is one clear line, not two pale ones.
  const snap = (x: number) => Math.round(x * ratio) / ratio;
  const hair = 1 / ratio;
  let drawnTo = Number.NEGATIVE_INFINITY;
  const brush = { fill: "", alpha: Number.NaN };
  for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
    const t0 = bars.t0[i] ?? 0;
    if (t0 >= span.to) break;
    const x0 = snap(xOf(scale, Math.max(t0, span.from)));
    const x1 = Math.max(x0 + hair, snap(xOf(scale, Math.min(bars.t1[i] ?? 0, span.to))));
    // What ends inside a pixel that is already inked would not be seen.
    if (x1 <= drawnTo) continue;
    paintBar(lane, brush, bars, i, { x0, width: x1 - x0, top, height, hair }, style);
    drawnTo = x1;
  }
  ctx.globalAlpha = 1;
}

/** Last settings of the canvas: thousands of bars in a row have one colour, and setting it costs as much as a bar. */
interface Brush {
  fill: string;
  alpha: number;
}

function dip(ctx: CanvasRenderingContext2D, brush: Brush, fill: string, alpha: number): void {
  if (brush.fill !== fill) ctx.fillStyle = fill;
  if (brush.alpha !== alpha) ctx.globalAlpha = alpha;
  brush.fill = fill;
  brush.alpha = alpha;
}

interface BarStrip {
  readonly top: number;
  readonly height: number;
}

interface BarPlace extends BarStrip {
  readonly x0: number;
  readonly width: number;
  /** One device pixel. */
  readonly hair: number;
}

function paintBar(
  { ctx, ink }: LaneCanvas,
  brush: Brush,
  bars: Items,
  i: number,
  place: BarPlace,
  style: CpuLaneStyle,
): void {
  const { x0, width, top, height, hair } = place;
  const task = bars.task[i] ?? NO_TASK;
  const merged = bars.kind[i] === Kind.Merged;
  const dimmed = style.focus !== null && !style.focus.has(task);
  const share = merged ? Math.min(1, Math.max(0.12, bars.busy[i] ?? 0)) : 1;
  const h = merged ? Math.max(2, Math.round((share * (height - 3)) / hair) * hair) : height;
  const own = !merged && width >= COLOURED_FROM;
  // Who is brought forward is seen however thin.
  const fill = own || style.focus?.has(task) ? (ink.tasks[task]?.fill ?? ink.palette.muted) : style.colour;
  dip(ctx, brush, fill, dimmed ? DIMMED : own ? 1 : BUSY_ALPHA);
  // A hairline between neighbours keeps two stays of one task two.
  ctx.fillRect(x0, top + height - h, width > 3 ? width - hair : width, h);
  const rt = merged ? (bars.rt[i] ?? 0) / (bars.busy[i] || 1) : (bars.rt[i] ?? 0) * RT_MARK;
  if (rt > 0) {
    const marked = Math.max(hair, Math.round((rt * h) / hair) * hair);
    dip(ctx, brush, inkOf(ink, HIGHER_CLASS), dimmed ? DIMMED : 1);
    ctx.fillRect(x0, top + height - h, width > 3 ? width - hair : width, marked);
  }
  if (width < LABEL_FROM) return;
  if (dimmed) dip(ctx, brush, brush.fill, 0.75);
  paintLabel(ctx, ink, bars, i, place, dimmed, style);
  brush.fill = "";
}

function paintLabel(
  ctx: CanvasRenderingContext2D,
  { palette, tasks }: Ink,
  bars: Items,
  i: number,
  place: BarPlace,
  dimmed: boolean,
  style: CpuLaneStyle,
): void {
  const { x0, width, top, height } = place;
  const task = bars.task[i] ?? NO_TASK;
  const name = style.labelOf(task);
  // The label keeps inside the visible part of a slice that began off screen.
  const left = Math.max(x0, 0) + 4;
  const fits = Math.floor((x0 + width - 3 - left) / style.charWidth);
  if (!name || fits < 3) return;
  const merged = bars.kind[i] === Kind.Merged;
  const full = merged ? `×${bars.count[i] ?? 0} ${name.comm}` : `${name.comm} ${name.pid}`;
  const plain = merged ? `×${bars.count[i] ?? 0}` : name.comm;
  const text = full.length <= fits ? full : plain.length <= fits ? plain : `${plain.slice(0, fits - 1)}…`;
  if (text.length < Math.min(plain.length, LEAST_LETTERS)) return;
  const onGround = merged && (bars.busy[i] ?? 0) < 0.6;
  ctx.fillStyle = dimmed ? palette.muted : onGround ? palette.text : (tasks[task]?.ink ?? palette.text);
  ctx.fillText(text, left, top + height / 2 + 0.5);
}

// What slices, gaps and shares say under the pointer.

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

/** Item of a lane at a time. Gaps win over bars: what runs there is not known. */
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
    ["from", `${formatTime(toAbs(around.origin, hit.from))}`],
    ["to", `${formatTime(toAbs(around.origin, hit.to))}`],
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
        ? "The kernel dropped events here. The running task is unknown until the next sched_switch."
        : "No event has named the running task of this CPU yet.",
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
        ["longest in total", name ? `${name.comm} (${name.pid})` : title],
        ["where", place],
        ["CPU busy", formatShare(bars.busy[i] ?? 0)],
        ["of which real-time, deadline or stop", ofHigherClass(bars, i)],
        ...times(false),
      ],
      label: "observed",
      note: "Zoom in to see each slice.",
    };
  }
  const higher: [string, string][] = (bars.rt[i] ?? 0) > 0 ? [["class", "real-time, deadline or stop"]] : [];
  const rows = [...pid, ["where", place] as const, ...higher, ...times(true)];
  return { title, task, rows, label: "observed", note: null };
}

function ofHigherClass({ busy, rt }: Items, i: number): string {
  const part = rt[i] ?? 0;
  return part < 0 ? "not known: read the files again" : formatShare(part / (busy[i] || 1));
}

/** A node's counts are a replay of its CPUs' run queues; where a CPU's events are missing they are less than that. */
function nodeKnowledge(tile: Tile, hit: LaneHit): Pick<Described, "label" | "note"> {
  const { gaps } = tile;
  for (let i = 0; i < gaps.length; i += 1) {
    if ((gaps.t0[i] ?? 0) < hit.to && (gaps.t1[i] ?? 0) > hit.from) {
      return {
        label: "inferred",
        note: "A CPU has no events here: its share and its queue are excluded.",
      };
    }
  }
  return { label: "replayed", note: null };
}
