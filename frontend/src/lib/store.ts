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
