/** The whole trace in one strip: waiting tasks as a skyline, busy CPUs stacked by node below it. */

import { firstEndingAfter, type Piece } from "../logic/tiles.ts";
import type { Palette } from "./palette.ts";
import { type TimeScale, xOf } from "./surface.ts";

export interface MinimapLane {
  readonly pieces: readonly Piece[];
  readonly colour: string;
  /** The node's share of all CPUs. */
  readonly weight: number;
}

export interface Skyline {
  /** Mean waiting tasks of all nodes together, one value per pixel column. */
  readonly wait: Float64Array;
  readonly peak: Float64Array;
  /** Busy CPUs of each node, 0..1 of that node. */
  readonly busy: readonly Float64Array[];
}

/** Resamples node tiles to pixel columns by overlap. */
export function skyline(lanes: readonly MinimapLane[], scale: TimeScale, width: number): Skyline {
  const columns = Math.max(1, Math.floor(width));
  const wait = new Float64Array(columns);
  const peak = new Float64Array(columns);
  const busy = lanes.map(({ pieces }) => {
    const share = new Float64Array(columns);
    const ownPeak = new Float64Array(columns);
    for (const { tile, span } of pieces) {
      const { bars } = tile;
      for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
        const t0 = bars.t0[i] ?? 0;
        if (t0 >= span.to) break;
        const x0 = Math.max(0, xOf(scale, Math.max(t0, span.from)));
        const x1 = Math.min(columns, xOf(scale, Math.min(bars.t1[i] ?? 0, span.to)));
        for (let x = Math.floor(x0); x < x1; x += 1) {
          const part = Math.min(x1, x + 1) - Math.max(x0, x);
          share[x] = (share[x] ?? 0) + part * (bars.busy[i] ?? 0);
          wait[x] = (wait[x] ?? 0) + part * (bars.wait[i] ?? 0);
          ownPeak[x] = Math.max(ownPeak[x] ?? 0, bars.waitMax[i] ?? 0);
        }
      }
    }
    for (let x = 0; x < columns; x += 1) peak[x] = (peak[x] ?? 0) + (ownPeak[x] ?? 0);
    return share;
  });
  return { wait, peak, busy };
}

export function paintMinimap(
  ctx: CanvasRenderingContext2D,
  lanes: readonly MinimapLane[],
  scale: TimeScale,
  size: { readonly width: number; readonly height: number },
  palette: Palette,
  /** Start and end of the window that all CPUs have in common. */
  common: { readonly from: number; readonly to: number },
): void {
  const { wait, peak, busy } = skyline(lanes, scale, size.width);
  const waitHeight = Math.round(size.height * 0.54);
  const busyHeight = size.height - waitHeight - 3;
  const most = Math.max(1, ...peak);
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, 0, size.width, size.height);
  for (let x = 0; x < wait.length; x += 1) {
    const peakHeight = ((peak[x] ?? 0) / most) * waitHeight;
    const meanHeight = ((wait[x] ?? 0) / most) * waitHeight;
    ctx.fillStyle = palette.costSoft;
    ctx.fillRect(x, waitHeight - peakHeight, 1, peakHeight);
    ctx.fillStyle = palette.cost;
    ctx.fillRect(x, waitHeight - meanHeight, 1, meanHeight);
  }
  // Stacked from the bottom, the first node on top, as the lanes are.
  const base = new Float64Array(wait.length);
  for (let n = lanes.length - 1; n >= 0; n -= 1) {
    const lane = lanes[n];
    const share = busy[n];
    if (!lane || !share) continue;
    ctx.fillStyle = lane.colour;
    for (let x = 0; x < share.length; x += 1) {
      const h = (share[x] ?? 0) * lane.weight * busyHeight;
      ctx.fillRect(x, size.height - (base[x] ?? 0) - h, 1, h);
      base[x] = (base[x] ?? 0) + h;
    }
  }
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, waitHeight + 1, size.width, 1);
  paintCommonWindow(ctx, scale, size, palette, common);
}

/** Shades what lies outside the common window and marks its edges. */
export function paintCommonWindow(
  ctx: CanvasRenderingContext2D,
  scale: TimeScale,
  size: { readonly width: number; readonly height: number },
  palette: Palette,
  common: { readonly from: number; readonly to: number },
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
