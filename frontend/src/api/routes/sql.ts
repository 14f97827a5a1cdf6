/** PerfettoSQL over an analysis. */

import { type Answer, of, Routes, take } from "../client.ts";
import { type SqlAnswer, type SqlSchema, type TimeWindow, windowParams } from "../types.ts";
import type { ExportFormat } from "./downloads.ts";

export interface SqlQuery {
  readonly sql: string;
  /** null: the whole recording. */
  readonly window: TimeWindow | null;
}

/** As many rows as the service answers at once. */
export const MOST_ROWS = 10_000;

export class SqlApi extends Routes {
  /** The rows of a query, as many as are answered at once. */
  rows(id: string, query: SqlQuery, signal: AbortSignal): Promise<SqlAnswer> {
    return take(
      this.routes.POST("/api/v1/analyses/{analysis_id}/sql", {
        ...of(id),
        body: { ...body(query), limit: MOST_ROWS },
        signal,
      }) as Promise<Answer<SqlAnswer>>,
    );
  }

  schema(id: string, window: TimeWindow | null, signal: AbortSignal): Promise<SqlSchema> {
    return take(
      this.routes.GET("/api/v1/analyses/{analysis_id}/sql/schema", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }) as Promise<Answer<SqlSchema>>,
    );
  }

  /** All rows of a query as a file; `truncated` when the service allows no more. */
  async file(
    id: string,
    query: SqlQuery,
    format: ExportFormat,
  ): Promise<{ readonly blob: Blob; readonly truncated: boolean }> {
    const request = this.routes.POST("/api/v1/analyses/{analysis_id}/sql/export", {
      ...of(id),
      body: { ...body(query), format },
      parseAs: "blob",
    });
    const blob = (await take(request as Promise<Answer<unknown>>)) as Blob;
    const { response } = await request;
    return { blob, truncated: response.headers.get("X-Truncated") === "true" };
  }
}

/** Times of a body are strings of digits. */
function body({ sql, window }: SqlQuery) {
  return { sql, from_ns: window && String(window.from), to_ns: window && String(window.to) };
}
