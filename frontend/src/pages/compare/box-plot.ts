/** Spreads of several sides under each other: whiskers to the ends, a box of the middle half, a stroke at the median. */

import { scaleLinear } from "d3-scale";
import type { Palette } from "../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../ui/canvas/surface.ts";

export interface Box {
  readonly min: number;
  readonly firstQuartile: number;
  readonly median: number;
  readonly thirdQuartile: number;
  readonly max: number;
  readonly mean: number;
  readonly colour: string;
}

const PAD = 5;

export function paintBoxes(surface: Surface, boxes: readonly (Box | null)[], palette: Palette): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const there = boxes.filter((box) => box !== null);
  const low = Math.min(...there.map(({ min }) => min));
  const high = Math.max(...there.map(({ max }) => max));
  const x = scaleLinear()
    .domain(low < high ? [low, high] : [low - 1, high + 1])
    .range([PAD, Math.max(PAD + 1, width - PAD)]);
  const row = height / Math.max(1, boxes.length);
  for (const [place, box] of boxes.entries()) {
    if (!box) continue;
    const middle = Math.round((place + 0.5) * row) + 0.5;
    const half = Math.min(6, row / 2 - 2);
    ctx.strokeStyle = box.colour;
    ctx.fillStyle = box.colour;
    ctx.beginPath();
    ctx.moveTo(x(box.min), middle);
    ctx.lineTo(x(box.max), middle);
    for (const end of [box.min, box.max]) {
      ctx.moveTo(x(end), middle - half / 2);
      ctx.lineTo(x(end), middle + half / 2);
    }
    ctx.stroke();
    const [left, right] = [x(box.firstQuartile), x(box.thirdQuartile)];
    ctx.fillStyle = palette.ground;
    ctx.fillRect(left, middle - half, Math.max(1, right - left), 2 * half);
    ctx.fillStyle = box.colour;
    ctx.globalAlpha = 0.25;
    ctx.fillRect(left, middle - half, Math.max(1, right - left), 2 * half);
    ctx.globalAlpha = 1;
    ctx.strokeRect(left, middle - half, Math.max(1, right - left), 2 * half);
    ctx.fillRect(x(box.median) - 1, middle - half, 2, 2 * half);
    // The mean, a point of its own.
    ctx.fillStyle = palette.text;
    ctx.beginPath();
    ctx.arc(x(box.mean), middle, 2, 0, Math.PI * 2);
    ctx.fill();
  }
}
