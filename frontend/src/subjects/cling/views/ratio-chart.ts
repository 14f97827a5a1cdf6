/** A group's share of failed migrations by node over time: lines, the degree, busy intervals, flips. */

import type { ScaleLinear } from "d3-scale";
import type { RelNs, Span } from "../../../lib/time.ts";
import { type Palette, whatIfPattern } from "../../../ui/canvas/palette.ts";
import { fillFaint, setText, strokeLine, traceMark } from "../../../ui/canvas/pen.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";
import type { BusySpan, FlipMark, NodeTrack } from "../lanes/cling-tracks.ts";

export interface RatioChart {
  readonly lines: readonly NodeTrack[];
  readonly colours: readonly string[];
  readonly busy: readonly BusySpan[];
  readonly flips: readonly FlipMark[];
  readonly degree: number;
  /** True for a hatched ground: the whole chart is a what-if. */
  readonly whatIf: boolean;
  /** From here on decisions would have gone otherwise. */
  readonly parts: RelNs | null;
  /** True to describe the parts in words as well. */
  readonly saysParts: boolean;
  readonly known: Span;
  /** Part on the timeline, if it is not all. */
  readonly shown: Span | null;
}

export type TimeAxis = ScaleLinear<number, number>;
export type RatioAxis = ScaleLinear<number, number>;

/** Busy intervals lie below each other by node, so that two at once are both seen. */
export const BAND = 5;
const MARK = 3;
/** Distance of marks: they distinguish the lines without colour, and must not hide them. */
const MARK_EVERY = 90;

export function paintRatioChart(
  surface: Surface,
  chart: RatioChart,
  x: TimeAxis,
  y: RatioAxis,
  palette: Palette,
): void {
  const ctx = beginFrame(surface, palette.track);
  const { width, height, ratio } = surface;
  const [bottom = height, top = 0] = y.range();
  if (chart.whatIf) {
    ctx.fillStyle = whatIfPattern(ctx, palette.line, ratio);
    ctx.fillRect(0, 0, width, height);
  }
  paintUnknown(ctx, chart.known, x, width, height, palette);
  for (const span of chart.busy) {
    const from = x(span.from);
    const long = Math.max(1, x(span.to) - from);
    ctx.fillStyle = palette.costSoft;
    ctx.fillRect(from, top, long, bottom - top);
    const place = chart.lines.findIndex(({ nid }) => nid === span.nid);
    ctx.fillStyle = chart.colours[place] ?? palette.text;
    ctx.fillRect(from, bottom + 2 + place * BAND, long, BAND - 1);
  }
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  for (const value of y.ticks(2)) line(ctx, 0, y(value), width, y(value));
  chart.lines.forEach((node, place) => {
    paintLine(ctx, node, x, y, chart.colours[place] ?? palette.text, place, chart.known);
  });
  ctx.strokeStyle = palette.text;
  ctx.setLineDash([6, 4]);
  line(ctx, 0, y(chart.degree), width, y(chart.degree));
  ctx.setLineDash([]);
  paintFlips(ctx, chart.flips, x, width, [bottom, top], palette);
  if (chart.parts !== null) paintParts(ctx, x(chart.parts), width, height, chart.saysParts, palette);
  paintScale(ctx, chart.degree, y, width, palette);
  if (chart.shown) paintShown(ctx, x(chart.shown.from), x(chart.shown.to), width, height, palette);
}

function line(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  strokeLine(ctx, x0, Math.round(y0) + 0.5, x1, Math.round(y1) + 0.5);
}

/** Before the group existed, and after its end. */
function paintUnknown(
  ctx: CanvasRenderingContext2D,
  known: Span,
  x: TimeAxis,
  width: number,
  height: number,
  palette: Palette,
): void {
  ctx.fillStyle = palette.beyond;
  const from = x(known.from);
  const to = x(known.to);
  if (from > 0.5) ctx.fillRect(0, 0, from, height);
  if (to < width - 0.5) ctx.fillRect(to, 0, width - to, height);
}

