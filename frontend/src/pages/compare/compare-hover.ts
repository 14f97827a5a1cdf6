/** Where the pointer, or the keyboard, is in the heat maps of a comparison: one moment for all that share a scale. */

export interface HeatCursor {
  /** Which map it is in. */
  readonly place: number;
  /** ns after the begin of its window. */
  readonly at: number;
  /** Where a stretch was begun. */
  readonly since: number | null;
}

export class CompareHover {
  readonly #listeners = new Set<() => void>();
  #cursor: HeatCursor | null = null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): HeatCursor | null => this.#cursor;

  set(cursor: HeatCursor | null): void {
    if (cursor === this.#cursor) return;
    this.#cursor = cursor;
    for (const listener of [...this.#listeners]) listener();
  }
}
