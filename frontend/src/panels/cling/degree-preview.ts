/**
 * The degree under the reader's hand, before it is the view's. Charts follow it with every pixel of the slider without React;
 * the address and the service hear of it when it has come to rest.
 */

const REST_MS = 250;

export class DegreePreview {
  readonly #listeners = new Set<() => void>();
  readonly #commit: (degree: number) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #value: number | null = null;

  constructor(commit: (degree: number) => void) {
    this.#commit = commit;
  }

  /** null while it is the view's. */
  get value(): number | null {
    return this.#value;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  move(degree: number): void {
    this.#stop();
    this.#timer = setTimeout(() => this.#commit(degree), REST_MS);
    this.#set(degree);
  }

  /** The view has a degree of its own now, by whatever way. */
  settle(): void {
    this.#stop();
    this.#set(null);
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #set(value: number | null): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }
}
