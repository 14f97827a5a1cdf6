import { useCallback } from "react";
import { beginFrame, type Paint, type Surface, useCanvas } from "./surface.ts";
import "./canvas.css";

interface Props extends Spark {
  /** The text for a reader who does not see it. */
  readonly says: string;
}

export function Sparkline({ mean, max, most, says }: Props) {
  const paint = useCallback<Paint>(
    (surface, palette) => paintSparkline(surface, { mean, max, most }, palette.cost, palette.costSoft),
    [mean, max, most],
  );
  const canvas = useCanvas(paint, 0);
  return <canvas ref={canvas} className="sparkline" role="img" aria-label={says} />;
}

export interface Spark {
  readonly mean: readonly number[];
  readonly max: readonly number[];
  /** Value at full height, the same for all that stand below each other. */
  readonly most: number;
}

export function paintSparkline(
  surface: Surface,
  { mean, max, most }: Spark,
  solid: string,
  soft: string,
): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const count = Math.max(1, mean.length);
  const step = width / count;
  const bars = (values: readonly number[], fill: string) => {
    ctx.fillStyle = fill;
    for (const [i, value] of values.entries()) {
      if (value <= 0) continue;
      const tall = Math.max(1, Math.min(height, (value / Math.max(most, 1e-9)) * height));
      ctx.fillRect(i * step, height - tall, Math.max(1, step), tall);
    }
  };
  bars(max, soft);
  bars(mean, solid);
}
