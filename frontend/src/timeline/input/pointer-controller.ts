import { type Span, spanLength } from "../../lib/time.ts";
import { fitSpan, panBy, zoomAt } from "../../lib/viewport.ts";
import type { LaneBox } from "../lanes.ts";
import type { Plot, Pointer } from "../plot/plot.ts";
import type { SelectionController } from "./selection.ts";
import type { ViewportController } from "./viewport-controller.ts";

/** Pointer and wheel on the mounted plot: where the pointer is, what it marks, what its clicks take and move. */

export interface PointerHooks {
  /** Called when the drawing at the pointer must be updated. */
  readonly pointed: () => void;
  /** An area is being selected. */
  readonly mark: (span: Span) => void;
  /** Called for a marked range. */
  readonly marked: () => void;
  readonly scrolled: () => void;
  readonly resized: () => void;
  /** A drag of the window ended. */
  readonly settle: () => void;
  /** Handles a double click on an empty place of a lane; false without an effect. */
  readonly toggle: (box: LaneBox) => boolean;
}

export class PointerController {
  pointer: Pointer | null = null;
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
      mark: this.#hooks.mark,
      marked: this.#hooks.marked,
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

/** Gestures on the mounted plot, and changes of its boxes. */

export interface PlotListener {
  readonly view: () => Span;
  readonly bounds: () => Span;
  readonly move: (span: Span) => void;
  readonly settle: () => void;
  readonly point: (pointer: Pointer | null) => void;
  readonly click: (x: number, y: number) => void;
  readonly doubleClick: (x: number, y: number) => void;
  readonly mark: (span: Span) => void;
  readonly marked: () => void;
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
      const before = scroller.scrollTop;
      scroller.scrollTop += pixels;
      // Where the lanes end, a narrow page itself continues.
      scroller.closest("main")?.scrollBy(0, pixels - (scroller.scrollTop - before));
    },
    hover: (x, y, clientX, clientY) => listener.point({ x, y, clientX, clientY }),
    leave: () => listener.point(null),
    click: listener.click,
    doubleClick: listener.doubleClick,
    mark: (x0, x1) => {
      const time = (x: number) => Math.round(plot.timeAt(x, listener.view()));
      const from = time(Math.min(x0, x1));
      listener.mark({ from, to: Math.max(from + 1, time(Math.max(x0, x1))) });
    },
    marked: listener.marked,
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

// Pointer and wheel on the plot, turned into moves of the window.

/** Target of gestures. x and y are CSS pixels inside the plot. */
export interface GestureTarget {
  readonly view: () => Span;
  readonly bounds: () => Span;
  readonly width: () => number;
  /** A continuing move: the address follows quietly. */
  readonly move: (span: Span) => void;
  /** The gesture ended: it becomes one step of the history. */
  readonly settle: () => void;
  readonly scrollBy: (pixels: number) => void;
  readonly hover: (x: number, y: number, clientX: number, clientY: number) => void;
  readonly leave: () => void;
  readonly click: (x: number, y: number) => void;
  readonly doubleClick: (x: number, y: number) => void;
  readonly mark: (x0: number, x1: number) => void;
  readonly marked: () => void;
}

/** Below this distance a press is a click, CSS pixels. */
const CLICK_SLOP = 4;
/** Wheel distance that doubles the scale, CSS pixels. */
const WHEEL_DOUBLING = 240;
/** One wheel event never jumps further than this. */
const WHEEL_MOST = 160;

/** Listens on `plot`; returns the way to stop. */
export function attachGestures(plot: HTMLElement, target: GestureTarget): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  let drag: {
    id: number;
    x: number;
    y: number;
    lastY: number;
    view: Span;
    marking: boolean;
    moved: boolean;
  } | null = null;

