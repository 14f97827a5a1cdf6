import type { Slice } from "../../api/types.ts";
import { formatDuration } from "../../lib/format.ts";
import { type RelNs, type Span, spanLength } from "../../lib/time.ts";
import { crosshairText, drawAxis } from "../../ui/canvas/axis.tsx";
import type { Theme } from "../../ui/canvas/colour.ts";
import { cpuStrips } from "../draw/strips.ts";
import { HEADING, type LaneBox } from "../lanes.ts";
import { drawNoteFlags, drawThreadFlags, isMarkedOn, type Notes } from "../notes.ts";
import type { Picked, PickedFact } from "../panel.ts";
import type { PanelStack } from "../panel-stack.ts";
import { type LitWait, type Scene, sliceSpan } from "../scene.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";
import { type BrushHandlers, MinimapBrush } from "./draw-minimap.ts";
import type { PlaceLane } from "./draw-notes.ts";
import { HoverTip } from "./draw-overlay.ts";
import { Painter } from "./painter.ts";

/** The mounted timeline: its elements, their sizes, one frame on each canvas, and what is under a point. */

export interface PlotElements {
  readonly scroller: HTMLElement;
  readonly plot: HTMLElement;
  readonly lanes: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly brush: SVGGElement;
  readonly axis: SVGSVGElement;
  /** Written only here, with every frame. */
  readonly windowLength: HTMLElement;
  readonly crosshairTime: HTMLElement;
  readonly tooltip: HTMLElement;
}

export interface Pointer {
  readonly x: number;
  readonly y: number;
  readonly clientX: number;
  readonly clientY: number;
}

export interface OverlayFrame {
  readonly view: Span;
  readonly pointer: Pointer | null;
  readonly area: Span | null;
  readonly slice: Slice | null;
  readonly fact: PickedFact | null;
  readonly lit: LitWait | null;
  readonly notes: Notes;
  readonly limits: Span;
  /** The window moves: the tooltip would be of what is there no more. */
  readonly moving: boolean;
}

export interface PlotParts {
  readonly elements: PlotElements;
  readonly scene: Scene;
  readonly source: TimelineSource;
  readonly stack: PanelStack;
  readonly theme: Theme;
  /** null is the screen's. */
  readonly ratio: number | null;
  readonly brush: BrushHandlers;
  /** The overlay should be drawn again: the window has come to rest under the pointer. */
  readonly again: () => void;
}

/** A length that changes all the time is written this often. */
const LENGTH_MS = 120;
/** Around a mark that was taken, CSS pixels. */
const TAKEN = 8;

export class Plot {
  readonly elements: PlotElements;
  readonly painter: Painter;
  readonly #scene: Scene;
  readonly #stack: PanelStack;
  readonly #brush: MinimapBrush;
  readonly #axis: TimeAxis;
  readonly #tip: HoverTip;
  readonly #ratio: number | null;
  /** Kept here: asking the element in every frame would make the browser lay the page out each time. */
  scrolled = 0;
  #lengthText = "";
  #lengthAt = 0;
  width = 1;
  height = 1;

  constructor({ elements, scene, source, stack, theme, ratio, brush, again }: PlotParts) {
    this.#ratio = ratio;
    this.elements = elements;
    this.#scene = scene;
    this.#stack = stack;
    this.painter = new Painter(scene, source, elements, theme);
    this.#tip = new HoverTip(elements.tooltip, again);
    this.#brush = new MinimapBrush(elements.brush, brush);
    this.#axis = new TimeAxis(elements.axis, scene.origin);
  }

  /** Follows its box; the canvases are empty then. */
  resize(): void {
    const { scroller, plot, minimap } = this.elements;
    // The rows above the scroller keep the width of its scroll bar free, so that time lines up.
    scroller.parentElement?.style.setProperty(
      "--scroll-bar",
      `${scroller.offsetWidth - scroller.clientWidth}px`,
    );
    this.width = Math.max(1, plot.clientWidth);
    this.height = Math.max(1, scroller.clientHeight);
    plot.style.height = `${this.height}px`;
    this.scrolled = scroller.scrollTop;
    const minimapHeight = minimap.clientHeight;
    const ratio = this.#ratio ?? (window.devicePixelRatio || 1);
    this.painter.resize({ width: this.width, height: this.height, minimapHeight, ratio });
    this.#brush.resize(this.width, minimapHeight, this.#scene.bounds);
  }

  get visible(): readonly LaneBox[] {
    return this.#stack.visible(this.scrolled, this.height);
  }

  timeAt(x: number, view: Span): RelNs {
    return view.from + (x / this.width) * spanLength(view);
  }

  boxAt(y: number): LaneBox | null {
    return this.#stack.laneAt(y + this.scrolled);
  }

  /** The item at a point of the plot; null between lanes, outside the trace and where nothing is loaded. */
  pick(x: number, y: number, view: Span): { readonly box: LaneBox; readonly picked: Picked } | null {
    const box = this.boxAt(y);
    const at = this.timeAt(x, view);
    const { from, to } = this.#scene.bounds;
    if (!box || at < from || at > to) return null;
    const perPixel = spanLength(view) / this.width;
    const lane = y + this.scrolled - box.y;
    const picked = this.#stack.pick({ box, y: lane, at, view, width: this.width, perPixel });
    return picked && { box, picked };
  }

