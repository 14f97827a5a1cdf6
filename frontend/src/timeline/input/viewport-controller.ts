/** Moves and bounds of the window: jumps, glides, steps of the history, committed ranges. */

import { around, commitRange, nested } from "../../lib/ranges.ts";
import { type RelNs, type Span, spanLength } from "../../lib/time.ts";
import { clampSpan, fitSpan, mixSpan, panBy, revealSpan, zoomAt } from "../../lib/viewport.ts";
import type { Command } from "../keys.ts";
import type { Scene } from "../scene.ts";
import { type ShownWindow, ZoomHistory } from "./zoom-history.ts";

export interface ViewportHooks {
  /** The window is, or is going, elsewhere. */
  readonly moved: () => void;
  /** Called during a move by hand. */
  readonly follow: () => void;
  /** A step that Back should undo. */
  readonly step: () => void;
  /** Called when the bounds of the window changed. */
  readonly bounded: () => void;
}

export class ViewportController {
  readonly #scene: Pick<Scene, "bounds" | "common">;
  readonly #hooks: ViewportHooks;
  readonly #camera: Camera;
  #history: ZoomHistory;

  constructor(scene: Pick<Scene, "bounds" | "common">, hooks: ViewportHooks) {
    this.#scene = scene;
    this.#hooks = hooks;
    this.#camera = new Camera(clampSpan(scene.common, scene.bounds), scene.bounds);
    this.#history = new ZoomHistory(this.#shown);
  }

  /** Bounds of the window: the innermost committed range, otherwise the whole trace. */
  get limits(): Span {
    return this.#camera.limits;
  }

  get ranges(): readonly Span[] {
    return this.#camera.ranges;
  }

  get view(): Span {
    return this.#camera.view;
  }

  get target(): Span {
    return this.#camera.target;
  }

  get moving(): boolean {
    return this.#camera.moving;
  }

  /** Default window: the innermost range, otherwise the time for which all CPUs have events. */
  get whole(): Span {
    return clampSpan(this.ranges.at(-1) ?? this.#scene.common, this.limits);
  }

  /** Present window, or the target of a move. */
  get #shown(): ShownWindow {
    return { span: this.target, ranges: this.ranges };
  }

  /** A move is over: `undo` returns to what was shown before it. */
  note(): void {
    this.#history.note(this.#shown);
  }

  /** Shows what was shown before the last move, or again what was undone; false when there is nothing. */
  travel(direction: "undo" | "redo"): boolean {
    this.note();
    const shown = this.#history[direction]();
    if (!shown) return false;
    const bounded = shown.ranges !== this.ranges;
    this.#camera.ranges = shown.ranges;
    this.stepTo(shown.span);
    if (bounded) this.#hooks.bounded();
    return true;
  }

  /** Takes over what an address says; a range of another recording bounds nothing here. */
  adopt(ranges: readonly Span[], window: Span | null, glide: boolean): void {
    this.#camera.ranges = nested([this.#scene.bounds, ...ranges]).slice(1);
    const span = window ? clampSpan(window, this.limits) : this.whole;
    if (glide) this.glideTo(span);
    else {
      this.#camera.jump(span);
      this.#history = new ZoomHistory(this.#shown);
    }
  }

  /** Continues a move by hand. */
  moveTo(span: Span): void {
    this.#camera.jump(span);
    this.#hooks.moved();
    this.#hooks.follow();
  }

  glideTo(span: Span): void {
    this.#camera.glide(span);
    this.#hooks.moved();
  }

  stepTo(span: Span): void {
    this.glideTo(clampSpan(span, this.limits));
    this.#hooks.step();
  }

  /** Shows an interval with space at both sides. */
  fit(span: Span): void {
    this.widenTo(span);
    this.glideTo(fitSpan(span, this.limits));
  }

  /** Moves just enough to show an interval, without zooming in. */
  reveal(span: Span): void {
    this.widenTo(span);
    const shown = this.target;
    const next = revealSpan(shown, span, this.limits);
    if (next !== shown) this.glideTo(next);
  }

  /** Moves a moment into the middle of the window, as one step. */
  centre(at: RelNs): void {
    const half = spanLength(this.target) / 2;
    this.widenTo({ from: at, to: at });
    this.stepTo({ from: at - half, to: at + half });
  }

  /** Fits an interval into the window; if it already fits, or without one, fits the whole recording. */
  fitOrWhole(span: Span | null): void {
    const { whole, target: shown } = this;
    const fitted = span ? fitSpan(span, this.limits) : whole;
    const away = Math.abs(shown.from - fitted.from) + Math.abs(shown.to - fitted.to);
    this.stepTo(away < spanLength(fitted) * 0.01 ? whole : fitted);
  }

  /** Makes an interval, usually the window, the range that everything stays inside of. */
  commit(span: Span = this.target): void {
    const ranges = commitRange(this.ranges, span, this.#scene.bounds);
    if (ranges) this.#bound(ranges);
  }

  /** Leaves the ranges after the first `depth` and shows what then bounds the window. */
  leaveRanges(depth: number): void {
    if (depth < this.ranges.length) this.#bound(this.ranges.slice(0, depth));
  }

  #bound(ranges: readonly Span[]): void {
    this.#camera.ranges = ranges;
    this.stepTo(this.limits);
    this.#hooks.bounded();
  }

