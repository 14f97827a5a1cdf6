/** What failed is tried again after this time, ms, as long as it is still wanted. */
export const RETRY_MS = 1500;

/** The wait until something is tried again; one at a time. */
export class Retry {
  #timer: ReturnType<typeof setTimeout> | null = null;

  get waiting(): boolean {
    return this.#timer !== null;
  }

  /** Has `again` done once the wait is over; a wait that was under way is given up. */
  start(again: () => void): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      again();
    }, RETRY_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