  const at = (event: MouseEvent) => {
    const box = plot.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const pinch = new Pinch(target);

  const on = <K extends keyof HTMLElementEventMap>(type: K, act: (event: HTMLElementEventMap[K]) => void) =>
    plot.addEventListener(type, act, { passive: false, signal });

  on("wheel", (event) => {
    event.preventDefault();
    target.move(wheeled(event, at(event).x / target.width(), target));
  });
  on("pointerdown", (event) => {
    if (event.button !== 0) return;
    const { x, y } = at(event);
    const { pointerId: id, shiftKey: marking } = event;
    if (event.pointerType === "touch" && pinch.down(id, x)) {
      drag = null;
      target.leave();
      return;
    }
    drag = { id, x, y, lastY: y, view: target.view(), marking, moved: false };
  });
  on("pointermove", (event) => {
    const { x, y } = at(event);
    if (pinch.move(event.pointerId, x)) return;
    if (!drag) {
      target.hover(x, y, event.clientX, event.clientY);
      return;
    }
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < CLICK_SLOP) return;
    if (!drag.moved) {
      drag.moved = true;
      plot.setPointerCapture(drag.id);
      plot.classList.add(drag.marking ? "marking" : "dragging");
      target.leave();
    }
    if (drag.marking) {
      target.mark(drag.x, x);
      return;
    }
    target.move(panBy(drag.view, (drag.x - x) / target.width(), target.bounds()));
    target.scrollBy(drag.lastY - y);
    drag.lastY = y;
  });

  const finish = (event: PointerEvent, cancelled: boolean) => {
    if (pinch.up(event.pointerId)) {
      target.settle();
      return;
    }
    const done = drag;
    drag = null;
    plot.classList.remove("dragging", "marking");
    if (!done || cancelled) return;
    const { x, y } = at(event);
    if (!done.moved) target.click(x, y);
    else if (done.marking) target.marked();
    else target.settle();
  };
  on("pointerup", (event) => finish(event, false));
  on("pointercancel", (event) => finish(event, true));
  on("pointerleave", () => target.leave());
  on("dblclick", (event) => {
    const { x, y } = at(event);
    target.doubleClick(x, y);
  });
  return () => stop.abort();
}

/** Fingers closer than this would zoom by every tremble, CSS pixels. */
const LEAST_SPREAD = 12;

/** Two fingers on the plot, by pointer and x. */
class Pinch {
  readonly #target: GestureTarget;
  readonly #fingers = new Map<number, number>();
  #begun: { readonly view: Span; readonly x: readonly [number, number] } | null = null;

  constructor(target: GestureTarget) {
    this.#target = target;
  }

  /** Returns whether a pinch begins with this finger. */
  down(id: number, x: number): boolean {
    this.#fingers.set(id, x);
    if (this.#fingers.size !== 2) return false;
    this.#begun = { view: this.#target.view(), x: this.#spread() };
    return true;
  }

  /** Returns whether the finger is part of a pinch. */
  move(id: number, x: number): boolean {
    if (this.#fingers.has(id)) this.#fingers.set(id, x);
    if (!this.#begun) return false;
    this.#target.move(pinched(this.#begun.view, this.#begun.x, this.#spread(), this.#target));
    return true;
  }

  /** Returns whether a pinch ends with this finger; the remaining finger moves nothing. */
  up(id: number): boolean {
    this.#fingers.delete(id);
    if (!this.#begun) return false;
    this.#begun = null;
    this.#fingers.clear();
    return true;
  }

  #spread(): readonly [number, number] {
    const [a = 0, b = 0] = this.#fingers.values();
    return [Math.min(a, b), Math.max(a, b)];
  }
}

/** Window after a move of two fingers: the times under them stay there. */
function pinched(
  view: Span,
  before: readonly [number, number],
  now: readonly [number, number],
  target: GestureTarget,
): Span {
  const width = target.width();
  const apart = ([a, b]: readonly [number, number]) => Math.max(LEAST_SPREAD, b - a);
  const middle = ([a, b]: readonly [number, number]) => (a + b) / 2 / width;
  const held = view.from + middle(before) * spanLength(view);
  const zoomed = zoomAt(view, held, apart(now) / apart(before), target.bounds());
  return panBy(zoomed, middle(before) - middle(now), target.bounds());
}

/**
 * Window after a turn of the wheel: sideways, or by another scale around the pointer.
 * @param place of the pointer, 0 at the left end of the plot and 1 at the right
 */
function wheeled(event: WheelEvent, place: number, target: GestureTarget): Span {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
  const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
  const view = target.view();
  if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY)) {
    return panBy(view, (sideways * unit) / target.width(), target.bounds());
  }
  const delta = Math.max(-WHEEL_MOST, Math.min(WHEEL_MOST, event.deltaY * unit));
  // A pinch arrives as Ctrl and a small delta.
  const factor = 2 ** (-(event.ctrlKey ? delta * 4 : delta) / WHEEL_DOUBLING);
  return zoomAt(view, view.from + place * spanLength(view), factor, target.bounds());
}
