/** The strips of an opened wait: causes, where it was queued and who ran there, idle CPUs by node, on one axis. */

import { scaleLinear } from "d3-scale";
import { formatDuration } from "../../../lib/format.ts";
import { dotPattern, type Palette } from "../../../ui/canvas/palette.ts";
import { fillFaint, paintTicks, setText, strokeLine } from "../../../ui/canvas/pen.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";
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

/** Time after the start of the wait under a CSS pixel, ns; null next to the strips. */
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

/** The canvas of a story: what its painters have in common. */
interface StoryCanvas {
  readonly ctx: CanvasRenderingContext2D;
  readonly x: ReturnType<typeof timeOf>;
  readonly ink: StoryInk;
  readonly palette: Palette;
}

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
  const on: StoryCanvas = { ctx, x, ink, palette };
  let top = HEAD;
  paintCauses(on, strips, top, surface.ratio);
  top += CAUSES + GAP;
  paintQueues(on, strips, top);
  top += QUEUE;
  paintRunners(on, strips, top);
  top += RUNNERS + GAP;
  paintMoves(on, strips, HEAD + CAUSES + GAP);
  for (const idle of strips.idle) {
    paintIdle(on, idle, top);
    top += IDLE + 3;
  }
  paintAxis(on, strips, height - AXIS);
  if (at === null) return;
  ctx.strokeStyle = palette.text;
  const here = Math.round(x(at)) + 0.5;
  strokeLine(ctx, here, HEAD - 2, here, height - AXIS + 2);
}

function name({ ctx, palette }: StoryCanvas, text: string, middle: number, left = 0): void {
  setText(ctx, `12px ${palette.font}`, palette.text);
  ctx.fillText(text, left, middle);
}

function ground({ ctx, x, palette }: StoryCanvas, top: number, tall: number): void {
  const [left = 0, right = 0] = x.range();
  ctx.fillStyle = palette.track;
  ctx.fillRect(left, top, right - left, tall);
}

/** Parts that were put together show their causes over each other, each as high as its share. */
function paintCauses(on: StoryCanvas, { causes }: WaitStrips, top: number, ratio: number): void {
  const { ctx, x, ink, palette } = on;
  name(on, "waited for", top + CAUSES / 2);
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

function paintQueues(on: StoryCanvas, { queues }: WaitStrips, top: number): void {
  const { ctx, x, palette } = on;
  name(on, "queued on", top + QUEUE / 2);
  setText(ctx, `11px ${palette.font}`, palette.muted);
  for (const { from, to, cpu, queued } of queues) {
    const [left, right] = [x(from), x(to)];
    ctx.strokeStyle = palette.muted;
    ctx.setLineDash(queued ? [] : [2, 2]);
    strokeLine(ctx, left, top + QUEUE - 2.5, right, top + QUEUE - 2.5);
    ctx.setLineDash([]);
    const words = `CPU ${cpu}`;
    if (ctx.measureText(words).width + 6 < right - left) ctx.fillText(words, left + 3, top + QUEUE / 2 - 2);
  }
}

function paintRunners(on: StoryCanvas, { runners }: WaitStrips, top: number): void {
  const { ctx, x, ink, palette } = on;
  name(on, "who ran there", top + RUNNERS / 2);
  ground(on, top, RUNNERS);
  for (const { from, to, runNs, task, comm, pid, count } of runners) {
    const [left, right] = [x(from), x(to)];
    // What stands for several stays is as high as the share of time that they take.
    const tall = RUNNERS * Math.min(1, runNs / Math.max(1, to - from));
    ctx.fillStyle = ink.task(task) ?? palette.muted;
    ctx.fillRect(left, top + RUNNERS - tall, Math.max(0.75, right - left - (right - left > 4 ? 1 : 0)), tall);
    const words = count > 1 ? `${count} ×` : `${comm} ${pid}`;
    setText(ctx, `11px ${palette.font}`, palette.text);
    if (ctx.measureText(words).width + 8 >= right - left) continue;
    // On a plate: tasks have any hue, and letters must be read on all of them.
    const wide = ctx.measureText(words).width + 6;
    fillFaint(ctx, palette.ground, 0.85, [left + 2, top + RUNNERS / 2 - 8, wide, 16]);
    ctx.fillStyle = palette.text;
    ctx.fillText(words, left + 5, top + RUNNERS / 2 + 0.5);
  }
}

function paintMoves({ ctx, x, palette }: StoryCanvas, { moves }: WaitStrips, top: number): void {
  ctx.strokeStyle = palette.text;
  ctx.fillStyle = palette.text;
  for (const { at } of moves) {
    const here = Math.round(x(at)) + 0.5;
    strokeLine(ctx, here, top, here, top + QUEUE + RUNNERS);
    ctx.beginPath();
    ctx.moveTo(here - 4, top);
    ctx.lineTo(here + 4, top);
    ctx.lineTo(here, top + 6);
    ctx.fill();
  }
}

/** As high as the share of the node's CPUs that were idle. */
function paintIdle(on: StoryCanvas, { nid, cpus, pieces }: WaitStrips["idle"][number], top: number): void {
  const { ctx, x, ink, palette } = on;
  ctx.fillStyle = nid === null ? palette.muted : ink.node(nid);
  ctx.fillRect(0, top + IDLE / 2 - 4, 8, 8);
  name(on, `${nodeWords(nid)} idle`, top + IDLE / 2 + 0.5, 14);
  ground(on, top, IDLE);
  ctx.fillStyle = nid === null ? palette.muted : ink.node(nid);
  for (const { from, to, idleNs } of pieces) {
    const share = Math.min(1, idleNs / Math.max(1, (to - from) * Math.max(1, cpus)));
    const tall = Math.max(1.5, IDLE * share);
    ctx.fillRect(x(from), top + IDLE - tall, Math.max(0.75, x(to) - x(from)), tall);
  }
}

function paintAxis({ ctx, x, palette }: StoryCanvas, strips: WaitStrips, top: number): void {
  const [left = 0, right = 0] = x.range();
  const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 100))).map((tick) => ({
    at: x(tick),
    words: strips.lengthNs === 0 ? null : tick === 0 ? "begin" : `+${formatDuration(tick)}`,
  }));
  paintTicks(ctx, palette, ticks, top, [left + 16, right - 22]);
}
