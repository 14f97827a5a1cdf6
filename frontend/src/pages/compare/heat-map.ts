/** The per-node table as a heat map: a row for each node, a cell for each step, its percent in the cell. */

import { scaleLinear } from "d3-scale";
import { type Palette, whatIfPattern } from "../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../ui/canvas/surface.ts";

export interface HeatMap {
  readonly nodes: readonly {
    readonly nid: number;
    readonly average: number;
    readonly percent: readonly number[];
  }[];
  readonly stepNs: number;
  /** Length of the window. */
  readonly lengthNs: number;
  /** Time at the right edge: the longest window's, where all share one scale. */
  readonly spanNs: number;
}

/** What lies over the map, ns after the window's begin. */
export interface HeatMarks {
  readonly at: number | null;
  readonly part: { readonly from: number; readonly to: number } | null;
}

export const HEAT_GUTTER = 104;
const AXIS = 22;
const HEAD = 18;
const RIGHT = 8;
const CELL_TEXT = 24;

export function heatHeight(nodes: number): number {
  // Many nodes still fit one look.
  const row = nodes > 12 ? 14 : nodes > 6 ? 18 : 24;
  return HEAD + Math.max(1, nodes) * row + AXIS;
}

/** ns at a CSS pixel of the map; beyond its ends they are those of the ends. */
export function heatTimeAt(map: HeatMap, width: number, x: number): number {
  return timeScaleOf(map, width).clamp(true).invert(x);
}

function timeScaleOf(map: HeatMap, width: number) {
  return scaleLinear()
    .domain([0, Math.max(1, map.spanNs)])
    .range([HEAT_GUTTER, Math.max(HEAT_GUTTER + 1, width - RIGHT)]);
}

export function paintHeatMap(surface: Surface, map: HeatMap, marks: HeatMarks, palette: Palette): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const x = timeScaleOf(map, width);
  const bottom = height - AXIS;
  const row = (bottom - HEAD) / Math.max(1, map.nodes.length);
  paintGutter(ctx, map, palette, row);
  const end = x(map.lengthNs);
  ctx.fillStyle = palette.track;
  ctx.fillRect(HEAT_GUTTER, HEAD, end - HEAT_GUTTER, bottom - HEAD);
  if (end < x(map.spanNs) - 1) {
    ctx.fillStyle = whatIfPattern(ctx, palette.line, surface.ratio);
    ctx.fillRect(end, HEAD, x(map.spanNs) - end, bottom - HEAD);
  }
  // Light for little, full colour for all: one hue, so that it reads without colour too.
  const strength = scaleLinear().domain([0, 100]).range([0.03, 0.92]).clamp(true);
  const cell = x(map.stepNs) - x(0);
  ctx.font = `11px ${palette.mono}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const [place, { percent }] of map.nodes.entries()) {
    const top = HEAD + place * row;
    for (const [step, value] of percent.entries()) {
      const left = x(step * map.stepNs);
      const right = Math.min(x((step + 1) * map.stepNs), end);
      const gap = cell > 6 ? 1 : 0;
      ctx.globalAlpha = strength(value);
      ctx.fillStyle = palette.accent;
      ctx.fillRect(left, top + 0.5, Math.max(0.5, right - left - gap), row - 1);
      ctx.globalAlpha = 1;
      if (right - left < CELL_TEXT || row < 14) continue;
      ctx.fillStyle = value > 55 ? palette.ground : palette.text;
      ctx.fillText(String(value), (left + right - gap) / 2, top + row / 2 + 0.5);
    }
  }
  paintAxis(ctx, map, palette, width, bottom);
  paintMarks(ctx, marks, palette, x, bottom);
}

function paintGutter(ctx: CanvasRenderingContext2D, map: HeatMap, palette: Palette, row: number): void {
  ctx.textBaseline = "middle";
  ctx.font = `11px ${palette.font}`;
  ctx.fillStyle = palette.muted;
  ctx.textAlign = "right";
  ctx.fillText("avg", HEAT_GUTTER - 8, HEAD / 2);
  for (const [place, { nid, average }] of map.nodes.entries()) {
    const middle = HEAD + (place + 0.5) * row;
    ctx.fillStyle = palette.nodes[place] ?? palette.muted;
    ctx.fillRect(0, middle - 4, 8, 8);
    ctx.fillStyle = palette.text;
    ctx.textAlign = "left";
    ctx.font = `12px ${palette.font}`;
    ctx.fillText(`node ${nid}`, 14, middle + 0.5);
    ctx.textAlign = "right";
    ctx.font = `600 12px ${palette.mono}`;
    ctx.fillText(String(average), HEAT_GUTTER - 8, middle + 0.5);
  }
}

function paintAxis(
  ctx: CanvasRenderingContext2D,
  map: HeatMap,
  palette: Palette,
  width: number,
  bottom: number,
): void {
  const seconds = scaleLinear()
    .domain([0, Math.max(1, map.spanNs) / 1e9])
    .range([HEAT_GUTTER, width - RIGHT]);
  ctx.strokeStyle = palette.line;
  ctx.fillStyle = palette.muted;
  ctx.font = `11px ${palette.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.beginPath();
  const ticks = seconds.ticks(Math.max(2, Math.floor((width - HEAT_GUTTER) / 90)));
  const format = seconds.tickFormat(ticks.length);
  for (const tick of ticks) {
    const at = Math.round(seconds(tick)) + 0.5;
    ctx.moveTo(at, bottom);
    ctx.lineTo(at, bottom + 4);
    // The last one would leave the canvas.
    if (at < width - 14)
      ctx.fillText(tick === 0 ? "0 s" : format(tick), Math.max(at, HEAT_GUTTER + 8), bottom + 6);
  }
  ctx.stroke();
}

function paintMarks(
  ctx: CanvasRenderingContext2D,
  { at, part }: HeatMarks,
  palette: Palette,
  x: (ns: number) => number,
  bottom: number,
): void {
  if (part) {
    ctx.fillStyle = palette.beyond;
    ctx.strokeStyle = palette.text;
    const [left, right] = [x(part.from), x(part.to)];
    ctx.fillRect(left, HEAD, right - left, bottom - HEAD);
    ctx.strokeRect(left + 0.5, HEAD + 0.5, Math.max(1, right - left - 1), bottom - HEAD - 1);
  }
  if (at !== null) {
    ctx.strokeStyle = palette.text;
    ctx.beginPath();
    const here = Math.round(x(at)) + 0.5;
    ctx.moveTo(here, HEAD - 4);
    ctx.lineTo(here, bottom + 4);
    ctx.stroke();
  }
}
