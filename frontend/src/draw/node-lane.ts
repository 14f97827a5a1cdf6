/**
 * A node's lane: two strips on one time axis. Above, runnable tasks that wait (red: it is cost), the mean
 * solid and the peak faint behind it. Below, the share of the node's CPUs that are busy, in its colour.
 */

import { firstEndingAfter, type Piece } from "../logic/tiles.ts";
import type { Palette } from "./palette.ts";
import { type TimeScale, xOf } from "./surface.ts";

export interface NodeStrips {
  readonly waitTop: number;
  readonly waitHeight: number;
  readonly busyTop: number;
  readonly busyHeight: number;
}

/** Where the strips stand inside a lane of this height. */
export function nodeStrips(height: number): NodeStrips {
  const pad = 3;
  const inner = height - 2 * pad;
  const waitHeight = Math.round(inner * 0.44);
  const busyTop = pad + waitHeight + 2;
  return { waitTop: pad, waitHeight, busyTop, busyHeight: height - pad - busyTop };
}

/**
 * @param waitScale waiting tasks at the strip's full height, one for all nodes so that they compare
 */
export function paintNodeLane(
  ctx: CanvasRenderingContext2D,
  pieces: readonly Piece[],
  scale: TimeScale,
  box: { readonly y: number; readonly height: number; readonly width: number },
  colour: string,
  palette: Palette,
  waitScale: number,
): void {
  const strips = nodeStrips(box.height);
  const waitBase = box.y + strips.waitTop + strips.waitHeight;
  const busyBase = box.y + strips.busyTop + strips.busyHeight;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + strips.waitTop, box.width, strips.waitHeight);
  ctx.fillRect(0, box.y + strips.busyTop, box.width, strips.busyHeight);

  const perTask = strips.waitHeight / Math.max(1, waitScale);
  const peak = new Path2D();
  const mean = new Path2D();
  const busy = new Path2D();
  const edge = new Path2D();
  for (const { tile, span } of pieces) {
    const { bars } = tile;
    let first = true;
    for (let i = firstEndingAfter(bars, span.from); i < bars.length; i += 1) {
      const t0 = bars.t0[i] ?? 0;
      if (t0 >= span.to) break;
      const x0 = xOf(scale, Math.max(t0, span.from));
      const width = xOf(scale, Math.min(bars.t1[i] ?? 0, span.to)) - x0;
      addBar(peak, x0, width, waitBase, Math.min(strips.waitHeight, (bars.waitMax[i] ?? 0) * perTask));
      addBar(mean, x0, width, waitBase, Math.min(strips.waitHeight, (bars.wait[i] ?? 0) * perTask));
      const height = Math.min(1, bars.busy[i] ?? 0) * strips.busyHeight;
      addBar(busy, x0, width, busyBase, height);
      const top = busyBase - height + 0.5;
      if (first) edge.moveTo(x0, top);
      else edge.lineTo(x0, top);
      edge.lineTo(x0 + width, top);
      first = false;
    }
  }
  ctx.fillStyle = palette.costSoft;
  ctx.fill(peak);
  ctx.fillStyle = palette.cost;
  ctx.fill(mean);
  // Calm areas under firm edges: the height is the reading, the area only leads the eye to it.
  ctx.globalAlpha = 0.5;
  ctx.fillStyle = colour;
  ctx.fill(busy);
  ctx.globalAlpha = 0.9;
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  ctx.stroke(edge);
  ctx.globalAlpha = 1;

  ctx.fillStyle = palette.line;
  ctx.fillRect(0, waitBase, box.width, 1);
  ctx.fillRect(0, busyBase, box.width, 1);
}

function addBar(path: Path2D, x: number, width: number, base: number, height: number): void {
  // A hair wider than it is: neighbours must not let the ground shine through between them.
  if (height > 0) path.rect(x, base - height, width + 0.35, height);
}
