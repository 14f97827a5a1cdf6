/** All that the page asks of the service, by subject: as the owner, or as the reader of a share link. */

import { ServiceClient, take } from "../client.ts";
import { currentUser } from "../current-user.ts";
import type { FetchRequest } from "../prefetch.ts";
import type { Info } from "../types.ts";
import { AnalysesApi } from "./analyses.ts";
import { DownloadsApi } from "./downloads.ts";
import { EventsApi } from "./events.ts";
import { FleetApi } from "./fleet.ts";
import { NotesApi } from "./notes.ts";
import { ReportsApi } from "./reports.ts";
import { SectionsApi } from "./sections.ts";
import { SharesApi } from "./shares.ts";
import { SqlApi } from "./sql.ts";
import { TimelineApi } from "./timeline.ts";

/** Optional part of a service. */
export type Lack = "sql" | "notes" | "reports";

export class Api {
  /** The share link's token, null for the owner's own page. */
  readonly token: string | null;
  readonly lacks: ReadonlySet<string>;
  readonly analyses: AnalysesApi;
  readonly timeline: TimelineApi;
  readonly sections: SectionsApi;
  readonly events: EventsApi;
  readonly downloads: DownloadsApi;
  readonly sql: SqlApi;
  readonly shares: SharesApi;
  readonly notes: NotesApi;
  readonly reports: ReportsApi;
  readonly fleet: FleetApi;
  readonly #client: ServiceClient;

  /** @param fetch instead of the browser's own, to count running requests */
  constructor(token: string | null = null, fetch?: FetchRequest, lacks: readonly Lack[] = []) {
    const client = new ServiceClient(token, fetch);
    this.token = token;
    this.lacks = new Set<string>(lacks);
    this.analyses = new AnalysesApi(client);
    this.timeline = new TimelineApi(client);
    this.sections = new SectionsApi(client);
    this.events = new EventsApi(client);
    this.downloads = new DownloadsApi(client);
    this.sql = new SqlApi(client);
    this.shares = new SharesApi(client);
    this.notes = new NotesApi(client);
    this.reports = new ReportsApi(client);
    this.fleet = new FleetApi(client);
    this.#client = client;
  }

  async info(): Promise<Info> {
    const info = await take(this.#client.routes.GET("/api/v1/info"));
    if (this.token === null) currentUser.learn(info);
    return info;
  }
}
