import { useEffect, useRef, useSyncExternalStore } from "react";
import { paintSparkline, type Spark } from "./draw-sparkline.ts";
import { type Palette, readPalette } from "./palette.ts";
import { fitSurface, makeSurface } from "./surface.ts";
import { currentTheme, subscribeTheme } from "./theme.ts";
import "./canvas.css";

interface Props extends Spark {
  /** What a reader who does not see it is told. */
  readonly says: string;
}

/** A curve in a table's cell. */
export function Sparkline({ mean, max, most, says }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const surface = makeSurface(element, false);
    const palette: Palette = readPalette(theme, 0);
    const draw = () => {
      fitSurface(surface, element.clientWidth, element.clientHeight, globalThis.devicePixelRatio || 1);
      paintSparkline(surface, { mean, max, most }, palette.cost, palette.costSoft);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => observer.disconnect();
  }, [mean, max, most, theme]);
  return <canvas ref={canvas} className="sparkline" role="img" aria-label={says} />;
}
