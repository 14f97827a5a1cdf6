/** The tooltip's life while the pointer and the window move. */

import { type Described, describeHit } from "../logic/describe.ts";
import type { AbsNs } from "../logic/time.ts";
import type { Painter } from "./painter.ts";
import type { Probed } from "./probe.ts";
import { Tooltip } from "./tooltip.ts";

/** What stands under the pointer, and the colour beside its name. */
export interface Under {
  readonly what: Described;
  readonly swatch: string | null;
}

export function describeProbed({ box, tile, hit }: Probed, origin: AbsNs, painter: Painter): Under {
  const what = describeHit(box, tile, hit, { origin, taskName: (task) => painter.taskName(task) });
  if (what.task !== null) return { what, swatch: painter.taskFill(what.task) };
  return { what, swatch: box.kind === "node" ? painter.nodeColour(box.nid) : null };
}

/** The tooltip comes back when the window has not moved for this time. */
const REST_MS = 90;

export class HoverTip {
  readonly #tooltip: Tooltip;
  readonly #again: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** @param again called when the window has come to rest: then `follow` should be, too */
  constructor(box: HTMLElement, again: () => void) {
    this.#tooltip = new Tooltip(box);
    this.#again = again;
  }

  follow(
    under: Under | null,
    pointer: { readonly clientX: number; readonly clientY: number } | null,
    moving: boolean,
  ): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!under || !pointer || moving) {
      this.#tooltip.hide();
      if (under && moving) this.#timer = setTimeout(this.#again, REST_MS);
      return;
    }
    this.#tooltip.show(under.what, under.swatch, pointer.clientX, pointer.clientY);
  }
}
