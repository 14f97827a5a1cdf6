import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { type Palette, readPalette } from "./palette.ts";
import { currentTheme, subscribeTheme } from "./theme.ts";

/** A canvas that follows its box and the screen's pixel density. */

export interface Surface {
  readonly canvas: HTMLCanvasElement;
  readonly ctx: CanvasRenderingContext2D;
  /** CSS pixels. */
  width: number;
  height: number;
  ratio: number;
}

/** @param opaque without anything below, which saves the browser the blending */
export function makeSurface(canvas: HTMLCanvasElement, opaque: boolean): Surface {
  const ctx = canvas.getContext("2d", { alpha: !opaque });
  if (!ctx) throw new Error("This browser offers no 2D canvas.");
  return { canvas, ctx, width: 0, height: 0, ratio: 1 };
}

/** Sizes the backing store; returns true when it changed (and was thereby cleared). */
export function fitSurface(surface: Surface, width: number, height: number, ratio: number): boolean {
  if (surface.width === width && surface.height === height && surface.ratio === ratio) return false;
  surface.width = width;
  surface.height = height;
  surface.ratio = ratio;
  surface.canvas.width = Math.max(1, Math.round(width * ratio));
  surface.canvas.height = Math.max(1, Math.round(height * ratio));
  return true;
}

/** Clears (to the ground where given), and sets the scale so that painters work in CSS pixels. */
export function beginFrame(surface: Surface, ground: string | null): CanvasRenderingContext2D {
  const { ctx, ratio } = surface;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.globalAlpha = 1;
  if (ground === null) ctx.clearRect(0, 0, surface.width, surface.height);
  else {
    ctx.fillStyle = ground;
    ctx.fillRect(0, 0, surface.width, surface.height);
  }
  return ctx;
}

/** Maps relative time to CSS pixels of a plot. */
export interface TimeScale {
  readonly from: number;
  /** CSS pixels per ns. */
  readonly perNs: number;
}

export function timeScale(span: { readonly from: number; readonly to: number }, width: number): TimeScale {
  return { from: span.from, perNs: width / (span.to - span.from) };
}

export function xOf(scale: TimeScale, t: number): number {
  return (t - scale.from) * scale.perNs;
}

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
