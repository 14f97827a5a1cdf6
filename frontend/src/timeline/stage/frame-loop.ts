/** One animation frame for all that has to be drawn anew. */

import type { LaneBox } from "../lanes.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";

export type Layer = "lanes" | "minimap" | "overlay";
export type Dirty = Readonly<Record<Layer, boolean>>;

export class FrameLoop {
  readonly #draw: (now: number, dirty: Dirty) => void;
  #dirty: Record<Layer, boolean> = { lanes: true, minimap: true, overlay: true };
  #frame = 0;
  #running = false;

  constructor(draw: (now: number, dirty: Dirty) => void) {
    this.#draw = draw;
  }

  start(): void {
    this.#running = true;
  }

  stop(): void {
    this.#running = false;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  invalidate(...layers: readonly Layer[]): void {
    for (const layer of layers) this.#dirty[layer] = true;
    if (this.#frame !== 0 || !this.#running) return;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      this.now(now);
    });
  }

  /** In this very frame: a canvas that was sized is empty, and would flash. */
  now(now: number): void {
    const dirty = this.#dirty;
    this.#dirty = { lanes: false, minimap: false, overlay: false };
    this.#draw(now, dirty);
  }
}

/** On the browser's own time line of the page, where measurements find it. */
export const FIRST_LANES = "numalens:lanes";

export class FirstPaint {
  readonly #source: Pick<TimelineSource, "tiles">;
  #marked = false;

  constructor(source: Pick<TimelineSource, "tiles">) {
    this.#source = source;
  }

  /** The lanes that are seen have just been drawn. */
  drawn(visible: readonly LaneBox[]): void {
    if (this.#marked) return;
    const lanes = visible.filter(({ key }) => /^(node|cpu):/.test(key));
    if (lanes.length === 0 || lanes.some(({ key }) => this.#source.tiles(key).length === 0)) return;
    this.#marked = true;
    performance.mark(FIRST_LANES);
  }
}
