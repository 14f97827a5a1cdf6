/** Drawings at the pointer and around the selection: crosshair, outlines, the area. Drawn above the lanes. */

import { Delay } from "../../lib/store.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import type { Described, Picked } from "../panel.ts";

export interface Outline {
  readonly x0: number;
  readonly x1: number;
  readonly top: number;
  readonly height: number;
}

export interface OverlayState {
  /** CSS pixels from the plot's left edge, null when the pointer is elsewhere. */
  readonly crosshair: number | null;
  readonly hovered: Outline | null;
  readonly selected: Outline | null;
  /** Outline of a clicked event's mark: transparent to the drawing below. */
  readonly taken: Outline | null;
  /** Parts of a wait that is looked at, on the lanes where it waited. */
  readonly lit: readonly Outline[];
  /** A selected time range. */
  readonly area: { readonly x0: number; readonly x1: number } | null;
}

export function isEmpty({ crosshair, hovered, selected, taken, lit, area }: OverlayState): boolean {
  return crosshair === null && lit.length === 0 && !hovered && !selected && !taken && !area;
}

export function paintOverlay(
  ctx: CanvasRenderingContext2D,
  size: { readonly width: number; readonly height: number },
  state: OverlayState,
  palette: Palette,
): void {
  if (state.area) {
    const left = Math.max(-2, state.area.x0);
    const width = Math.min(size.width + 2, state.area.x1) - left;
    ctx.fillStyle = palette.accent;
    ctx.globalAlpha = 0.14;
    ctx.fillRect(left, 0, width, size.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, 0, 1, size.height);
    ctx.fillRect(left + width - 1, 0, 1, size.height);
  }
  if (state.crosshair !== null) {
    ctx.fillStyle = palette.text;
    ctx.globalAlpha = 0.45;
    ctx.fillRect(Math.round(state.crosshair), 0, 1, size.height);
    ctx.globalAlpha = 1;
  }
  for (const part of state.lit) outline(ctx, part, palette.accent, 2, size.width);
  if (state.taken) paintTaken(ctx, state.taken, palette);
  if (state.hovered) outline(ctx, state.hovered, palette.text, 1, size.width);
  if (state.selected) {
    // Two rings, so that it stands out on any task's colour.
    outline(ctx, state.selected, palette.ground, 4, size.width);
    outline(ctx, state.selected, palette.text, 2, size.width);
  }
}

function paintTaken(ctx: CanvasRenderingContext2D, { x0, x1, top, height }: Outline, palette: Palette): void {
  ctx.fillStyle = palette.accent;
  ctx.globalAlpha = 0.16;
  ctx.fillRect(x0, top, x1 - x0, height);
  ctx.globalAlpha = 1;
  ctx.fillRect(Math.round(x0), top, 1, height);
  ctx.fillRect(Math.round(x1) - 1, top, 1, height);
}

function outline(
  ctx: CanvasRenderingContext2D,
  box: Outline,
  colour: string,
  width: number,
  plotWidth: number,
): void {
  const x0 = Math.max(-4, box.x0);
  const x1 = Math.min(plotWidth + 4, Math.max(box.x1, box.x0 + 2));
  if (x1 < 0 || x0 > plotWidth) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.strokeRect(x0, box.top + 0.5, x1 - x0, box.height - 1);
}

// The tooltip: one element, moved by hand. Task names come from the trace and are only ever text nodes.

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
  readonly #delay = new Delay();

  /** @param again called when the window has come to rest: `follow` should then be called again */
  constructor(box: HTMLElement, again: () => void) {
    this.#tooltip = new Tooltip(box);
    this.#again = again;
  }

  follow(
    under: Pick<Picked, "what" | "swatch"> | null,
    pointer: { readonly clientX: number; readonly clientY: number } | null,
    moving: boolean,
  ): void {
    this.#delay.stop();
    if (!under || !pointer || moving) {
      this.#tooltip.hide();
      if (pointer && moving) this.#delay.start(this.#again, REST_MS);
      return;
    }
    this.#tooltip.show(under.what, under.swatch, pointer.clientX, pointer.clientY);
  }
}
