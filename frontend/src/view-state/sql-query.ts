/** A query as a link says it: its text, and the interval of the recording that the trace processor is given. */

import type { SqlQuery } from "../api/routes/sql.ts";
import { type AbsWindow, formatWindow, parseWindow } from "../lib/ranges.ts";

/** `shown`: what the timeline shows when the query is run; null: the whole recording. */
export type QueryWindow = AbsWindow | "shown" | null;

/** Longer ones the service refuses. */
export const MOST_SQL = 50_000;
/** Of an encoded query: a link with a longer one could not be shared. */
const MOST_LINKED = 6000;

export function isLinked(sql: string): boolean {
  return encodeURIComponent(sql).length <= MOST_LINKED;
}

/** As it was run; null for none, and for one that is too long to be one. */
export function parseQuery(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" || !isLinked(text) ? null : text;
}

/** `1`: what is shown; else the very interval that was queried, whatever is shown by now. */
export function parseQueryWindow(text: string | undefined): QueryWindow {
  return text === "1" ? "shown" : parseWindow(text);
}

/** The parts of a link that a query makes. */
export function encodeQuery(query: string | null, track: boolean, window: QueryWindow): string[] {
  return [
    ...(query === null || !isLinked(query) ? [] : [`q=${encodeURIComponent(query)}`]),
    ...(track ? ["qt=1"] : []),
    ...(window === null ? [] : [`qw=${window === "shown" ? "1" : formatWindow(window)}`]),
  ];
}

export function isSameQuery(a: SqlQuery | null, b: SqlQuery | null): boolean {
  if (a === null || b === null) return a === b;
  return a.sql === b.sql && a.window?.from === b.window?.from && a.window?.to === b.window?.to;
}
