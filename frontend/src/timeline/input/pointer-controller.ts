/** Pointer and wheel on the mounted plot: where the pointer is, what it marks, what its clicks take and move. */

import type { Span } from "../../lib/time.ts";
import { fitSpan } from "../../lib/viewport.ts";
import type { LaneBox } from "../lanes.ts";
import type { Plot, Pointer } from "../plot/plot.ts";
import { listen } from "./listeners.ts";
import type { SelectionController } from "./selection.ts";
import type { ViewportController } from "./viewport-controller.ts";

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
