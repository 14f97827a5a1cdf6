/**
 * The query of an analysis: one at a time, a newer one replaces a running one. It lives as long as the analysis is
 * open, so that its rows stay on the time axis when the drawer shows another tab.
 */

import { isAbort, sentenceOf } from "../api/client.ts";
import type { SqlQuery } from "../api/routes/sql.ts";
import type { SqlAnswer } from "../api/types.ts";
import { Store } from "../lib/store.ts";
import { isSameQuery, MOST_SQL } from "../view-state/tab-views.ts";

export interface SqlState {
  /** The last query; null before the first. */
  readonly query: SqlQuery | null;
  readonly answer: SqlAnswer | null;
  /** Start of the running query, ms as `performance.now` counts; null while none runs. */
  readonly since: number | null;
  /** Reason for a missing answer, one sentence. */
  readonly problem: string | null;
}

export type FetchSql = (query: SqlQuery, signal: AbortSignal) => Promise<SqlAnswer>;

const STORE_KEY = "numalens.sql.past";
const STOPPED = "The query was stopped.";
const NOTHING: SqlState = { query: null, answer: null, since: null, problem: null };

export class SqlSource extends Store<SqlState> {
  readonly #fetch: FetchSql;
  readonly #store: Pick<Storage, "getItem" | "setItem"> | null;
  #stop: AbortController | null = null;
  #past: readonly PastQuery[] | null = null;
  /** Text in the editor, also while no editor is shown. */
  draft = "";

  /** @param store null where the browser keeps nothing */
  constructor(request: FetchSql, store: Pick<Storage, "getItem" | "setItem"> | null) {
    super(NOTHING);
    this.#fetch = request;
    this.#store = store;
  }

  /** Queries of this browser, the last one first. */
  get past(): readonly PastQuery[] {
    this.#past ??= parsePast(this.#read());
    return this.#past;
  }

  /** Runs a query unless it is the one that was run; null lets it go. */
  want(query: SqlQuery | null): void {
    if (isSameQuery(query, this.getSnapshot().query)) return;
    if (query) {
      this.draft = query.sql;
      void this.run(query);
    } else {
      this.#hangUp();
      this.set(NOTHING);
    }
  }

  /** Runs a query, also one that was run before. */
  async run(query: SqlQuery): Promise<void> {
    this.#hangUp();
    const stop = new AbortController();
    this.#stop = stop;
    // Rows of another query next to this one's text would be taken for its own.
    const kept = isSameQuery(query, this.getSnapshot().query) ? this.getSnapshot().answer : null;
    this.set({ query, answer: kept, since: performance.now(), problem: null });
    try {
      const answer = await this.#fetch(query, stop.signal);
      if (this.#stop !== stop) return;
      this.#end({ query, answer, since: null, problem: null });
    } catch (error) {
      if (this.#stop !== stop) return;
      const problem = isAbort(error) ? STOPPED : sentenceOf(error);
      this.#end({ query, answer: null, since: null, problem });
    }
  }

  cancel(): void {
    this.#stop?.abort();
  }

  close(): void {
    this.#hangUp();
    this.clear();
  }

  #hangUp(): void {
    const stop = this.#stop;
    this.#stop = null;
    stop?.abort();
  }

  #end(state: SqlState): void {
    const { query, answer, problem } = state;
    if (query) {
      const entry = { sql: query.sql, at: Date.now(), rows: answer?.rows.length ?? null, failed: problem };
      // Another tab may have run queries in the meantime.
      this.#past = remember(parsePast(this.#read()), entry);
      try {
        this.#store?.setItem(STORE_KEY, formatPast(this.#past));
      } catch {
        // A full store keeps what it has; this tab knows its own.
      }
    }
    this.set(state);
  }

  #read(): string | null {
    try {
      return this.#store?.getItem(STORE_KEY) ?? null;
    } catch {
      return null;
    }
  }
}

// Queries that were run in this browser, the last one first: what they were, and what came of them.

export interface PastQuery {
  readonly sql: string;
  /** Time of the last run, ms since 1970. */
  readonly at: number;
  /** Rows that came; null for one that failed or was stopped. */
  readonly rows: number | null;
  /** Reason of a failure; null for a success. */
  readonly failed: string | null;
}

/** More are not looked through. */
export const MOST_PAST = 60;
/** Characters of all together: the browser's store is shared with uploads. */
export const MOST_CHARACTERS = 200_000;
const MOST_WHY = 300;

/** With a query that was run, as the first one; the same text is there once. */
export function remember(past: readonly PastQuery[], query: PastQuery): readonly PastQuery[] {
  const { sql, failed } = query;
  if (sql.trim() === "") return past;
  const parsed = { ...query, failed: failed === null ? null : failed.slice(0, MOST_WHY) };
  return bounded([parsed, ...past.filter((other) => other.sql.trim() !== sql.trim())]);
}

function bounded(past: readonly PastQuery[]): readonly PastQuery[] {
  let left = MOST_CHARACTERS;
  const end = past.findIndex(({ sql, failed }) => {
    left -= sql.length + (failed?.length ?? 0);
    return left < 0;
  });
  return past.slice(0, Math.min(MOST_PAST, end < 0 ? past.length : end));
}

/** Contents of the store; invalid entries are left out. */
export function parsePast(text: string | null): readonly PastQuery[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  return bounded(Array.isArray(parsed) ? parsed.flatMap(pastOf) : []);
}

function pastOf(parsed: unknown): PastQuery[] {
  const { sql, at, rows, failed } = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof sql !== "string" || sql.trim() === "" || sql.length > MOST_SQL) return [];
  return [
    {
      sql,
      at: typeof at === "number" && Number.isFinite(at) ? at : 0,
      rows: typeof rows === "number" && Number.isSafeInteger(rows) && rows >= 0 ? rows : null,
      failed: typeof failed === "string" ? failed : null,
    },
  ];
}

export function formatPast(past: readonly PastQuery[]): string {
  return JSON.stringify(past);
}
