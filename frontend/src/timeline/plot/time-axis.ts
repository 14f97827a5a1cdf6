/**
 * The axis of a window that moves. While it pans, ticks for three windows are slid as one picture, which costs the browser
 * neither layout nor paint; a zoom places them anew; at rest they are drawn for exactly what is seen.
 */

import { type Span, spanLength } from "../../lib/time.ts";
import { drawAxis } from "../../ui/canvas/axis.ts";
import { drawNoteFlags, drawThreadFlags, type Notes } from "../notes.ts";

/** Scales that differ by less are one: over three windows that is a hundredth of a pixel. */
const SAME_SCALE = 1e-6;

interface Drawn {
  readonly span: Span;
  readonly perNs: number;
  readonly plot: number;
  readonly notes: Notes;
}

export class TimeAxis {
  readonly #svg: SVGSVGElement;
  readonly #origin: bigint;
  #drawn: Drawn | null = null;
  #slid = 0;

  constructor(svg: SVGSVGElement, origin: bigint) {
    this.#svg = svg;
    this.#origin = origin;
  }

  /** @param moving the window goes on moving: the ticks may be those of more than is seen */
  show(view: Span, width: number, notes: Notes, moving: boolean): void {
    const perNs = width / spanLength(view);
    const drawn = this.#drawn;
    const near =
      drawn !== null &&
      drawn.notes === notes &&
      drawn.plot === width &&
      Math.abs(perNs / drawn.perNs - 1) < SAME_SCALE;
    if (near && moving && view.from >= drawn.span.from && view.to <= drawn.span.to) {
      this.#slide((drawn.span.from - view.from) * perNs);
      return;
    }
    if (near && drawn.span.from === view.from && drawn.span.to === view.to) return;
    // A zoom would need another strip with every frame.
    const room = near && moving ? spanLength(view) : 0;
    const span = { from: view.from - room, to: view.to + room };
    const wide = spanLength(span) * perNs;
    drawAxis(this.#svg, span, wide, this.#origin);
    drawNoteFlags(this.#svg, notes.marks, span, wide);
    drawThreadFlags(this.#svg, notes, span, wide);
    this.#drawn = { span, perNs, plot: width, notes };
    this.#slide(-room * perNs);
  }

  /** Whole pixels: letters between two would blur. */
  #slide(x: number): void {
    const to = Math.round(x);
    if (to === this.#slid) return;
    this.#slid = to;
    this.#svg.style.transform = to === 0 ? "" : `translateX(${to}px)`;
  }
}
