/** Requests over time: a point each, its height the duration on a log scale; slow ones in the colour of their main cause. */

import { type ScaleLinear, type ScaleLogarithmic, scaleLinear, scaleLog } from "d3-scale";
import { formatDuration, formatTime } from "../../../lib/format.ts";
import { type AbsNs, type RelNs, type Span, toAbs } from "../../../lib/time.ts";
import type { Palette } from "../../../ui/canvas/palette.ts";
import { fillFaint, setText, strokeLine, traceMark } from "../../../ui/canvas/pen.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";
import { ledgerInk } from "../../off_cpu/lanes/index.ts";

export interface RequestPoint {
  /** Start. */
  readonly at: RelNs;
  /** Duration. */
  readonly ns: number;
  readonly slow: boolean;
  readonly state: string | null;
  /** Main cause; null if not determined. */
  readonly cause: string | null;
  readonly title: string | null;
  /** Task or interrupt responsible. */
  readonly by: string | null;
}

export interface LatencyChart {
  /** In the order of time. */
  readonly points: readonly RequestPoint[];
  readonly window: Span;
  /** Shortest of the slow ones, ns; null where there are none. */
  readonly slowFrom: number | null;
}

export interface ChartScales {
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLogarithmic<number, number>;
}

const LEFT = 62;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 8;

export function chartScales({ points, window }: LatencyChart, width: number, height: number): ChartScales {
  let [least, most] = [Number.POSITIVE_INFINITY, 1];
  for (const { ns } of points) {
    least = Math.min(least, ns);
    most = Math.max(most, ns);
  }
  const low = Math.max(1, Math.min(least, most));
  return {
    x: scaleLinear([window.from, window.to], [LEFT, Math.max(LEFT + 1, width - RIGHT)]),
    y: scaleLog([low / 1.2, Math.max(low * 1.5, most) * 1.2], [height - BOTTOM, TOP]),
  };
}

/** Place of the point nearest to one on the canvas, within `reach` CSS pixels; of two as near the slower. */
export function nearestPoint(
  { points }: LatencyChart,
  { x, y }: ChartScales,
  [px, py]: readonly [number, number],
  reach = 14,
): number | null {
  let best: number | null = null;
  let distance = reach;
  points.forEach(({ at, ns }, place) => {
    const away = Math.hypot(x(at) - px, y(ns) - py);
    if (away > distance || (away === distance && (points[best ?? -1]?.ns ?? -1) >= ns)) return;
    best = place;
    distance = away;
  });
  return best;
}

/** Goes to the slow request after or before the present one, or to the first or last. */
export function stepPoint({ points }: LatencyChart, here: number | null, key: string): number | null {
  const slow = [...points.keys()].filter((place) => points[place]?.slow);
  if (key === "Home") return slow[0] ?? null;
  if (key === "End") return slow.at(-1) ?? null;
  const next =
    key === "ArrowRight"
      ? slow.find((place) => here === null || place > here)
      : slow.findLast((place) => here === null || place < here);
  return next ?? here;
}

/** `at 12.041 s: 251.2 ms, mostly asleep, another thread · compactor`. */
export function pointText({ at, ns, state, title, by }: RequestPoint, origin: AbsNs): string {
  const why = state === null ? "" : `, mostly ${state}, ${title}${by === null ? "" : ` · ${by}`}`;
  return `at ${formatTime(toAbs(origin, at), 3)}: ${formatDuration(ns)}${why}`;
}

export interface SlowCause {
  readonly state: string;
  readonly cause: string;
  readonly title: string;
  /** Slow requests of which it is the main cause. */
  readonly count: number;
}

/** The main causes of the slow requests, the most frequent first. */
export function slowCauses(points: readonly RequestPoint[]): readonly SlowCause[] {
  const counts = new Map<string, SlowCause>();
  for (const { slow, state, cause, title } of points) {
    if (!slow || state === null || cause === null) continue;
    const key = `${state} ${cause}`;
    counts.set(key, { state, cause, title: title ?? cause, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count);
}

export function paintLatency(
  surface: Surface,
  chart: LatencyChart,
  here: number | null,
  palette: Palette,
): void {
  const ctx = beginFrame(surface, palette.track);
  const { width, height } = surface;
  const scales = chartScales(chart, width, height);
  paintGrid(ctx, chart, scales, palette, width);
  const usual = chart.points.filter(({ slow }) => !slow);
  ctx.globalAlpha = usual.length > 3000 ? 0.35 : 0.6;
  ctx.fillStyle = palette.muted;
  for (const { at, ns } of usual) ctx.fillRect(scales.x(at) - 1, scales.y(ns) - 1, 2, 2);
  ctx.globalAlpha = 1;
  for (const point of chart.points) if (point.slow) paintSlow(ctx, point, scales, palette);
  const chosen = here === null ? undefined : chart.points[here];
  if (!chosen) return;
  ctx.strokeStyle = palette.text;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(scales.x(chosen.at), scales.y(chosen.ns), 7, 0, 2 * Math.PI);
  ctx.stroke();
}

/** Each state has a shape of its own: no colour alone says it. */
const SHAPES: Readonly<Record<string, number>> = { asleep: 0, runnable: 1, running: 2 };

function paintSlow(
  ctx: CanvasRenderingContext2D,
  { at, ns, state, cause }: RequestPoint,
  { x, y }: ChartScales,
  palette: Palette,
): void {
  const ink = state === null || cause === null ? null : ledgerInk(state, cause, palette.theme);
  traceMark(ctx, x(at), y(ns), SHAPES[state ?? ""] ?? 0, 4);
  ctx.fillStyle = ink ?? palette.unknown;
  ctx.fill();
  ctx.strokeStyle = palette.ground;
  ctx.lineWidth = 1;
  ctx.stroke();
}

/** Powers of ten, and 2 and 5 times these while there are few; the duration from which requests are slow. */
function paintGrid(
  ctx: CanvasRenderingContext2D,
  { slowFrom }: LatencyChart,
  { y }: ChartScales,
  palette: Palette,
  width: number,
): void {
  const tens = durationTicks(y.domain() as [number, number]);
  ctx.lineWidth = 1;
  ctx.strokeStyle = palette.line;
  for (const value of tens) {
    const at = Math.round(y(value)) + 0.5;
    strokeLine(ctx, LEFT, at, width - RIGHT, at);
    setText(ctx, `11px ${palette.font}`, palette.muted, "right");
    ctx.fillText(formatDuration(value), LEFT - 6, at);
  }
  if (slowFrom === null) return;
  const at = Math.round(y(slowFrom)) + 0.5;
  ctx.strokeStyle = palette.text;
  ctx.setLineDash([5, 4]);
  strokeLine(ctx, LEFT, at, width - RIGHT, at);
  ctx.setLineDash([]);
  const words = `slow from ${formatDuration(slowFrom)}`;
  setText(ctx, `11px ${palette.font}`, palette.text);
  const wide = ctx.measureText(words).width + 6;
  fillFaint(ctx, palette.track, 0.85, [LEFT + 2, at + 2, wide, 14]);
  ctx.fillStyle = palette.text;
  ctx.fillText(words, LEFT + 5, at + 9);
}

/** Round durations of a log scale: powers of ten, with 2 and 5 times these where there would be fewer than three. */
export function durationTicks([low, high]: readonly [number, number]): readonly number[] {
  const powers = (factors: readonly number[]) => {
    const found: number[] = [];
    for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
      found.push(...factors.map((factor) => factor * power).filter((at) => at >= low && at <= high));
    return found;
  };
  const tens = powers([1]);
  return tens.length < 3 ? powers([1, 2, 5]) : tens;
}
