/** The window on the minimap as a D3 brush: drag it, pull its edges, or click elsewhere to move it there. */

import { type BrushBehavior, brushX, type D3BrushEvent } from "d3-brush";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { type Span, spanLength } from "../../lib/time.ts";
import { MIN_WIDTH } from "./draw-minimap.ts";

export interface BrushHandlers {
  /** The window while the brush moves. */
  readonly move: (span: Span) => void;
  /** The hand let go. */
  readonly end: () => void;
}

/** No window is this: the first that is shown differs. */
const NOWHERE: Span = { from: 0, to: 0 };

export class MinimapBrush {
  readonly #group: SVGGElement;
  readonly #handlers: BrushHandlers;
  readonly #brush: BrushBehavior<undefined>;
  #bounds: Span = { from: 0, to: 1 };
  #width = 0;
  #height = 0;
  #view: Span = NOWHERE;
  /** What the brush was last put to. */
  #shown: Span = NOWHERE;
  #busy = false;

  constructor(group: SVGGElement, handlers: BrushHandlers) {
    this.#group = group;
    this.#handlers = handlers;
    this.#brush = brushX<undefined>()
      .on("start brush", (event: D3BrushEvent<undefined>) => this.#moved(event))
      .on("end", (event: D3BrushEvent<undefined>) => this.#ended(event));
  }

  resize(width: number, height: number, bounds: Span): void {
    if (this.#width === width && this.#height === height && this.#bounds === bounds) return;
    this.#width = width;
    this.#height = height;
    this.#bounds = bounds;
    this.#brush.extent([
      [0, 0],
      [width, height],
    ]);
    select<SVGGElement, undefined>(this.#group).call(this.#brush);
    this.#shown = NOWHERE;
  }

  /**
   * Puts the brush where the window is; while that moves, the canvas below shows it, and elements that nobody can see
   * need not follow with every frame.
   */
  show(view: Span): void {
    this.#view = view;
    const same = view.from === this.#shown.from && view.to === this.#shown.to;
    // While a hand holds it, the brush is where the hand is.
    if (this.#width === 0 || this.#busy || same) return;
    this.#shown = view;
    const scale = this.#scale();
    let x0 = scale(view.from);
    let x1 = scale(view.to);
    if (x1 - x0 < MIN_WIDTH) {
      const centre = (x0 + x1) / 2;
      x0 = centre - MIN_WIDTH / 2;
      x1 = centre + MIN_WIDTH / 2;
    }
    const inside = (x: number) => Math.min(Math.max(x, 0), this.#width);
    select<SVGGElement, undefined>(this.#group).call(this.#brush.move, [inside(x0), inside(x1)]);
  }

  destroy(): void {
    this.#brush.on("start brush end", null);
    select(this.#group).on(".brush", null).selectAll("*").remove();
  }

  #scale() {
    return scaleLinear([this.#bounds.from, this.#bounds.to], [0, this.#width]);
  }

  #moved(event: D3BrushEvent<undefined>): void {
    // Without a source event it was show() that moved the brush.
    if (!event.sourceEvent) return;
    this.#busy = true;
    const range = event.selection as [number, number] | null;
    if (event.type !== "brush" || !range) return;
    const scale = this.#scale();
    const from = scale.invert(range[0]);
    if (event.mode === "drag") {
      // Carried as a whole: the length stays what it was to the ns, whatever the pixels say.
      this.#handlers.move({ from, to: from + spanLength(this.#view) });
    } else if (range[1] - range[0] >= MIN_WIDTH) {
      this.#handlers.move({ from, to: scale.invert(range[1]) });
    }
  }

  #ended(event: D3BrushEvent<undefined>): void {
    if (!event.sourceEvent) return;
    this.#busy = false;
    // Where the hand left it may not be where the window came to rest.
    this.#shown = NOWHERE;
    if (!event.selection && event.sourceEvent instanceof MouseEvent) {
      const left = this.#group.ownerSVGElement?.getBoundingClientRect().left ?? 0;
      const centre = this.#scale().invert(event.sourceEvent.clientX - left);
      const half = spanLength(this.#view) / 2;
      this.#handlers.move({ from: centre - half, to: centre + half });
    }
    this.#handlers.end();
  }
}
