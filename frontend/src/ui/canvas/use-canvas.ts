import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { type Palette, readPalette } from "./palette.ts";
import { fitSurface, makeSurface, type Surface } from "./surface.ts";
import { currentTheme, subscribeTheme } from "./theme.ts";

export type Paint = (surface: Surface, palette: Palette) => void;
export type Subscribe = (listener: () => void) => () => void;

/** Nothing but what is drawn changes it. */
const STILL: Subscribe = () => () => {};

/** A canvas that is drawn again when its box, the theme, what is drawn, or one of `follow` changes; at most once a frame. */
export function useCanvas(
  paint: Paint,
  nodeCount: number,
  follow: Subscribe = STILL,
): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useSyncExternalStore(subscribeTheme, currentTheme);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const surface = makeSurface(element, false);
    const palette = readPalette(theme, nodeCount);
    let frame = 0;
    const draw = () => {
      frame = 0;
      fitSurface(surface, element.clientWidth, element.clientHeight, globalThis.devicePixelRatio || 1);
      paint(surface, palette);
    };
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    draw();
    const observer = new ResizeObserver(soon);
    observer.observe(element);
    const stop = follow(soon);
    return () => {
      stop();
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [paint, nodeCount, theme, follow]);
  return canvas;
}
