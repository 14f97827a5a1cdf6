/**
 * A section of the analysis over a window that moves.
 *
 * A moving window is requested when it has come to rest; at most one request runs, and an unneeded one is aborted. The last answer stays until the next is there, and some earlier ones are kept, so that Back is at once.
 */

import { Delay, Store } from "../../lib/store.ts";
import { ApiError, isAbort, sentenceOf } from "../client.ts";
import type { SectionAnswer, SectionName, SectionQuery, SectionsApi } from "./sections.ts";

export type FetchSection<A> = (query: SectionQuery, signal: AbortSignal) => Promise<A>;

export interface SectionState<A> {
  /** Of `query`, which may be an earlier one than what was requested last. */
  readonly answer: A | null;
  readonly query: SectionQuery | null;
  readonly loading: boolean;
  /** The sentence of the last failure, null while all is well. */
  readonly problem: string | null;
}

/** A window that moves is requested when it has been still for this long. */
const REST_MS = 250;
/** Number of kept answers. */
const KEPT = 8;

export class SectionSource<A> extends Store<SectionState<A>> {
  readonly #fetch: FetchSection<A>;
  readonly #kept = new Map<string, { readonly query: SectionQuery; readonly answer: A }>();
  /** Key of the wanted answer; null when none is wanted. */
  #wanted: string | null = null;
  /** Key of what the service refused: asking again would only be refused again. */
  #refused: string | null = null;
  #flight: { readonly key: string; readonly abort: AbortController } | null = null;
  readonly #delay = new Delay();

  constructor(fetch: FetchSection<A>) {
    super({ answer: null, query: null, loading: false, problem: null });
    this.#fetch = fetch;
  }

  /** Sets what the screen shows now. Cheap when the data is loaded. */
  want(query: SectionQuery): void {
    const key = keyOf(query);
    if (key === this.#refused || (key === this.#wanted && this.getSnapshot().loading)) return;
    this.#wanted = key;
    this.#refused = null;
    this.#delay.stop();
    this.#hangUp();
    const kept = this.#kept.get(key);
    if (kept) {
      if (
        this.getSnapshot().answer !== kept.answer ||
        this.getSnapshot().loading ||
        this.getSnapshot().problem !== null
      ) {
        this.set({ ...kept, loading: false, problem: null });
      }
      return;
    }
    const first = this.getSnapshot().query === null && !this.getSnapshot().loading;
    if (!this.getSnapshot().loading) this.set({ ...this.getSnapshot(), loading: true });
    if (first) void this.#load(query);
    else this.#delay.start(() => void this.#load(query), REST_MS);
  }

  /** Ends the view: a running request is no longer needed. Received answers are kept. */
  drop(): void {
    this.#wanted = null;
    this.#refused = null;
    this.#delay.stop();
    this.#hangUp();
    if (this.getSnapshot().loading) this.set({ ...this.getSnapshot(), loading: false });
  }

  /** The answer to a query, once it is there; null when there is none. */
  async answerTo(query: SectionQuery): Promise<A | null> {
    this.want(query);
    const key = keyOf(query);
    return new Promise((resolve) => {
      const look = () => {
        const kept = this.#kept.get(key);
        if (!kept && this.getSnapshot().loading && this.getSnapshot().problem === null) return false;
        stop();
        resolve(kept?.answer ?? null);
        return true;
      };
      const stop = this.subscribe(look);
      look();
    });
  }

  close(): void {
    this.drop();
    this.clear();
  }

  #hangUp(): void {
    this.#flight?.abort.abort();
    this.#flight = null;
  }

  async #load(query: SectionQuery): Promise<void> {
    const flight = { key: keyOf(query), abort: new AbortController() };
    this.#flight = flight;
    try {
      const answer = await this.#fetch(query, flight.abort.signal);
      if (this.#flight !== flight) return;
      this.#flight = null;
      this.#keep(flight.key, query, answer);
      this.set({ answer, query, loading: false, problem: null });
    } catch (error) {
      if (this.#flight !== flight) return;
      this.#flight = null;
      if (isAbort(error)) return;
      const away = error instanceof ApiError && error.status === 0;
      this.#refused = away ? null : flight.key;
      if (away) this.#delay.start(() => void this.#load(query), RETRY_MS);
      // An answer of another window next to the sentence would be taken for this one's.
      this.set({ answer: null, query, loading: away, problem: sentenceOf(error) });
    }
  }

  #keep(key: string, query: SectionQuery, answer: A): void {
    this.#kept.set(key, { query, answer });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT) break;
      this.#kept.delete(oldest);
    }
  }
}

function keyOf({ window, rules, stepNs, degree, cell, wait, pid, task, slow, event }: SectionQuery): string {
  const lines = `${window ? `${window.from}~${window.to}` : ""} ${rules ?? ""} ${stepNs ?? ""} ${degree ?? ""}`;
  const part = cell ? `${cell.kind} ${cell.leastNs}-${cell.belowNs} ${cell.from}~${cell.to}` : "";
  return `${lines} ${part} ${wait ? `${wait.pid}:${wait.cpu}` : ""} ${pid ?? ""} ${task ?? ""} ${slow ?? ""} ${event ?? ""}`;
}

/**
 * Requests to the service from several places, one at a time: the next is sent when the previous one has settled.
 * A request that is aborted while it waits is never sent.
 */
export function inTurn<A>(fetch: FetchSection<A>): FetchSection<A> {
  let last: Promise<unknown> = Promise.resolve();
  return (query, signal) => {
    const turn = last.then(() => {
      signal.throwIfAborted();
      return fetch(query, signal);
    });
    last = turn.catch(() => {});
    return turn;
  };
}

/** The sections of one analysis, each with one source for all its views. */
export class SectionSources {
  readonly #api: Pick<SectionsApi, "get">;
  readonly #id: string;
  readonly #sources = new Map<string, SectionSource<unknown>>();
  readonly #fetches = new Map<SectionName, FetchSection<unknown>>();

  constructor(api: Pick<SectionsApi, "get">, id: string) {
    this.#api = api;
    this.#id = id;
  }

  /** @param variant distinguishes sources of one section that are shown at the same time */
  of<N extends SectionName>(name: N, variant = ""): SectionSource<SectionAnswer<N>> {
    const key = `${name} ${variant}`;
    const source = this.#sources.get(key) ?? new SectionSource(this.fetch(name));
    this.#sources.set(key, source);
    return source as SectionSource<SectionAnswer<N>>;
  }

  /** Pressure, which takes long, is computed once at a time. */
  fetch<N extends SectionName>(name: N): FetchSection<SectionAnswer<N>> {
    const fetch = this.#fetches.get(name) ?? (name === "psi" ? inTurn(this.#fetch(name)) : this.#fetch(name));
    this.#fetches.set(name, fetch);
    return fetch as FetchSection<SectionAnswer<N>>;
  }

  #fetch<N extends SectionName>(name: N): FetchSection<SectionAnswer<N>> {
    return (query, signal) => this.#api.get(name, this.#id, query, signal);
  }

  close(): void {
    for (const source of this.#sources.values()) source.close();
  }
}

/** Time after which a failed request is repeated, ms, as long as it is still wanted. */
export const RETRY_MS = 1500;