/** Values hold until the next; replayed ones have open marks, of another form for each node. */
function paintLine(
  ctx: CanvasRenderingContext2D,
  node: NodeTrack,
  x: TimeAxis,
  y: RatioAxis,
  colour: string,
  place: number,
  known: Span,
): void {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  let last: number | null = null;
  let marked = Number.NEGATIVE_INFINITY;
  const marks: [number, number][] = [];
  for (const [step, t] of node.t.entries()) {
    const px = x(t);
    const py = y(node.ratio[step] ?? 0);
    if (last === null) ctx.moveTo(px, py);
    else {
      ctx.lineTo(px, last);
      ctx.lineTo(px, py);
    }
    if (px - marked >= MARK_EVERY + place * 17) {
      marks.push([px, py]);
      marked = px;
    }
    last = py;
  }
  if (last !== null) ctx.lineTo(x(known.to), last);
  ctx.stroke();
  ctx.lineWidth = 1.2;
  for (const [px, py] of marks) {
    traceMark(ctx, px, py, place, MARK);
    ctx.stroke();
  }
}

/** A thin line each, and a triangle: filled when a node becomes busy, open when it stops, left out where they would overlap. */
function paintFlips(
  ctx: CanvasRenderingContext2D,
  flips: readonly FlipMark[],
  x: TimeAxis,
  width: number,
  [bottom, top]: readonly [number, number],
  palette: Palette,
): void {
  ctx.fillStyle = palette.text;
  ctx.strokeStyle = palette.muted;
  ctx.lineWidth = 0.5;
  const size = 4;
  let taken = Number.NEGATIVE_INFINITY;
  for (const { t, busy } of flips) {
    const px = x(t);
    if (px < 0 || px > width) continue;
    line(ctx, px, top, px, bottom);
    if (px - taken < 2 * size) continue;
    taken = px;
    ctx.beginPath();
    ctx.moveTo(px - size, busy ? top : top - size);
    ctx.lineTo(px + size, busy ? top : top - size);
    ctx.lineTo(px, busy ? top - size : top);
    ctx.closePath();
    if (busy) ctx.fill();
    else ctx.stroke();
  }
}

function paintParts(
  ctx: CanvasRenderingContext2D,
  px: number,
  width: number,
  height: number,
  said: boolean,
  palette: Palette,
): void {
  if (px < 0 || px > width) return;
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 2;
  ctx.setLineDash([2, 3]);
  strokeLine(ctx, px, 0, px, height);
  ctx.setLineDash([]);
  if (!said) return;
  const room = px + 110 < width;
  note(
    ctx,
    "differs from here",
    room ? px + 5 : px - 5,
    16,
    room ? "left" : "right",
    palette.accent,
    palette,
  );
}

/** Meaning of the lines' heights, if there is a line. */
function paintScale(
  ctx: CanvasRenderingContext2D,
  degree: number,
  y: RatioAxis,
  width: number,
  palette: Palette,
): void {
  for (const value of y.ticks(1)) note(ctx, `${value}`, width - 4, y(value), "right", palette.muted, palette);
  note(ctx, `degree ${degree} %`, 4, y(degree), "left", palette.text, palette);
}

/** Words on their own ground, in front of the lines. */
function note(
  ctx: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  align: "left" | "right",
  colour: string,
  palette: Palette,
): void {
  setText(ctx, `10px ${palette.font}`, palette.ground, align);
  const wide = ctx.measureText(text).width;
  fillFaint(ctx, palette.ground, 0.8, [align === "left" ? x - 2 : x - wide - 2, y - 6, wide + 4, 12]);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

function paintShown(
  ctx: CanvasRenderingContext2D,
  from: number,
  to: number,
  width: number,
  height: number,
  palette: Palette,
): void {
  ctx.fillStyle = palette.accent;
  ctx.globalAlpha = 0.9;
  const left = Math.max(0, from);
  const right = Math.min(width, Math.max(from + 2, to));
  ctx.fillRect(left, height - 2, right - left, 2);
  ctx.globalAlpha = 1;
}
