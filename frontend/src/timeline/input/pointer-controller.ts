import type { Span } from "../../lib/time.ts";
import { fitSpan } from "../../lib/viewport.ts";
import type { LaneBox } from "../lanes.ts";
import type { Plot, Pointer } from "../plot/plot.ts";
import { attachGestures } from "./gestures.ts";
import type { SelectionController } from "./selection.ts";
import type { ViewportController } from "./viewport-controller.ts";

/** Pointer and wheel on the mounted plot: where the pointer is, what it marks, what its clicks take and move. */

export interface PointerHooks {
  /** What follows the pointer is to be drawn anew. */
  readonly pointed: () => void;
  readonly scrolled: () => void;
  readonly resized: () => void;
  /** A hand let go of the window. */
  readonly settle: () => void;
  /** A double click on a lane where nothing stands; false: it means nothing. */
  readonly toggle: (box: LaneBox) => boolean;
}

export class PointerController {
  pointer: Pointer | null = null;
  /** The stretch under a Shift drag. */
  marking: { readonly x0: number; readonly x1: number } | null = null;
  readonly #viewport: ViewportController;
  readonly #selection: SelectionController;
  readonly #hooks: PointerHooks;

  constructor(viewport: ViewportController, selected: SelectionController, hooks: PointerHooks) {
    this.#viewport = viewport;
    this.#selection = selected;
    this.#hooks = hooks;
  }

  /** Returns the way to stop. */
  take(plot: Plot): () => void {
    const { pointed, scrolled, resized, settle } = this.#hooks;
    return listen(plot, {
      view: () => this.#viewport.view,
      bounds: () => this.#viewport.limits,
      move: (span) => this.#viewport.moveTo(span),
      settle,
      point: (pointer) => {
        this.pointer = pointer;
        pointed();
      },
      click: (x, y) => this.#selection.take(plot.pick(x, y, this.#viewport.view)?.picked.taken ?? null),
      doubleClick: (x, y) => this.#doubleClick(plot, x, y),
      mark: (marking) => {
        this.marking = marking;
        pointed();
      },
      marked: (span: Span) => {
        this.marking = null;
        this.#viewport.stepTo(span);
      },
      scrolled,
      resized,
    });
  }

  #doubleClick(plot: Plot, x: number, y: number): void {
    const box = plot.boxAt(y);
    const picked = plot.pick(x, y, this.#viewport.view)?.picked;
    if (box && picked?.taken === null && this.#hooks.toggle(box)) return;
    const zoom = picked?.zoom;
    if (zoom) this.#viewport.stepTo(fitSpan(zoom, this.#viewport.limits));
  }
}

/** What hands do to the mounted plot, and how its boxes change. */

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
