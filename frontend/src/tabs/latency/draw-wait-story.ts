/** The strips of an opened wait: causes, where it was queued and who ran there, idle CPUs by node, on one axis. */

import { scaleLinear } from "d3-scale";
import { formatDuration } from "../../lib/format.ts";
import { dotPattern, type Palette } from "../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../ui/canvas/surface.ts";
import { nodeWords, type WaitStrips } from "./wait-story.ts";

const GUTTER = 104;
const RIGHT = 12;
const HEAD = 6;
const AXIS = 22;
const CAUSES = 24;
const QUEUE = 16;
const RUNNERS = 24;
const IDLE = 18;
const GAP = 6;

export function storyHeight(strips: WaitStrips): number {
  return HEAD + CAUSES + GAP + QUEUE + RUNNERS + GAP + strips.idle.length * (IDLE + 3) + AXIS;
}

function timeOf(strips: WaitStrips, width: number) {
  return scaleLinear()
    .domain([0, Math.max(1, strips.lengthNs)])
    .range([GUTTER, Math.max(GUTTER + 1, width - RIGHT)]);
}

/** ns after the wait's begin under a CSS pixel; null next to the strips. */
export function storyTimeAt(strips: WaitStrips, width: number, x: number): number | null {
  if (x < GUTTER || x > width - RIGHT) return null;
  return Math.min(strips.lengthNs - 1, Math.max(0, timeOf(strips, width).invert(x)));
}

/** Colours that are not in the palette. */
export interface StoryInk {
  readonly cause: (cause: string) => string;
  readonly task: (task: number) => string | null;
  readonly node: (nid: number) => string;
}

type X = ReturnType<typeof timeOf>;

export function paintStory(
  surface: Surface,
  strips: WaitStrips,
  at: number | null,
  ink: StoryInk,
  palette: Palette,
): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const x = timeOf(strips, width);
  let top = HEAD;
  paintCauses(ctx, strips, x, top, ink, palette, surface.ratio);
  top += CAUSES + GAP;
  paintQueues(ctx, strips, x, top, palette);
  top += QUEUE;
  paintRunners(ctx, strips, x, top, ink, palette);
  top += RUNNERS + GAP;
  paintMoves(ctx, strips, x, HEAD + CAUSES + GAP, palette);
  for (const idle of strips.idle) {
    paintIdle(ctx, idle, x, top, ink, palette);
    top += IDLE + 3;
  }
  paintAxis(ctx, x, strips, height - AXIS, palette);
  if (at === null) return;
  ctx.strokeStyle = palette.text;
  ctx.beginPath();
  const here = Math.round(x(at)) + 0.5;
  ctx.moveTo(here, HEAD - 2);
  ctx.lineTo(here, height - AXIS + 2);
  ctx.stroke();
}

function name(ctx: CanvasRenderingContext2D, text: string, middle: number, palette: Palette): void {
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = palette.text;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, 0, middle);
}

function ground(ctx: CanvasRenderingContext2D, x: X, top: number, tall: number, palette: Palette): void {
  const [left = 0, right = 0] = x.range();
  ctx.fillStyle = palette.track;
  ctx.fillRect(left, top, right - left, tall);
}

/** Parts that were put together show their causes over each other, each as high as its share. */
function paintCauses(
  ctx: CanvasRenderingContext2D,
  { causes }: WaitStrips,
  x: X,
  top: number,
  ink: StoryInk,
  palette: Palette,
  ratio: number,
): void {
  name(ctx, "waited for", top + CAUSES / 2, palette);
  for (const piece of causes) {
    const [left, right] = [x(piece.from), x(piece.to)];
    const whole = piece.causes.reduce((sum, { ns }) => sum + ns, 0);
    let low = top + CAUSES;
    for (const { cause, ns } of piece.causes) {
      const tall = (CAUSES * ns) / Math.max(1, whole);
      ctx.fillStyle = cause === "unknown" ? dotPattern(ctx, palette.muted, ratio) : ink.cause(cause);
      ctx.fillRect(left, low - tall, Math.max(0.75, right - left), tall);
      low -= tall;
    }
  }
}

