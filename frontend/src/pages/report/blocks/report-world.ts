/** What a report needs of the analyses that its views are of, requested once each, and how much is under way. */

import { type FetchRequest, fetchOrTake } from "../../../api/prefetch.ts";
import { Api } from "../../../api/routes/service.ts";
import type { AnalysisDetail, TimelineInfo } from "../../../api/types.ts";

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
    if (!timeline) throw new Error("The analysis of this view is not read yet.");
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

  /** How long nothing has been under way, ms. */
  get quietMs(): number {
    return this.#open > 0 ? 0 : performance.now() - this.#since;
  }
}
