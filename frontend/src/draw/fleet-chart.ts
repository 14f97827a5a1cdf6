/** A metric over days and weeks: a line for each group, with its letter at the end. A period without recordings breaks no line. */

import { scaleLinear, scaleUtc } from "d3-scale";
import type { FleetLine } from "../logic/fleet-tables.ts";
import type { Palette } from "./palette.ts";
import { beginFrame, type Surface } from "./surface.ts";

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
const MARK = 3;
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
    for (const [px, py] of at) {
      ctx.beginPath();
      ctx.arc(px, py, MARK, 0, Math.PI * 2);
      ctx.fill();
      ctx.stroke();
    }
    const end = at.at(-1);
    if (!end) continue;
    ctx.fillStyle = palette.text;
    ctx.textAlign = "left";
    ctx.fillText(line.key, end[0] + 6 + (place % 2) * 8, end[1]);
  }
}
