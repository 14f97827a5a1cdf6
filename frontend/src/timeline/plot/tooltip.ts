/** The tooltip: one element, moved by hand. Task names come from the trace and are only ever text nodes. */

import type { Described, Picked } from "../panel.ts";

export class Tooltip {
  readonly #box: HTMLElement;
  #shown: Described | null = null;

  constructor(box: HTMLElement) {
    this.#box = box;
  }

  /** @param x,y pointer in client coordinates */
  show(what: Described, swatch: string | null, x: number, y: number): void {
    if (this.#shown !== what) {
      this.#shown = what;
      this.#box.replaceChildren(...content(what, swatch));
    }
    this.#box.hidden = false;
    const { offsetWidth, offsetHeight } = this.#box;
    const left = x + 16 + offsetWidth > window.innerWidth ? x - 12 - offsetWidth : x + 16;
    const top = y + 18 + offsetHeight > window.innerHeight ? y - 12 - offsetHeight : y + 18;
    this.#box.style.transform = `translate(${Math.round(Math.max(4, left))}px, ${Math.round(Math.max(4, top))}px)`;
  }

  hide(): void {
    if (this.#shown === null) return;
    this.#shown = null;
    this.#box.hidden = true;
  }
}

function content(what: Described, swatch: string | null): HTMLElement[] {
  const head = element("div", "tip-title");
  if (swatch !== null) {
    const mark = element("span", "swatch");
    mark.style.backgroundColor = swatch;
    head.append(mark);
  }
  head.append(element("strong", "", what.title));
  if (what.label) head.append(element("span", `label label-${what.label}`, what.label));
  const list = element("dl", "facts");
  for (const [name, value] of what.rows) {
    list.append(element("dt", "", name), element("dd", "", value));
  }
  return what.note ? [head, list, element("p", "tip-note", what.note)] : [head, list];
}

function element(tag: string, className: string, text?: string): HTMLElement {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
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
