/** Addresses of what an analysis has as files, for a link or to be read by the page itself. */

import type { ServiceClient } from "../client.ts";
import { type TimeWindow, windowText } from "../types.ts";
import type { EventQuery } from "./events.ts";

export type ExportFormat = "csv" | "ndjson" | "arrow";

export class DownloadsApi {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** All events of one type. */
  events(id: string, event: string, format: ExportFormat): string {
    return address(id, `events/${encodeURIComponent(event)}`, `format=${format}`);
  }

  /** Events of all types that a filter means. */
  eventRows(id: string, { filter, window }: EventQuery, format: ExportFormat): string {
    const what = `filter=${encodeURIComponent(filter)}&format=${format}`;
    return address(id, "event-rows/export", what, windowText(window));
  }

  /** All rows of a table of samples, or those whose time is known and in the window. */
  samples(id: string, table: string, format: ExportFormat, window: TimeWindow | null = null): string {
    return address(id, `samples/${encodeURIComponent(table)}`, `format=${format}`, windowText(window));
  }

  /** All events, and what the replays found, as a Perfetto trace. */
  trace(id: string, window: TimeWindow | null): string {
    return address(id, "trace.pftrace", windowText(window));
  }

  /** The page with the analysis as one file, which opens on a view. */
  page(id: string, view: string): string {
    return address(id, "page.html", view && `view=${encodeURIComponent(view)}`);
  }

  /** One of these where a plain link cannot carry the share header, or where the page itself reads it. */
  open(url: string, signal: AbortSignal | null = null): Promise<Response> {
    return this.#client.open(url, signal);
  }
}

function address(id: string, path: string, ...query: readonly string[]): string {
  const lines = query.filter((part) => part !== "").join("&");
  return `/api/v1/analyses/${encodeURIComponent(id)}/${path}${lines && `?${lines}`}`;
}
