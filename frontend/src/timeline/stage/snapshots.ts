/** What React sees of something that moves: a new object when it has come to rest, and none while it moves. */

import { work } from "../work.ts";

/** At rest for this long. */
const REST_MS = 120;

export class Snapshots<T> {
  readonly #take: () => T;
  readonly #busy: () => boolean;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #current: T | null = null;
  /** A move is over, or something else changed in the middle of it; called before the listeners are called. */
  onSettle: () => void = () => {};
  /**
   * It came to rest by itself. Not called where a change cut a move short: half of that change may still be to come, and who
   * remembers the state of a rest (the address) would remember a mixture of before and after.
   */
  onRest: () => void = () => {};

  /** @param busy it moves, however long the last frame took: then no pause is a rest */
  constructor(take: () => T, busy: () => boolean = () => false) {
    this.#take = take;
    this.#busy = busy;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): T => {
    this.#current ??= this.#take();
    return this.#current;
  };

  /** It moves: a snapshot is taken when it does not any more. */
  moving(): void {
    this.#stop();
    this.#timer = setTimeout(() => {
      if (this.#busy()) this.moving();
      else {
        this.publish();
        this.onRest();
      }
    }, REST_MS);
  }

  /** It moves, or has not rested long enough. */
  get held(): boolean {
    return this.#timer !== null;
  }

  /** Something else changed: published at once, or with the rest of a move that goes on. */
  changed(): void {
    if (this.#timer === null) this.publish();
  }

  publish(): void {
    const moved = this.held;
    this.#stop();
    if (moved) this.onSettle();
    work.snapshots += 1;
    this.#current = this.#take();
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
