/** The tooltip's life while the pointer and the window move. */

import type { Picked } from "../panel.ts";
import { Tooltip } from "./tooltip.ts";

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
    under: Pick<Picked, "what" | "swatch"> | null,
    pointer: { readonly clientX: number; readonly clientY: number } | null,
    moving: boolean,
  ): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!under || !pointer || moving) {
      this.#tooltip.hide();
      if (pointer && moving) this.#timer = setTimeout(this.#again, REST_MS);
      return;
    }
    this.#tooltip.show(under.what, under.swatch, pointer.clientX, pointer.clientY);
  }
}
