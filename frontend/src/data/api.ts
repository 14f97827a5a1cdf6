/**
 * The one way to the service. Every failure arrives as an ApiError with a sentence for people; a request
 * that was superseded arrives as an AbortError and is nobody's failure.
 */

import createClient, { type Client } from "openapi-fetch";
import type { FleetQuery, Grouping, Period } from "../logic/fleet-state.ts";
import type { Rules } from "../logic/psi-table.ts";
import { MOST_ROWS, type SqlQuery } from "../logic/sql-query.ts";
import type { WaitCell } from "../logic/wait-heat.ts";
import type { WaitKey } from "../logic/wait-key.ts";
import { type FetchRequest, fetchOrTake } from "./head-start.ts";
import type { paths } from "./schema.ts";
import type {
  Analysis,
  AnalysisChange,
  AnalysisDetail,
  BalancingSection,
  ClingSection,
  Comparison,
  CopyWish,
  CreatedNote,
  CreatedShare,
  EventPage,
  FindingsSection,
  FleetFindings,
  FleetMachines,
  FleetOverview,
  FleetRows,
  FleetSeries,
  FleetUpgrade,
  IlbSection,
  Info,
  LatencySection,
  ListedReport,
  ListedRevision,
  MigrationSection,
  MissingPart,
  Note,
  NoteWish,
  OpenedShare,
  PlacementSection,
  PressureSection,
  ReportWish,
  ResidencySection,
  Revision,
  Share,
  SharedAnalysis,
  ShareWish,
  Slice,
  SqlAnswer,
  SqlSchema,
  UtilisationSection,
  VmstatSection,
  WaitHeatSection,
  WaitSection,
  WaitsSection,
  WasteSection,
  WrittenReport,
} from "./types.ts";
import { who } from "./who.ts";

/** Names the share link under which a page without further rights reads. */
export const SHARE_HEADER = "X-NumaLens-Share";
/** Carries the secret by which the author of a note changes it. */
const NOTE_HEADER = "X-NumaLens-Note";

export class ApiError extends Error {
  /** HTTP status, 0 when the service could not be reached. */
  readonly status: number;
  /** What the service told besides the sentence. */
  readonly told: Readonly<Record<string, unknown>>;
  constructor(sentence: string, status: number, told: Readonly<Record<string, unknown>> = {}) {
    super(sentence);
    this.name = "ApiError";
    this.status = status;
    this.told = told;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The sentence to show for anything that was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const UNREACHABLE = "The NumaLens server does not answer. It may be restarting; the page keeps trying.";

/** The server's own sentence, or one that at least tells the status. */
export function sentenceFromBody(body: unknown, status: number): string {
  const error = (body as { error?: { sentence?: unknown } } | null | undefined)?.error;
  if (typeof error?.sentence === "string" && error.sentence !== "") return error.sentence;
  return `The server answered ${status} without saying why.`;
}

/** Also what answers with tuples are told to be: the client's own types forget their lengths. */
interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** What an answer has. Raises an ApiError for a refusal, and notes when it is that somebody has to sign in. */
export async function take<T>(request: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await request;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(UNREACHABLE, 0);
  }
  const { data, error, response } = answer;
  if (response.status === 401) who.refused();
  if (!response.ok) {
    const told = (error as { error?: Readonly<Record<string, unknown>> } | null | undefined)?.error;
    throw new ApiError(sentenceFromBody(error, response.status), response.status, told);
  }
  // 204 has no body; callers of such routes ask for void.
  return data as T;
}

export interface TimelineQuery {
  readonly lanes: readonly string[];
  /** Absolute ns. */
  readonly from: bigint;
  readonly to: bigint;
  readonly px: number;
}

export type ExportFormat = "csv" | "ndjson" | "arrow";

/** A stretch of absolute ns, to behind its end. */
export interface TimeWindow {
  readonly from: bigint;
  readonly to: bigint;
}

/** What of a section is asked for; without a window the common one of all CPUs. */
export interface SectionQuery {
  readonly window: TimeWindow | null;
  /** In place of the traced kernel's own. */
  readonly rules?: Rules | null;
  readonly stepNs?: number | null;
  /** In place of the traced kernel's own, percent. */
  readonly degree?: number | null;
  /** How many single events are listed; the rest is in the sums. */
  readonly listed?: number;
  /** Of all waits those of a part of their map. */
  readonly cell?: WaitCell | null;
  /** Whose wait the window is. */
  readonly wait?: Pick<WaitKey, "pid" | "cpu"> | null;
}

/** What is put beside what. */
export interface CompareQuery {
  /** `,` between sides, `:` between the runs of one. */
  readonly ids: string;
  readonly base: number;
  readonly stepNs: number | null;
  readonly windows: ReadonlyMap<number, TimeWindow>;
}

/** Which events are meant. */
export interface EventQuery {
  readonly filter: string;
  readonly window: TimeWindow | null;
  /** What the page before named as the next one; null begins. */
  readonly after: string | null;
}

/** How many waits, tasks and attempts are listed; the rest is in the sums. */
const LISTED = 200;

/** As many events as the service lists at once. */
export const MOST_LISTED = 500;

/** How an analysis is to be read again; what is left out stays as it was. */
export interface Reading {
  readonly tolerant?: boolean;
  /** Shown name of an input to ns, replaces all earlier ones. */
  readonly offsets?: Readonly<Record<string, string>>;
}

export class Api {
  readonly #client: Client<paths>;
  readonly #fetch: FetchRequest;
  /** The share link's token, null for the owner's own page. */
  readonly token: string | null;

