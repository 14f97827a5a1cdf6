/** Rates over time: bars from the ground up, each as wide as its step. */

import type { Palette } from "../../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";

export interface RateChart {
  /** Drawn over each other, the first at the back. */
  readonly series: readonly { readonly values: readonly number[]; readonly colour: string }[];
  readonly most: number;
}

export function paintRateChart(surface: Surface, { series, most }: RateChart, palette: Palette): void {
  const ctx = beginFrame(surface, palette.track);
  const { width, height } = surface;
  for (const { values, colour } of series) {
    ctx.fillStyle = colour;
    const step = width / Math.max(1, values.length);
    // Several steps on one pixel: the highest is the one to be seen.
    let column = -1;
    let tallest = 0;
    for (const [i, value] of values.entries()) {
      const x = i * step;
      const here = Math.floor(x);
      if (here !== column) [column, tallest] = [here, 0];
      const tall = value <= 0 ? 0 : Math.max(1, (value / Math.max(most, 1e-9)) * (height - 2));
      if (tall <= tallest) continue;
      tallest = tall;
      ctx.fillRect(x, height - tall, Math.max(1, step), tall);
    }
  }
}
