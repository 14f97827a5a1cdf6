/** Marks, once, the moment from which the reader sees data: every lane of nodes and CPUs on the screen has been drawn with some. */

import type { LaneBox } from "../lanes.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";

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
