/** The whole trace in one strip: waiting tasks as a skyline, busy CPUs stacked by node below it. */

import type { Palette } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import { paintColumns } from "../draw/strips.ts";
import { type Columns, resample } from "../tiles/resample.ts";
import type { Piece } from "../tiles/tiles.ts";

export interface MinimapLane {
  readonly pieces: readonly Piece[];
  readonly colour: string;
  /** The node's share of all CPUs. */
  readonly weight: number;
}

export interface MinimapSize {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

interface CommonWindow {
  readonly from: number;
  readonly to: number;
}

/** Adds the nodes' columns up. */
function together(
  nodes: readonly Columns[],
  pick: (columns: Columns) => Float64Array,
  count: number,
): Float64Array {
  const sum = new Float64Array(count);
  for (const node of nodes) {
    const values = pick(node);
    for (let x = 0; x < count; x += 1) sum[x] = (sum[x] ?? 0) + (values[x] ?? 0);
  }
  return sum;
}

export function paintMinimap(
  ctx: CanvasRenderingContext2D,
  lanes: readonly MinimapLane[],
  scale: TimeScale,
  size: MinimapSize,
  palette: Palette,
  common: CommonWindow,
): void {
  const { width, height, ratio } = size;
  const count = Math.round(width * ratio);
  const nodes = lanes.map(({ pieces }) =>
    resample(
      pieces.map(({ tile, span }) => ({ items: tile.bars, span })),
      scale.from,
      scale.perNs * ratio,
      count,
    ),
  );
  const waitHeight = Math.round(height * 0.54);
  const busyHeight = height - waitHeight - 3;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, 0, width, height);

  const peak = together(nodes, (node) => node.peak, count);
  const most = peak.reduce((a, b) => Math.max(a, b), 1);
  const skyline = { base: waitHeight, height: waitHeight, ratio };
  ctx.fillStyle = palette.costSoft;
  paintColumns(ctx, peak, most, skyline);
  ctx.fillStyle = palette.cost;
  paintColumns(
    ctx,
    together(nodes, (node) => node.wait, count),
    most,
    skyline,
  );

  // Stacked with the first node on top, as the lanes are: the whole stack first, then what is below each.
  const stack = new Float64Array(count);
  const steps = lanes.map(({ weight }, n) => {
    const below = lanes.length - 1 - n;
    const values = nodes[below]?.busy;
    const share = lanes[below]?.weight ?? weight;
    for (let x = 0; x < count; x += 1) stack[x] = (stack[x] ?? 0) + (values?.[x] ?? 0) * share;
    return { total: stack.slice(), colour: lanes[below]?.colour ?? "" };
  });
  for (const { total, colour } of steps.reverse()) {
    ctx.fillStyle = colour;
    paintColumns(ctx, total, 1, { base: height, height: busyHeight, ratio });
  }
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, waitHeight + 1, width, 1);
  paintCommonWindow(ctx, scale, size, palette, common);
}

/** Narrower than this the window could not be seen or held, CSS pixels. */
export const MIN_WIDTH = 3;

/** The window on the whole trace: what it leaves out steps back, a frame goes around what it shows. */
export function paintMinimapWindow(
  ctx: CanvasRenderingContext2D,
  { width, height }: MinimapSize,
  { x0, x1 }: { readonly x0: number; readonly x1: number },
  palette: Palette,
): void {
  ctx.fillStyle = palette.ground;
  ctx.globalAlpha = 0.62;
  if (x0 > 0) ctx.fillRect(0, 0, Math.min(x0, width), height);
  if (x1 < width) ctx.fillRect(Math.max(0, x1), 0, width - Math.max(0, x1), height);
  ctx.globalAlpha = 1;
  const middle = (x0 + x1) / 2;
  const half = Math.max(MIN_WIDTH, x1 - x0) / 2;
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(middle - half, 0.75, 2 * half, height - 1.5);
}

/** Shades what lies outside the common window and marks its edges. */
export function paintCommonWindow(
  ctx: CanvasRenderingContext2D,
  scale: TimeScale,
  size: { readonly width: number; readonly height: number },
  palette: Palette,
  common: CommonWindow,
): void {
  const x0 = xOf(scale, common.from);
  const x1 = xOf(scale, common.to);
  ctx.fillStyle = palette.beyond;
  if (x0 > 0) ctx.fillRect(0, 0, Math.min(x0, size.width), size.height);
  if (x1 < size.width) ctx.fillRect(Math.max(0, x1), 0, size.width - Math.max(0, x1), size.height);
  ctx.strokeStyle = palette.muted;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  for (const x of [x0, x1]) {
    if (x <= 0.5 || x >= size.width - 0.5) continue;
    ctx.moveTo(Math.round(x) + 0.5, 0);
    ctx.lineTo(Math.round(x) + 0.5, size.height);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}