  /** @param fetch in place of the browser's own: who wants to know what is under way counts */
  constructor(token: string | null = null, fetch: FetchRequest = fetchOrTake) {
    this.token = token;
    this.#fetch = fetch;
    this.#client = createClient<paths>({
      baseUrl: baseOrigin(),
      fetch,
      headers: token === null ? {} : { [SHARE_HEADER]: token },
    });
  }

  async info(): Promise<Info> {
    const info = await take(this.#client.GET("/api/v1/info"));
    if (this.token === null) who.told(info);
    return info;
  }

  async analyses(signal?: AbortSignal): Promise<Analysis[]> {
    return (await take(this.#client.GET("/api/v1/analyses", { signal: signal ?? null }))).analyses;
  }

  analysis(id: string, signal?: AbortSignal): Promise<AnalysisDetail> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}", {
        params: { path: { analysis_id: id } },
        signal: signal ?? null,
      }),
    );
  }

  createAnalysis(uploads: string[], title: string | null): Promise<Analysis> {
    return take(this.#client.POST("/api/v1/analyses", { body: { uploads, title, tolerant: false } }));
  }

  /** What is left out stays as it is. */
  changeAnalysis(id: string, change: AnalysisChange): Promise<Analysis> {
    return take(
      this.#client.PATCH("/api/v1/analyses/{analysis_id}", {
        params: { path: { analysis_id: id } },
        body: change,
      }),
    );
  }

  /** Queues a copy for others: an analysis of its own with a part of this one. */
  createCopy(id: string, wish: CopyWish): Promise<Analysis> {
    return take(
      this.#client.POST("/api/v1/analyses/{analysis_id}/copies", {
        params: { path: { analysis_id: id } },
        body: wish,
      }),
    );
  }

  /** Queues another reading of the stored files; what is there now stays in use until it has succeeded. */
  reread(id: string, { tolerant, offsets }: Reading): Promise<Analysis> {
    return take(
      this.#client.POST("/api/v1/analyses/{analysis_id}/reread", {
        params: { path: { analysis_id: id } },
        body: { tolerant: tolerant ?? null, offsets: offsets ? { ...offsets } : null },
      }),
    );
  }

  async deleteAnalysis(id: string): Promise<void> {
    await take(
      this.#client.DELETE("/api/v1/analyses/{analysis_id}", { params: { path: { analysis_id: id } } }),
    );
  }

  /** The columns of a window as an Arrow IPC stream. */
  timeline(id: string, query: TimelineQuery, signal: AbortSignal): Promise<ArrayBuffer> {
    return this.#bytes(
      this.#client.GET("/api/v1/analyses/{analysis_id}/timeline", {
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

  tasks(id: string, signal: AbortSignal): Promise<ArrayBuffer> {
    return this.#bytes(
      this.#client.GET("/api/v1/analyses/{analysis_id}/tasks", {
        params: { path: { analysis_id: id } },
        parseAs: "arrayBuffer",
        signal,
      }),
    );
  }

  /** The slice that runs on `cpu` at `at`; null when the CPU was idle or nobody knows. */
  slice(id: string, cpu: number, at: bigint, signal: AbortSignal): Promise<Slice | null> {
    return orNull(
      take(
        this.#client.GET("/api/v1/analyses/{analysis_id}/slice", {
          params: { path: { analysis_id: id }, query: { cpu, t_ns: nsParam(at) } },
          signal,
        }),
      ),
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
    return orNull(
      take(
        this.#client.GET("/api/v1/analyses/{analysis_id}/slice/next", {
          params: { path: { analysis_id: id }, query: { pid, t_ns: nsParam(at), dir } },
          signal,
        }),
      ),
    );
  }

  findings(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<FindingsSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/findings", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }),
    );
  }

  latency(
    id: string,
    { window, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<LatencySection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/latency", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), limit: listed } },
        signal,
      }),
    );
  }

  pressure(id: string, query: SectionQuery, signal: AbortSignal): Promise<PressureSection | MissingPart> {
    const { window, rules } = query;
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/psi", {
        params: {
          path: { analysis_id: id },
          query: { ...windowParams(window), ...(rules ? { psi_rules: rules } : {}) },
        },
        signal,
      }),
    );
  }

  utilisation(
    id: string,
    { window, stepNs }: SectionQuery,
    signal: AbortSignal,
  ): Promise<UtilisationSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/utilisation", {
        params: {
          path: { analysis_id: id },
          query: { ...windowParams(window), ...(stepNs ? { step_ns: stepNs } : {}) },
        },
        signal,
      }),
    );
  }

  residency(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<ResidencySection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/residency", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), limit: LISTED } },
        signal,
      }),
    );
  }

  waitHeat(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<WaitHeatSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/wait_heat", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }),
    );
  }

  waits(
    id: string,
    { window, cell, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<WaitsSection | MissingPart> {
    const of = cell
      ? {
          kind: cell.kind,
          least_ns: cell.leastNs,
          below_ns: cell.belowNs,
          ended_from_ns: nsParam(cell.from),
          ended_to_ns: nsParam(cell.to),
        }
      : {};
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/waits", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), ...of, limit: listed } },
        signal,
      }),
    );
  }

  wait(id: string, { window, wait }: SectionQuery, signal: AbortSignal): Promise<WaitSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/wait", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), ...(wait ?? {}) } },
        signal,
      }),
    );
  }

  waste(id: string, { window }: SectionQuery, signal: AbortSignal): Promise<WasteSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/waste", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }),
    );
  }

  balancing(
    id: string,
    { window, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<BalancingSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/balancing", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), limit: listed } },
        signal,
      }),
    );
  }

  cling(
    id: string,
    { window, degree, listed = LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<ClingSection | MissingPart> {
    // Another degree is asked for its groups: decisions are those that were recorded.
    const what = typeof degree === "number" ? { degree, limit: 1 } : { limit: listed };
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/cling", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), ...what } },
        signal,
      }) as Promise<Answer<ClingSection | MissingPart>>,
    );
  }

  migration(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<MigrationSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/migration", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }) as Promise<Answer<MigrationSection | MissingPart>>,
    );
  }

  /** CPU time and memory by numa group and node. */
  placement(
    id: string,
    { window }: SectionQuery,
    signal: AbortSignal,
  ): Promise<PlacementSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/placement", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }) as Promise<Answer<PlacementSection | MissingPart>>,
    );
  }

  vmstat(id: string, { window }: SectionQuery, signal: AbortSignal): Promise<VmstatSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/vmstat", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }),
    );
  }

  /** Analyses beside each other. `windows` are by place among all of them. */
  compare(query: CompareQuery, signal: AbortSignal): Promise<Comparison> {
    const { ids, base, stepNs, windows } = query;
    const parts = [...windows].map(([place, { from, to }]) => `${place}:${nsParam(from)}-${nsParam(to)}`);
    return take(
      this.#client.GET("/api/v1/compare", {
        params: {
          query: {
            ids,
            base,
            ...(stepNs === null ? {} : { step_ns: stepNs }),
            ...(parts.length === 0 ? {} : { window: parts }),
          },
        },
        signal,
      }),
    );
  }

  /** What there is to be asked over all analyses. */
  fleet(signal: AbortSignal): Promise<FleetOverview> {
    return take(this.#client.GET("/api/v1/fleet", { signal }));
  }

  fleetMachines(query: FleetQuery, signal: AbortSignal): Promise<FleetMachines> {
    return take(this.#client.GET("/api/v1/fleet/machines", { params: { query }, signal }));
  }

  fleetMetric(
    query: FleetQuery & { readonly metric: string; readonly by: Grouping; readonly every: Period },
    signal: AbortSignal,
  ): Promise<FleetSeries> {
    return take(this.#client.GET("/api/v1/fleet/metric", { params: { query }, signal }));
  }

  fleetUpgrade(
    query: FleetQuery & { readonly before?: string; readonly after?: string },
    signal: AbortSignal,
  ): Promise<FleetUpgrade> {
    return take(this.#client.GET("/api/v1/fleet/upgrade", { params: { query }, signal }));
  }

  fleetFindings(query: FleetQuery & { readonly every: Period }, signal: AbortSignal): Promise<FleetFindings> {
    return take(this.#client.GET("/api/v1/fleet/findings", { params: { query }, signal }));
  }

  fleetSql(sql: string, signal: AbortSignal): Promise<FleetRows> {
    return take(this.#client.POST("/api/v1/fleet/sql", { body: { sql, limit: 1000 }, signal }));
  }

  ilb(
    id: string,
    { window, listed = MOST_LISTED }: SectionQuery,
    signal: AbortSignal,
  ): Promise<IlbSection | MissingPart> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/analysis/ilb", {
        params: { path: { analysis_id: id }, query: { ...windowParams(window), limit: listed } },
        signal,
      }) as Promise<Answer<IlbSection | MissingPart>>,
    );
  }

  async shares(id: string): Promise<Share[]> {
    return (
      await take(
        this.#client.GET("/api/v1/analyses/{analysis_id}/shares", { params: { path: { analysis_id: id } } }),
      )
    ).shares;
  }

  /** The links of all analyses. */
  async allShares(): Promise<SharedAnalysis[]> {
    return (await take(this.#client.GET("/api/v1/shares"))).shares;
  }

  createShare(id: string, wish: ShareWish): Promise<CreatedShare> {
    return take(
      this.#client.POST("/api/v1/analyses/{analysis_id}/shares", {
        params: { path: { analysis_id: id } },
        body: wish,
      }),
    );
  }

  /** @param expiresInS seconds from now; null is never */
  extendShare(id: string, shareId: string, expiresInS: number | null): Promise<Share> {
    return take(
      this.#client.PATCH("/api/v1/analyses/{analysis_id}/shares/{share_id}", {
        params: { path: { analysis_id: id, share_id: shareId } },
        body: { expires_in_s: expiresInS },
      }),
    );
  }

  async revokeShare(id: string, shareId: string): Promise<void> {
    await take(
      this.#client.DELETE("/api/v1/analyses/{analysis_id}/shares/{share_id}", {
        params: { path: { analysis_id: id, share_id: shareId } },
      }),
    );
  }

  async notes(id: string, signal?: AbortSignal): Promise<Note[]> {
    const path = { analysis_id: id };
    const asked = this.#client.GET("/api/v1/analyses/{analysis_id}/notes", {
      params: { path },
      ...(signal ? { signal } : {}),
    });
    return (await take(asked)).notes;
  }

  createNote(id: string, wish: NoteWish): Promise<CreatedNote> {
    return take(
      this.#client.POST("/api/v1/analyses/{analysis_id}/notes", {
        params: { path: { analysis_id: id } },
        body: wish,
      }),
    );
  }

  /** @param key the note's own secret; an owner needs none */
  changeNote(id: string, noteId: string, text: string, key: string | null): Promise<Note> {
    return take(
      this.#client.PATCH("/api/v1/analyses/{analysis_id}/notes/{note_id}", {
        params: { path: { analysis_id: id, note_id: noteId }, header: { [NOTE_HEADER]: key } },
        body: { text },
      }),
    );
  }

  async deleteNote(id: string, noteId: string, key: string | null): Promise<void> {
    await take(
      this.#client.DELETE("/api/v1/analyses/{analysis_id}/notes/{note_id}", {
        params: { path: { analysis_id: id, note_id: noteId }, header: { [NOTE_HEADER]: key } },
      }),
    );
  }

  async reports(id: string, signal?: AbortSignal): Promise<ListedReport[]> {
    const asked = this.#client.GET("/api/v1/analyses/{analysis_id}/reports", {
      params: { path: { analysis_id: id } },
      ...(signal ? { signal } : {}),
    });
    return (await take(asked)).reports;
  }

  report(id: string, reportId: string, signal: AbortSignal): Promise<WrittenReport> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/reports/{report_id}", {
        params: { path: { analysis_id: id, report_id: reportId } },
        signal,
      }),
    );
  }

  createReport(id: string, title: string, text: string): Promise<WrittenReport> {
    return take(
      this.#client.POST("/api/v1/analyses/{analysis_id}/reports", {
        params: { path: { analysis_id: id } },
        body: { title, text },
      }),
    );
  }

  /** @param wish its revision is the one that the words began from; 409 when that is no longer the present one */
  saveReport(id: string, reportId: string, wish: ReportWish): Promise<WrittenReport> {
    return take(
      this.#client.PATCH("/api/v1/analyses/{analysis_id}/reports/{report_id}", {
        params: { path: { analysis_id: id, report_id: reportId } },
        body: wish,
      }),
    );
  }

  async deleteReport(id: string, reportId: string): Promise<void> {
    await take(
      this.#client.DELETE("/api/v1/analyses/{analysis_id}/reports/{report_id}", {
        params: { path: { analysis_id: id, report_id: reportId } },
      }),
    );
  }

  async revisions(id: string, reportId: string): Promise<ListedRevision[]> {
    const asked = this.#client.GET("/api/v1/analyses/{analysis_id}/reports/{report_id}/revisions", {
      params: { path: { analysis_id: id, report_id: reportId } },
    });
    return (await take(asked)).revisions;
  }

  revision(id: string, reportId: string, number: number): Promise<Revision> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/reports/{report_id}/revisions/{number}", {
        params: { path: { analysis_id: id, report_id: reportId, number } },
      }),
    );
  }

  openShare(token: string): Promise<OpenedShare> {
    return take(this.#client.POST("/api/v1/shares/open", { body: { token } }));
  }

  eventsUrl(id: string, event: string, format: ExportFormat): string {
    return `${exportPath(id, "events", event)}?format=${format}`;
  }

  /** Events of all types that a filter means, in a window, page by page. */
  eventRows(
    id: string,
    { filter, window, after }: EventQuery,
    limit: number,
    signal: AbortSignal,
  ): Promise<EventPage> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/event-rows", {
        params: { path: { analysis_id: id }, query: { filter, ...windowParams(window), after, limit } },
        signal,
      }) as Promise<Answer<EventPage>>,
    );
  }

  eventRowsUrl(id: string, { filter, window }: EventQuery, format: ExportFormat): string {
    const within = window === null ? "" : `&from_ns=${nsParam(window.from)}&to_ns=${nsParam(window.to)}`;
    const path = `/api/v1/analyses/${encodeURIComponent(id)}/event-rows/export`;
    return `${path}?filter=${encodeURIComponent(filter)}&format=${format}${within}`;
  }

  /** The rows of a PerfettoSQL query, as many as are answered at once. */
  sql(id: string, query: SqlQuery, signal: AbortSignal): Promise<SqlAnswer> {
    return take(
      this.#client.POST("/api/v1/analyses/{analysis_id}/sql", {
        params: { path: { analysis_id: id } },
        body: { ...sqlBody(query), limit: MOST_ROWS },
        signal,
      }) as Promise<Answer<SqlAnswer>>,
    );
  }

  /** What a query can ask. */
  sqlSchema(id: string, window: TimeWindow | null, signal: AbortSignal): Promise<SqlSchema> {
    return take(
      this.#client.GET("/api/v1/analyses/{analysis_id}/sql/schema", {
        params: { path: { analysis_id: id }, query: windowParams(window) },
        signal,
      }) as Promise<Answer<SqlSchema>>,
    );
  }

  /** All rows of a query as a file; `truncated` when the service allows no more. */
  async sqlFile(
    id: string,
    query: SqlQuery,
    format: ExportFormat,
  ): Promise<{ readonly blob: Blob; readonly truncated: boolean }> {
    const request = this.#client.POST("/api/v1/analyses/{analysis_id}/sql/export", {
      params: { path: { analysis_id: id } },
      body: { ...sqlBody(query), format },
      parseAs: "blob",
    });
    const blob = (await take(request as Promise<Answer<unknown>>)) as Blob;
    const { response } = await request;
    return { blob, truncated: response.headers.get("X-Truncated") === "true" };
  }

  /** All events, and what the replays found, as a Perfetto trace. */
  traceUrl(id: string, window: TimeWindow | null): string {
    const within = window === null ? "" : `?from_ns=${nsParam(window.from)}&to_ns=${nsParam(window.to)}`;
    return `/api/v1/analyses/${encodeURIComponent(id)}/trace.pftrace${within}`;
  }

  /** All rows of a table of samples, or those whose time is known and in the window. */
  samplesUrl(id: string, table: string, format: ExportFormat, window: TimeWindow | null = null): string {
    const within = window === null ? "" : `&from_ns=${nsParam(window.from)}&to_ns=${nsParam(window.to)}`;
    return `${exportPath(id, "samples", table)}?format=${format}${within}`;
  }

  /** An export where a plain link cannot carry the share header, or where the page itself reads it. */
  async open(url: string, signal: AbortSignal | null = null): Promise<Response> {
    const headers = this.token === null ? {} : { [SHARE_HEADER]: this.token };
    let response: Response;
    try {
      response = await this.#fetch(new Request(new URL(url, baseOrigin()), { headers, signal }));
    } catch (error) {
      if (isAbort(error)) throw error;
      throw new ApiError(UNREACHABLE, 0);
    }
    if (response.ok) return response;
    const body: unknown = await response.json().catch(() => null);
    throw new ApiError(sentenceFromBody(body, response.status), response.status);
  }

  async #bytes(request: Promise<Answer<unknown>>): Promise<ArrayBuffer> {
    return (await take(request)) as ArrayBuffer;
  }
}

function baseOrigin(): string {
  return globalThis.location?.origin ?? "";
}

function exportPath(id: string, what: "events" | "samples", name: string): string {
  return `/api/v1/analyses/${encodeURIComponent(id)}/${what}/${encodeURIComponent(name)}`;
}

/**
 * ns as a query parameter. The document calls it an integer, which TypeScript knows only as a float64;
 * the digits go out as text, so that times beyond 2^53 keep every ns. Clocks do not run below zero.
 */
function nsParam(ns: bigint): number {
  return (ns < 0n ? 0n : ns).toString() as unknown as number;
}

/** Times of a body are strings of digits. */
function sqlBody({ sql, window }: SqlQuery) {
  return { sql, from_ns: window && String(window.from), to_ns: window && String(window.to) };
}

function windowParams(window: TimeWindow | null): { from_ns?: number; to_ns?: number } {
  return window === null ? {} : { from_ns: nsParam(window.from), to_ns: nsParam(window.to) };
}

async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
