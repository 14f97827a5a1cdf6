/** Data of the analyses in a report's views, requested once each, and the number of running requests. */

import { createContext } from "react";
import { makeStage } from "../../../analysis/make-stage.ts";
import { type FetchRequest, fetchOrTake } from "../../../api/prefetch.ts";
import { Api } from "../../../api/routes/service.ts";
import type { AnalysisDetail, TimelineInfo } from "../../../api/types.ts";
import { formatWindow } from "../../../lib/ranges.ts";
import { toRel } from "../../../lib/time.ts";
import { panel as sqlKind } from "../../../panels/sql/index.tsx";
import { sqlTrack } from "../../../panels/sql/sql-track.ts";
import { panel as clingKind } from "../../../subjects/cling/lanes/index.tsx";
import { panel as psiKind } from "../../../subjects/psi/lanes/index.tsx";
import { NO_NOTES } from "../../../timeline/notes.ts";
import type { Stage } from "../../../timeline/stage/stage.ts";
import type { ViewState } from "../../../view-state/view-state.ts";

export interface World {
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly tasks: ArrayBuffer;
  readonly limits: { readonly maxLanes: number; readonly maxPx: number };
}

export class Worlds {
  readonly #api: Api;
  readonly #known = new Map<string, Promise<World>>();

  constructor(api: Api) {
    this.#api = api;
  }

  get token(): string | null {
    return this.#api.token;
  }

  /** Raises one sentence for an analysis that is not there, not this reader's, or not read yet. */
  of(id: string): Promise<World> {
    const known = this.#known.get(id);
    if (known) return known;
    const world = this.#load(id);
    this.#known.set(id, world);
    // The next view asks again: a server may have been away.
    world.catch(() => this.#known.delete(id));
    return world;
  }

  async #load(id: string): Promise<World> {
    const [analysis, { limits }] = await Promise.all([this.#api.analyses.one(id), this.#api.info()]);
    const { timeline } = analysis;
    if (!timeline) throw new Error("The analysis of this view is not imported yet.");
    const tasks = await this.#api.timeline.tasks(id, new AbortController().signal);
    return {
      analysis,
      timeline,
      tasks,
      limits: { maxLanes: limits.max_lanes, maxPx: limits.max_px },
    };
  }
}

/** Counts what one view has requested and not been answered yet. */
export class RequestCounter {
  #open = 0;
  #since = performance.now();

  readonly fetch: FetchRequest = async (request) => {
    this.#open += 1;
    try {
      return await fetchOrTake(request);
    } finally {
      this.#open -= 1;
      this.#since = performance.now();
    }
  };

  /** The way to the service that is counted. */
  api(token: string | null): Api {
    return new Api(token, this.fetch);
  }

  /** Time without running requests, ms. */
  get quietMs(): number {
    return this.#open > 0 ? 0 : performance.now() - this.#since;
  }
}

// The stage of an analysis without a page around it: for a view in a report. It has no address, no drawer and no keys.

export interface ReportStage {
  readonly stage: Stage;
  /** The link's window, limited to the trace. */
  readonly first: string;
  /** Restores the view of the link. */
  readonly reset: () => void;
  readonly close: () => void;
}

interface Parts {
  readonly api: Api;
  readonly id: string;
  readonly world: World;
  readonly view: ViewState;
  /** Device pixels per CSS pixel; null is the screen's. */
  readonly ratio: number | null;
}

const STILL = { follow: () => {}, step: () => {}, rest: () => {} };

export function reportStage({ api, id, world, view, ratio }: Parts): ReportStage {
  const { timeline, analysis, limits, tasks } = world;
  const { inputs } = analysis;
  const made = makeStage({ api, id, timeline, inputs, limits, tasks, hooks: STILL, worker: false, ratio });
  const { stage } = made;
  const { origin, bounds } = stage.scene;
  const cling = stage.panel(clingKind);
  cling.onDegree = (degree) => {
    cling.degree = degree;
  };
  cling.degree = view.degree;
  stage.panel(psiKind).rules = view.rules;
  stage.setNotes({
    ...NO_NOTES,
    marks: view.marks.map(({ at, name }) => ({ at: toRel(origin, at), name })),
  });
  stage.apply(view, false);
  const stop = new AbortController();
  if (view.queryTrack && view.query !== null) {
    const window = view.queryWindow === "shown" ? view.window : view.queryWindow;
    api.sql.rows(id, { sql: view.query, window }, stop.signal).then(
      (answer) => {
        stage.panel(sqlKind).track = sqlTrack(answer, origin, bounds);
      },
      // Without its rows the view is still one; the query's own error is where it was run.
      () => {},
    );
  }
  return {
    stage,
    first: windowKey(stage.viewState().window),
    reset: () => stage.apply(view, true),
    close: () => {
      stop.abort();
      made.close();
    },
  };
}

/** Identifies windows. */
export function windowKey(window: ViewState["window"]): string {
  return window === null ? "" : formatWindow(window);
}

// What the views of a report share: the way to their analyses, where their links lead, and whether they are made for paper.

export interface ReportFrame {
  readonly worlds: Worlds;
  /** The address of a view for this reader; null where they may not go. */
  readonly pathOf: (id: string, query: string) => string | null;
  /** null on the screen. */
  readonly queue: PrintQueue | null;
}

/** Of the page that is printed, inside its margins: 180 mm of A4 at 96 pixels an inch. */
export const PRINT_WIDTH = 680;
/** Device pixels per CSS pixel on paper: 288 an inch. */
export const PRINT_RATIO = 3;

/** Views are drawn for paper one or two at a time: each takes canvases many times the screen's. */
export class PrintQueue {
  #free = 2;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when it is a view's turn, with the way to give the place back. */
  async turn(): Promise<() => void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}

export const ReportContext = createContext<ReportFrame | null>(null);
