import { useCallback } from "react";
import { formatCount } from "../../../lib/format.ts";
import type { Palette } from "../../../ui/canvas/palette.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";
import { type Paint, useCanvas } from "../../../ui/canvas/use-canvas.ts";
import type { Rate } from "./memory-table.ts";

interface Props {
  readonly name: string;
  readonly rate: Rate;
  /** Drawn over it, on the same scale. */
  readonly over?: { readonly name: string; readonly rate: Rate };
  readonly says: string;
}

/** Something per second over the window. */
export function RateChart({ name, rate, over, says }: Props) {
  const front = over?.rate;
  const paint = useCallback<Paint>(
    (surface, palette) =>
      paintRateChart(
        surface,
        {
          series: [
            { values: rate.values, colour: palette.muted },
            ...(front ? [{ values: front.values, colour: palette.cost }] : []),
          ],
          most: rate.most,
        },
        palette,
      ),
    [rate, front],
  );
  const canvas = useCanvas(paint, 0);
  return (
    <div className="cling-group">
      <div className="cling-name">
        <b>{name}</b>
        <span className="muted">full height: {formatCount(rate.most)}/s</span>
        {over && (
          <span className="muted">
            <span className="swatch cost-swatch" /> {over.name}
          </span>
        )}
      </div>
      <canvas ref={canvas} className="rate-chart" role="img" aria-label={says} />
    </div>
  );
}

export interface RateBars {
  /** Drawn over each other, the first at the back. */
  readonly series: readonly { readonly values: readonly number[]; readonly colour: string }[];
  readonly most: number;
}

export function paintRateChart(surface: Surface, { series, most }: RateBars, palette: Palette): void {
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
