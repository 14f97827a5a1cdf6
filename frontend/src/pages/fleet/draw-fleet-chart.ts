/** A metric over days and weeks: a line for each group, with its letter at the end, and a mark for each period,
 * the larger the more recordings it has. A period without recordings breaks no line. */

import { scaleLinear, scaleUtc } from "d3-scale";
import type { Palette } from "../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../ui/canvas/surface.ts";
import type { FleetLine } from "./fleet-tables.ts";

export interface FleetChart {
  readonly lines: readonly FleetLine[];
  readonly colours: readonly string[];
  /** Words of a value, on the axis. */
  readonly say: (value: number) => string;
}

const LEFT = 70;
const RIGHT = 46;
const TOP = 12;
const BOTTOM = 22;
/** Radius of a period's mark, of few recordings and of as many as any has. */
const MARKS: readonly [number, number] = [2, 4.5];
/** Between letters of lines that end side by side. */
const LETTER = 12;
const DAY_MS = 86_400_000;
/** Room for a day. */
const NAMED_EVERY = 84;

/** The periods whose days stand on the axis: each that has room behind the one before. */
export function namedTimes(times: readonly number[], x: (time: number) => number): readonly number[] {
  const named: number[] = [];
  for (const time of [...new Set(times)].sort((a, b) => a - b)) {
    const last = named.at(-1);
    if (last === undefined || x(time) - x(last) >= NAMED_EVERY) named.push(time);
  }
  return named;
}

/** Where letters at these heights stand, none on another: each is as far down as the ones above it need. */
export function lettersAt(heights: readonly number[], least: number, most: number): readonly number[] {
  const order = heights.map((_, place) => place).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed = [...heights];
  let free = least;
  for (const place of order) {
    placed[place] = Math.max(heights[place] ?? 0, free);
    free = (placed[place] ?? 0) + LETTER;
  }
  // What was pushed out at the bottom goes up again.
  let room = most;
  for (const place of order.reverse()) {
    placed[place] = Math.min(placed[place] ?? 0, room);
    room = (placed[place] ?? 0) - LETTER;
  }
  return placed;
}

export function paintFleetChart(
  surface: Surface,
  { lines, colours, say }: FleetChart,
  palette: Palette,
): void {
  const ctx = beginFrame(surface, palette.track);
  const { width, height } = surface;
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return;
  const times = all.map(([t]) => t);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const x = scaleUtc()
    .domain(first === last ? [first - DAY_MS, last + DAY_MS] : [first, last])
    .range([LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const y = scaleLinear()
    .domain([0, Math.max(1e-9, ...all.map(([, value]) => value))])
    .nice(4)
    .range([height - BOTTOM, TOP]);
  ctx.font = "11px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 1;
  for (const value of y.ticks(4)) {
    const at = Math.round(y(value)) + 0.5;
    ctx.strokeStyle = palette.line;
    ctx.beginPath();
    ctx.moveTo(LEFT, at);
    ctx.lineTo(width - RIGHT, at);
    ctx.stroke();
    ctx.fillStyle = palette.muted;
    ctx.textAlign = "right";
    ctx.fillText(say(value), LEFT - 6, at);
  }
  ctx.textAlign = "center";
  for (const moment of namedTimes(times, x)) {
    ctx.fillText(new Date(moment).toISOString().slice(0, 10), x(moment), height - BOTTOM / 2);
  }
  const heaviest = Math.max(1, ...all.map(([, , recordings]) => recordings));
  const ends: { key: string; x: number; y: number }[] = [];
  for (const [place, line] of lines.entries()) {
    const colour = colours[place] ?? palette.text;
    const at = line.points.map(([t, value]): [number, number] => [x(t), y(value)]);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    for (const [i, [px, py]] of at.entries()) {
      if (i === 0) ctx.moveTo(px, py);
      else ctx.lineTo(px, py);
    }
    ctx.stroke();
    ctx.fillStyle = palette.track;
    for (const [i, [px, py]] of at.entries()) {
      const share = Math.sqrt((line.points[i]?.[2] ?? 1) / heaviest);
      ctx.beginPath();
      ctx.arc(px, py, MARKS[0] + (MARKS[1] - MARKS[0]) * share, 0, Math.PI * 2);
      ctx.fill();
      ctx.stroke();
    }
    const end = at.at(-1);
    if (end) ends.push({ key: line.key, x: end[0], y: end[1] });
  }
  ctx.fillStyle = palette.text;
  ctx.strokeStyle = palette.track;
  ctx.lineWidth = 3;
  ctx.textAlign = "left";
  for (const column of new Set(ends.map((end) => end.x))) {
    const here = ends.filter((end) => end.x === column);
    const heights = lettersAt(
      here.map((end) => end.y),
      TOP,
      height - BOTTOM,
    );
    for (const [i, { key }] of here.entries()) {
      const words: [string, number, number] = [key, column + MARKS[1] + 4, heights[i] ?? 0];
      // On ground of its own: other lines may go on behind it.
      ctx.strokeText(...words);
      ctx.fillText(...words);
    }
  }
}
