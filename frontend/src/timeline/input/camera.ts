/** The window that is shown, and how it goes to another: at once, gliding, or under a held key. */

import type { RelNs, Span } from "../../lib/time.ts";
import { spanLength } from "../../lib/time.ts";
import type { Command } from "../keys.ts";
import { Motion } from "./motion.ts";

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
