/** Questions over all analyses. */

import { Routes, take } from "../client.ts";
import type {
  FleetFindings,
  FleetMachines,
  FleetOverview,
  FleetRows,
  FleetSeries,
  FleetUpgrade,
} from "../types.ts";

export type Grouping = "all" | "machine" | "kernel" | "tag" | "incident" | "nodes";
export type Period = "day" | "week" | "month" | "all";

/** The query of the service: moments, not days. */
export interface FleetQuery {
  readonly from?: string;
  readonly to?: string;
  readonly machine?: string;
  readonly kernel?: string;
  readonly tag?: string;
}

const MOST_ROWS = 1000;

export class FleetApi extends Routes {
  overview(signal: AbortSignal): Promise<FleetOverview> {
    return take(this.routes.GET("/api/v1/fleet", { signal }));
  }

  machines(query: FleetQuery, signal: AbortSignal): Promise<FleetMachines> {
    return take(this.routes.GET("/api/v1/fleet/machines", { params: { query }, signal }));
  }

  metric(
    query: FleetQuery & { readonly metric: string; readonly by: Grouping; readonly every: Period },
    signal: AbortSignal,
  ): Promise<FleetSeries> {
    return take(this.routes.GET("/api/v1/fleet/metric", { params: { query }, signal }));
  }

  upgrade(
    query: FleetQuery & { readonly before?: string; readonly after?: string },
    signal: AbortSignal,
  ): Promise<FleetUpgrade> {
    return take(this.routes.GET("/api/v1/fleet/upgrade", { params: { query }, signal }));
  }

  findings(query: FleetQuery & { readonly every: Period }, signal: AbortSignal): Promise<FleetFindings> {
    return take(this.routes.GET("/api/v1/fleet/findings", { params: { query }, signal }));
  }

  sql(sql: string, signal: AbortSignal): Promise<FleetRows> {
    return take(this.routes.POST("/api/v1/fleet/sql", { body: { sql, limit: MOST_ROWS }, signal }));
  }
}
