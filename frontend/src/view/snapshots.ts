/** What React sees of something that moves: a new object when it has come to rest, and none while it moves. */

/** At rest for this long. */
const REST_MS = 120;

export class Snapshots<T> {
  readonly #take: () => T;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #current: T | null = null;

  constructor(take: () => T) {
    this.#take = take;
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
    this.#timer = setTimeout(() => this.publish(), REST_MS);
  }

  /** Something else changed: told at once, or with the rest of a move that goes on. */
  changed(): void {
    if (this.#timer === null) this.publish();
  }

  publish(): void {
    this.#stop();
    this.#current = this.#take();
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
