/** What hands do to the mounted plot, and how its boxes change. */

import type { Span } from "../../lib/time.ts";
import type { Plot, Pointer } from "../plot/plot.ts";
import { attachGestures } from "./gestures.ts";

export interface PlotListener {
  readonly view: () => Span;
  readonly bounds: () => Span;
  readonly move: (span: Span) => void;
  readonly settle: () => void;
  readonly point: (pointer: Pointer | null) => void;
  readonly click: (x: number, y: number) => void;
  readonly doubleClick: (x: number, y: number) => void;
  readonly mark: (marking: { readonly x0: number; readonly x1: number }) => void;
  /** A interval was marked to be shown. */
  readonly marked: (span: Span) => void;
  readonly scrolled: () => void;
  readonly resized: () => void;
}

/** Returns the way to stop. */
export function listen(plot: Plot, listener: PlotListener): () => void {
  const { plot: surface, scroller, minimap } = plot.elements;
  const stop = new AbortController();
  const detach = attachGestures(surface, {
    view: listener.view,
    bounds: listener.bounds,
    width: () => plot.width,
    move: listener.move,
    settle: listener.settle,
    scrollBy: (pixels) => {
      scroller.scrollTop += pixels;
    },
    hover: (x, y, clientX, clientY) => listener.point({ x, y, clientX, clientY }),
    leave: () => listener.point(null),
    click: listener.click,
    doubleClick: listener.doubleClick,
    mark: (x0, x1) => listener.mark({ x0, x1 }),
    marked: (x0, x1) => {
      const time = (x: number) => plot.timeAt(x, listener.view());
      listener.marked({ from: time(Math.min(x0, x1)), to: time(Math.max(x0, x1)) });
    },
  });
  const scroll = () => {
    plot.scrolled = scroller.scrollTop;
    listener.scrolled();
  };
  scroller.addEventListener("scroll", scroll, { signal: stop.signal, passive: true });
  const observer = new ResizeObserver(listener.resized);
  for (const box of [surface, scroller, minimap]) observer.observe(box);
  return () => {
    stop.abort();
    detach();
    observer.disconnect();
  };
}
