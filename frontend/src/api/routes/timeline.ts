import { Routes } from "../client.ts";
/** What the lanes are made of: the columns of a window, its tasks, and single slices. */

import { type Answer, type ServiceClient, take, takeBytes, takeOrNull } from "../client.ts";
import { type EventPage, nsParam, type Slice, type TimeWindow, windowParams, windowText } from "../types.ts";

export interface TimelineQuery {
  readonly lanes: readonly string[];
  /** Absolute ns. */
  readonly from: bigint;
  readonly to: bigint;
  readonly px: number;
}

export class TimelineApi extends Routes {
  /** The columns of a window as an Arrow IPC stream. */
  columns(id: string, query: TimelineQuery, signal: AbortSignal): Promise<ArrayBuffer> {
    return takeBytes(
      this.routes.GET("/api/v1/analyses/{analysis_id}/timeline", {
        params: {
          path: { analysis_id: id },
          query: {
            from_ns: nsParam(query.from),
            to_ns: nsParam(query.to),
            px: query.px,
            lanes: query.lanes.join(","),
          },
        },
        parseAs: "arrayBuffer",
        signal,
      }),
    );
  }

  /** All tasks as an Arrow IPC stream. */
  tasks(id: string, signal: AbortSignal): Promise<ArrayBuffer> {
    return takeBytes(
      this.routes.GET("/api/v1/analyses/{analysis_id}/tasks", {
        params: { path: { analysis_id: id } },
        parseAs: "arrayBuffer",
        signal,
      }),
    );
  }

  /** The slice that runs on `cpu` at `at`; null when the CPU was idle or nobody knows. */
  slice(id: string, cpu: number, at: bigint, signal: AbortSignal): Promise<Slice | null> {
    return takeOrNull(
      this.routes.GET("/api/v1/analyses/{analysis_id}/slice", {
        params: { path: { analysis_id: id }, query: { cpu, t_ns: nsParam(at) } },
        signal,
      }),
    );
  }

  /** The slice of `pid` that starts next after (or before) `at`, on any CPU; null at the end of the trace. */
  neighbour(
    id: string,
    pid: number,
    at: bigint,
    dir: "next" | "prev",
    signal: AbortSignal,
  ): Promise<Slice | null> {
    return takeOrNull(
      this.routes.GET("/api/v1/analyses/{analysis_id}/slice/next", {
        params: { path: { analysis_id: id }, query: { pid, t_ns: nsParam(at), dir } },
        signal,
      }),
    );
  }
}

// Addresses of what an analysis has as files, for a link or to be read by the page itself.

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

  /** One of these where a plain link cannot carry the share header, or where the page itself reads it. */
  open(url: string, signal: AbortSignal | null = null): Promise<Response> {
    return this.#client.open(url, signal);
  }
}

function address(id: string, path: string, ...query: readonly string[]): string {
  const lines = query.filter((part) => part !== "").join("&");
  return `/api/v1/analyses/${encodeURIComponent(id)}/${path}${lines && `?${lines}`}`;
}

// Decoded events, page by page.

export interface EventQuery {
  readonly filter: string;
  readonly window: TimeWindow | null;
  /** What the page before named as the next one; null begins. */
  readonly after: string | null;
}

export class EventsApi extends Routes {
  /** Events of all types that a filter means, in a window, page by page. */
  rows(
    id: string,
    { filter, window, after }: EventQuery,
    limit: number,
    signal: AbortSignal,
  ): Promise<EventPage> {
    return take(
      this.routes.GET("/api/v1/analyses/{analysis_id}/event-rows", {
        params: { path: { analysis_id: id }, query: { filter, ...windowParams(window), after, limit } },
        signal,
      }) as Promise<Answer<EventPage>>,
    );
  }
}