function paintQueues(
  ctx: CanvasRenderingContext2D,
  { queues }: WaitStrips,
  x: X,
  top: number,
  palette: Palette,
): void {
  name(ctx, "queued on", top + QUEUE / 2, palette);
  ctx.font = `11px ${palette.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const { from, to, cpu, queued } of queues) {
    const [left, right] = [x(from), x(to)];
    ctx.strokeStyle = palette.muted;
    ctx.setLineDash(queued ? [] : [2, 2]);
    ctx.beginPath();
    ctx.moveTo(left, top + QUEUE - 2.5);
    ctx.lineTo(right, top + QUEUE - 2.5);
    ctx.stroke();
    ctx.setLineDash([]);
    const words = `CPU ${cpu}`;
    ctx.fillStyle = palette.muted;
    if (ctx.measureText(words).width + 6 < right - left) ctx.fillText(words, left + 3, top + QUEUE / 2 - 2);
  }
}

function paintRunners(
  ctx: CanvasRenderingContext2D,
  { runners }: WaitStrips,
  x: X,
  top: number,
  ink: StoryInk,
  palette: Palette,
): void {
  name(ctx, "who ran there", top + RUNNERS / 2, palette);
  ground(ctx, x, top, RUNNERS, palette);
  for (const { from, to, runNs, task, comm, pid, count } of runners) {
    const [left, right] = [x(from), x(to)];
    // What stands for several stays is as high as the share of time that they take.
    const tall = RUNNERS * Math.min(1, runNs / Math.max(1, to - from));
    ctx.fillStyle = ink.task(task) ?? palette.muted;
    ctx.fillRect(left, top + RUNNERS - tall, Math.max(0.75, right - left - (right - left > 4 ? 1 : 0)), tall);
    const words = count > 1 ? `${count} ×` : `${comm} ${pid}`;
    ctx.font = `11px ${palette.font}`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    if (ctx.measureText(words).width + 8 >= right - left) continue;
    // On a plate: tasks have any hue, and letters must be read on all of them.
    const wide = ctx.measureText(words).width + 6;
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = palette.ground;
    ctx.fillRect(left + 2, top + RUNNERS / 2 - 8, wide, 16);
    ctx.globalAlpha = 1;
    ctx.fillStyle = palette.text;
    ctx.fillText(words, left + 5, top + RUNNERS / 2 + 0.5);
  }
}

function paintMoves(
  ctx: CanvasRenderingContext2D,
  { moves }: WaitStrips,
  x: X,
  top: number,
  palette: Palette,
): void {
  ctx.strokeStyle = palette.text;
  ctx.fillStyle = palette.text;
  for (const { at } of moves) {
    const here = Math.round(x(at)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(here, top);
    ctx.lineTo(here, top + QUEUE + RUNNERS);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(here - 4, top);
    ctx.lineTo(here + 4, top);
    ctx.lineTo(here, top + 6);
    ctx.fill();
  }
}

/** As high as the share of the node's CPUs that were idle. */
function paintIdle(
  ctx: CanvasRenderingContext2D,
  { nid, cpus, pieces }: WaitStrips["idle"][number],
  x: X,
  top: number,
  ink: StoryInk,
  palette: Palette,
): void {
  ctx.fillStyle = nid === null ? palette.muted : ink.node(nid);
  ctx.fillRect(0, top + IDLE / 2 - 4, 8, 8);
  ctx.font = `12px ${palette.font}`;
  ctx.fillStyle = palette.text;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(`${nodeWords(nid)} idle`, 14, top + IDLE / 2 + 0.5);
  ground(ctx, x, top, IDLE, palette);
  ctx.fillStyle = nid === null ? palette.muted : ink.node(nid);
  for (const { from, to, idleNs } of pieces) {
    const share = Math.min(1, idleNs / Math.max(1, (to - from) * Math.max(1, cpus)));
    const tall = Math.max(1.5, IDLE * share);
    ctx.fillRect(x(from), top + IDLE - tall, Math.max(0.75, x(to) - x(from)), tall);
  }
}

function paintAxis(
  ctx: CanvasRenderingContext2D,
  x: X,
  strips: WaitStrips,
  top: number,
  palette: Palette,
): void {
  const [left = 0, right = 0] = x.range();
  ctx.font = `11px ${palette.font}`;
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  ctx.strokeStyle = palette.line;
  ctx.fillStyle = palette.muted;
  ctx.beginPath();
  for (const tick of x.ticks(Math.max(2, Math.floor((right - left) / 100)))) {
    const at = Math.round(x(tick)) + 0.5;
    ctx.moveTo(at, top);
    ctx.lineTo(at, top + 4);
    const words = tick === 0 ? "begin" : `+${formatDuration(tick)}`;
    if (strips.lengthNs > 0) ctx.fillText(words, Math.min(Math.max(at, left + 16), right - 22), top + 6);
  }
  ctx.stroke();
}
