/** Queries that were run in this browser, the last one first: what they were, and what came of them. */

import { MOST_SQL } from "../view-state/sql-query.ts";

export interface PastQuery {
  readonly sql: string;
  /** When it was run last, ms since 1970. */
  readonly at: number;
  /** Rows that came; null for one that failed or was stopped. */
  readonly rows: number | null;
  /** Why it failed; null for one that did not. */
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

/** What the store has; whatever is no such thing is left out. */
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
