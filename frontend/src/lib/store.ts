/** A value that others follow, as React's `useSyncExternalStore` takes it. */
export class Store<S> {
  readonly #listeners = new Set<() => void>();
  #state: S;

  constructor(state: S) {
    this.#state = state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): S => this.#state;

  /** Replaces the value and calls every listener, also where it is the same. */
  set(state: S): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Removes all subscribers. */
  clear(): void {
    this.#listeners.clear();
  }
}

/** A call after a pause; one at a time. */
export class Delay {
  #timer: ReturnType<typeof setTimeout> | null = null;

  get waiting(): boolean {
    return this.#timer !== null;
  }

  /** Calls `then` after `ms`; an earlier call that is still waiting is canceled. */
  start(then: () => void, ms: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      then();
    }, ms);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
