/** Decoded events, page by page. */

import { type Answer, Routes, take } from "../client.ts";
import { type EventPage, type TimeWindow, windowParams } from "../types.ts";

export interface EventQuery {
  readonly filter: string;
  readonly window: TimeWindow | null;
  /** `next_page` of the previous page; null for the first. */
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
