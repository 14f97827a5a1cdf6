/**
 * The view in the address bar. While a window moves, the present entry is rewritten occasionally. A step (a fit,
 * an opened node, a selection, the end of a drag) becomes a new entry, so that Back works.
 */

import { Delay } from "../lib/store.ts";
import { EMPTY_VIEW, encodeView, type ViewState } from "./view-state.ts";

/** Browsers refuse more than some hundred rewrites in half a minute. */
const QUIET_MS = 350;

export interface HistoryLike {
  readonly pushState: (data: unknown, unused: string, url: string) => void;
  readonly replaceState: (data: unknown, unused: string, url: string) => void;
}

export class Address {
  readonly #path: (query: string) => string;
  readonly #history: HistoryLike;
  #written: string;
  #pending: string | null = null;
  readonly #delay = new Delay();
  #current: ViewState = EMPTY_VIEW;

  /** @param query what the address says now */
  constructor(path: (query: string) => string, query: string, history: HistoryLike) {
    this.#path = path;
    this.#written = query;
    this.#history = history;
  }

  get view(): ViewState {
    return this.#current;
  }

  /** The query of the present view, also when it is not written yet. */
  get query(): string {
    return encodeView(this.#current);
  }

  /** Takes over a view that the address already shows. */
  adopt(view: ViewState, query: string): void {
    this.drop();
    this.#current = view;
    this.#written = query;
  }

  /** Follows a continuing move. */
  follow(view: ViewState): void {
    this.#current = view;
    this.#pending = encodeView(view);
    if (!this.#delay.waiting) this.#delay.start(() => this.flush(), QUIET_MS);
  }

  /** Makes a step. The entry that is left keeps the last view it had. */
  step(view: ViewState): void {
    this.flush();
    this.#current = view;
    const query = encodeView(view);
    if (query === this.#written) return;
    this.#written = query;
    this.#history.pushState(null, "", this.#path(query));
  }

  /** Writes what is pending into the present entry. */
  flush(): void {
    const query = this.#pending;
    this.drop();
    if (query === null || query === this.#written) return;
    this.#written = query;
    this.#history.replaceState(null, "", this.#path(query));
  }

  /** Forgets what is not written yet. */
  drop(): void {
    this.#pending = null;
    this.#delay.stop();
  }
}