  /** @param moving the window is still moving: position texts may follow when it has come to rest */
  drawLanes(view: Span, focus: ReadonlySet<number> | null, notes: Notes, moving: boolean): void {
    const { visible } = this;
    this.painter.paintLanes({ view, visible, scrollTop: this.scrolled, focus, stack: this.#stack });
    this.#axis.show(view, this.width, notes, moving);
    this.painter.paintWindow(view);
    this.#writeLength(view, moving);
    if (!moving) this.#brush.show(view);
  }

  settle(view: Span, notes: Notes): void {
    this.#axis.show(view, this.width, notes, false);
    this.#writeLength(view, false);
    this.#brush.show(view);
  }

  /**
   * Writes the length at a low rate: sixty numbers a second are unreadable, and each makes the browser lay out the
   * row.
   */
  #writeLength(view: Span, moving: boolean): void {
    const now = performance.now();
    if (moving && now - this.#lengthAt < LENGTH_MS) return;
    const text = formatDuration(spanLength(view));
    if (text === this.#lengthText) return;
    this.#lengthText = text;
    this.#lengthAt = now;
    this.elements.windowLength.textContent = text;
  }

  drawOverlay({ view, pointer, area, slice, fact, lit, moving, notes, limits }: OverlayFrame): void {
    // What is under a pointer that rests while the window moves is shown when that rests, too.
    const found = pointer && !moving ? this.pick(pointer.x, pointer.y, view) : null;
    const ring = (box: LaneBox | null, span: Span, top: number, height: number) =>
      box && this.painter.outlineOf(box, span, { top, height }, view, this.scrolled);
    const outline = found?.picked.outline;
    const perPixel = spanLength(view) / this.width;
    const over = {
      crosshair: pointer?.x ?? null,
      hovered: found && outline ? ring(found.box, outline.span, outline.top, outline.height) : null,
      selected: slice && this.#sliceRing(slice, ring),
      taken: fact && this.#factRing(fact, perPixel, ring),
      lit: this.#litRings(lit, ring),
      area: area && this.painter.extentOf(area, view),
    };
    const lanes = notes.places.length > 0 ? this.#lanesOf(notes) : [];
    this.painter.paintOverlay(over, notes, lanes, limits, view);
    this.#tip.follow(found?.picked ?? null, pointer, moving);
    this.#placeTime(pointer, view);
  }

  /** Positions of marked occurrences on the screen: CPU lanes, and those of nodes whose CPUs are not shown. */
  #lanesOf({ places }: Notes): readonly PlaceLane[] {
    const above = this.#stack.pinnedHeight;
    return this.visible.flatMap((box) => {
      const y = box.y - this.scrolled;
      const pinned = this.#stack.layout.pinned.some(({ key }) => key === box.key);
      if (!pinned && y < above) return [];
      const own = places.filter((place) => isMarkedOn(place, box, this.#scene.nodes));
      return own.length > 0 ? [{ y, places: own }] : [];
    });
  }

  #sliceRing<T>(slice: Slice, ring: Ring<T>): T | null {
    const box = this.#stack.boxOf(`cpu:${slice.cpu}`);
    const { runTop, runHeight } = cpuStrips(box?.height ?? 0);
    return ring(box, sliceSpan(slice, this.#scene.origin), runTop, runHeight);
  }

  #litRings<T>(lit: LitWait | null, ring: Ring<T>): readonly T[] {
    return (lit?.parts ?? []).flatMap(({ lane, span }) => {
      const box = this.#stack.boxOf(lane);
      const rung = box && ring(box, span, 1, box.height - 2);
      return rung ? [rung] : [];
    });
  }

  #factRing<T>({ at, lane }: PickedFact, perPixel: number, ring: Ring<T>): T | null {
    const box = this.#stack.boxOf(lane);
    const t = Number(at - this.#scene.origin);
    const span = { from: t - TAKEN * perPixel, to: t + TAKEN * perPixel };
    return ring(box, span, 1, (box?.height ?? 0) - 2);
  }

  #placeTime(pointer: Pointer | null, view: Span): void {
    const { crosshairTime } = this.elements;
    const hidden = pointer === null;
    if (hidden !== crosshairTime.hidden) crosshairTime.hidden = hidden;
    if (!pointer) return;
    crosshairTime.textContent = crosshairText(this.#scene.origin, view, pointer.x, this.width);
    // The browser knows how wide the text is: asking would make it lay the page out in the middle of a frame.
    const x = Math.round(pointer.x);
    crosshairTime.style.transform = `translateX(clamp(0px, ${x}px - 50%, ${this.width}px - 100%))`;
  }

  /** Scrolls to a lane that is not seen whole: a heading as little as shows it, any other into the middle. */
  bringUp(key: string): void {
    const box = this.#stack.boxOf(key);
    const { scroller } = this.elements;
    if (!box) return;
    const above = this.#stack.pinnedHeight;
    if (this.#stack.layout.pinned.some((pinned) => pinned.key === key)) return;
    const [top, bottom] = [box.y - above, box.y + box.height - this.height];
    if (scroller.scrollTop <= top && scroller.scrollTop >= bottom) return;
    if (box.kind !== HEADING) scroller.scrollTop = (top + bottom) / 2;
    else scroller.scrollTop = scroller.scrollTop > top ? top : bottom;
  }

  destroy(): void {
    this.#brush.destroy();
  }
}

type Ring<T> = (box: LaneBox | null, span: Span, top: number, height: number) => T | null;

/**
 * The axis of a moving window. While it pans, ticks for three windows slide as one picture, which costs the
 * browser neither layout nor paint; a zoom places them again; at rest they are drawn for exactly the visible part.
 */

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

  /** @param moving the window is still moving: the ticks may cover more than the visible part */
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
