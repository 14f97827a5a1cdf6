/** Data of the lanes: the columns of a window, its tasks, and single slices. */

import { of, Routes, takeBytes, takeOrNull } from "../client.ts";
import { nsParam, type Slice } from "../types.ts";

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
        ...of(id),
        parseAs: "arrayBuffer",
        signal,
      }),
    );
  }

  /** The slice that runs on `cpu` at `at`; null when the CPU was idle or its task unknown. */
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