  /** Leaves the ranges that do not contain an interval. */
  widenTo(span: Span): void {
    const ranges = around(this.ranges, span);
    if (ranges.length === this.ranges.length) return;
    this.#camera.ranges = ranges;
    this.#hooks.bounded();
  }

  press(command: Command): void {
    this.#camera.press(command);
    this.#hooks.moved();
  }

  /** Returns true when the last held key went up. */
  release(command: Command): boolean {
    return this.#camera.release(command);
  }

  releaseAll(): boolean {
    return this.#camera.releaseAll();
  }

  /**
   * One frame further.
   * @param anchor the time that zoom keys keep still
   */
  advance(now: number, anchor: RelNs): void {
    this.#camera.advance(now, anchor);
  }
}

/** The window that is shown, and how it goes to another: at once, gliding, or under a held key. */

/** Below this share of a window two windows count as the same. */
const SAME = 1e-6;

export class Camera {
  readonly #motion = new Motion();
  readonly #bounds: Span;
  #view: Span;
  /** Committed ranges inside each other, the outermost first. */
  ranges: readonly Span[] = [];

  constructor(view: Span, bounds: Span) {
    this.#view = view;
    this.#bounds = bounds;
  }

  /** Bounds of the window: the innermost committed range, otherwise the whole trace. */
  get limits(): Span {
    return this.ranges.at(-1) ?? this.#bounds;
  }

  get view(): Span {
    return this.#view;
  }

  /** Target of a glide; the current window without one. */
  get target(): Span {
    return this.#motion.target ?? this.#view;
  }

  get moving(): boolean {
    return this.#motion.active;
  }

  jump(span: Span): void {
    this.#motion.stop();
    this.#view = span;
  }

  glide(span: Span): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const far = Math.abs(span.from - this.#view.from) + Math.abs(span.to - this.#view.to);
    if (still || far < spanLength(span) * SAME) this.jump(span);
    else this.#motion.glide(this.#view, span, performance.now());
  }

  press(command: Command): void {
    this.#motion.press(command, performance.now());
  }

  /** Returns true when the last held key went up. */
  release(command: Command): boolean {
    return this.#motion.release(command);
  }

  releaseAll(): boolean {
    return this.#motion.releaseAll();
  }

  /**
   * One frame further.
   * @param anchor the time that zoom keys keep still
   * @returns whether keys move it, and not a glide
   */
  advance(now: number, anchor: RelNs): boolean {
    const held = this.#motion.target === null;
    this.#view = this.#motion.step(this.#view, now, anchor, this.limits);
    return held;
  }
}

/** Moves of the window over time: glides to a target, and keys that are held down. */

const GLIDE_MS = 180;
/** Share of the window per second that a held key pans. */
const PAN_PER_S = 1.1;
/** Factor per second that a held key zooms. */
const ZOOM_PER_S = 7;

export class Motion {
  #glide: { from: Span; to: Span; start: number } | null = null;
  readonly #held = new Set<Command>();
  #last = 0;

  glide(from: Span, to: Span, now: number): void {
    this.#glide = { from, to, start: now };
  }

  /** End of a glide, or null without one. */
  get target(): Span | null {
    return this.#glide?.to ?? null;
  }

  stop(): void {
    this.#glide = null;
  }

  press(command: Command, now: number): void {
    if (this.#held.size === 0) this.#last = now;
    this.#held.add(command);
    this.#glide = null;
  }

  /** Returns true when the last held key went up. */
  release(command: Command): boolean {
    return this.#held.delete(command) && this.#held.size === 0;
  }

  releaseAll(): boolean {
    const any = this.#held.size > 0;
    this.#held.clear();
    return any;
  }

  get active(): boolean {
    return this.#glide !== null || this.#held.size > 0;
  }

  /** The window at `now`. `anchor` is the time that zoom keys keep still. */
  step(span: Span, now: number, anchor: number, bounds: Span): Span {
    if (this.#glide) {
      const { from, to, start } = this.#glide;
      const t = Math.min(1, Math.max(0, (now - start) / GLIDE_MS));
      if (t >= 1) this.#glide = null;
      return mixSpan(from, to, 1 - (1 - t) ** 3);
    }
    const seconds = Math.min(0.05, Math.max(0, (now - this.#last) / 1000));
    this.#last = now;
    let next = span;
    if (this.#held.has("pan-left")) next = panBy(next, -PAN_PER_S * seconds, bounds);
    if (this.#held.has("pan-right")) next = panBy(next, PAN_PER_S * seconds, bounds);
    const inside = Math.min(Math.max(anchor, next.from), next.from + spanLength(next));
    if (this.#held.has("zoom-in")) next = zoomAt(next, inside, ZOOM_PER_S ** seconds, bounds);
    if (this.#held.has("zoom-out")) next = zoomAt(next, inside, ZOOM_PER_S ** -seconds, bounds);
    return next;
  }
}
