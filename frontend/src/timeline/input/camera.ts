import { type RelNs, type Span, spanLength } from "../../lib/time.ts";
import { mixSpan, panBy, zoomAt } from "../../lib/viewport.ts";
import type { Command } from "../keys.ts";

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

  /** What bounds the window: the innermost committed range, else the whole trace. */
  get limits(): Span {
    return this.ranges.at(-1) ?? this.#bounds;
  }

  get view(): Span {
    return this.#view;
  }

  /** Where it is going; where it is when it does not. */
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

  /** Where a glide ends, or null when none is under way. */
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
