import { useCallback } from "react";
import { formatCount } from "../../../lib/format.ts";
import { type Paint, useCanvas } from "../../../ui/canvas/use-canvas.ts";
import { paintRateChart } from "./draw-rate-chart.ts";
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
