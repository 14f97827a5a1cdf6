/**
 * Tiles of one analysis: what is there now, and getting what is missing.
 *
 * At most one request is under way. A request that the view has left is aborted; one that still helps is
 * let finish, so that a steady zoom does not starve itself. Old tiles stay until the cache is full: they
 * are drawn, scaled, until better ones come.
 */

import { isAbort, sentenceOf } from "../../api/client.ts";
import { RETRY_MS } from "../../api/routes/section-source.ts";
import type { TimelineQuery } from "../../api/routes/timeline.ts";
import { Delay } from "../../lib/store.ts";
import { type Span, spanLength, toAbs } from "../../lib/time.ts";
import { decodeTimeline } from "./arrow.ts";
import type { Decode } from "./decoder.ts";
import { type FetchPlan, isCovered, planFetch, stillUseful, type Tile, widestPlot } from "./tiles.ts";

export type FetchTimeline = (query: TimelineQuery, signal: AbortSignal) => Promise<ArrayBuffer>;

/** Enough for half a minute of scrolling; one tile of the whole trace per lane is kept in addition. */
const TILES_PER_LANE = 8;
const NO_TILES: readonly Tile[] = [];

interface Flight {
  readonly plan: FetchPlan;
  readonly lanes: ReadonlySet<string>;
  readonly abort: AbortController;
}

export interface SourceLimits {
  readonly maxLanes: number;
  readonly maxPx: number;
}

export class TimelineSource {
  readonly #fetch: FetchTimeline;
  readonly #origin: bigint;
  readonly #bounds: Span;
  readonly #limits: SourceLimits;
  readonly #decode: Decode;
  readonly #tiles = new Map<string, Tile[]>();
  #flight: Flight | null = null;
  #wanted: { lanes: readonly string[]; view: Span; width: number } | null = null;
  readonly #retry = new Delay();
  readonly #stop = new AbortController();
  #closed = false;

  /** Called when tiles arrived or the state of `loading` or `problem` changed. */
  onChange: () => void = () => {};
  /** The sentence of the last failure, null while all is well. */
  problem: string | null = null;

  constructor(
    fetch: FetchTimeline,
    origin: bigint,
    bounds: Span,
    limits: SourceLimits,
    decode: Decode = decodeTimeline,
  ) {
    this.#fetch = fetch;
    this.#origin = origin;
    this.#bounds = bounds;
    this.#limits = limits;
    this.#decode = decode;
  }

  /** Another one of the same analysis, for lanes that wait for no others. */
  sibling(): TimelineSource {
    return new TimelineSource(this.#fetch, this.#origin, this.#bounds, this.#limits, this.#decode);
  }

  get loading(): boolean {
    return this.#flight !== null;
  }

  tiles(lane: string): readonly Tile[] {
    return this.#tiles.get(lane) ?? NO_TILES;
  }

  /** Sets what is visible now. Cheap when everything is loaded; call it on every change of the view. */
  want(lanes: readonly string[], view: Span, width: number): void {
    this.#wanted = { lanes, view, width: Math.min(width, widestPlot(this.#limits.maxPx)) };
    this.#next();
  }

  /** Gets one view of the whole trace for lanes that must always have something to draw. */
  async overview(lanes: readonly string[], width: number): Promise<void> {
    const plan = planFetch(this.#bounds, Math.min(width, widestPlot(this.#limits.maxPx)), this.#bounds);
    for (let at = 0; at < lanes.length && !this.#closed; at += this.#limits.maxLanes) {
      const some = lanes.slice(at, at + this.#limits.maxLanes);
      try {
        await this.#load(some, plan, this.#stop.signal);
        this.onChange();
      } catch (error) {
        if (this.#closed || isAbort(error)) return;
        this.problem = sentenceOf(error);
        this.onChange();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        at -= this.#limits.maxLanes;
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#stop.abort();
    this.#flight?.abort.abort();
    this.#retry.stop();
  }

  #missing(): string[] {
    const wanted = this.#wanted;
    if (!wanted) return [];
    const target = spanLength(wanted.view) / Math.max(1, wanted.width);
    return wanted.lanes.filter((lane) => !isCovered(this.tiles(lane), wanted.view, this.#bounds, target));
  }

  #next(): void {
    if (this.#closed || !this.#wanted) return;
    const missing = this.#missing();
    if (missing.length === 0) return;
    const { view, width } = this.#wanted;
    if (this.#flight) {
      const helps =
        stillUseful(this.#flight.plan, view, width) && missing.some((lane) => this.#flight?.lanes.has(lane));
      if (helps) return;
      this.#flight.abort.abort();
      this.#flight = null;
    }
    if (this.#retry.waiting) return;
    const plan = planFetch(view, width, this.#bounds);
    void this.#run(missing.slice(0, this.#limits.maxLanes), plan);
  }

  async #run(lanes: readonly string[], plan: FetchPlan): Promise<void> {
    const flight: Flight = { plan, lanes: new Set(lanes), abort: new AbortController() };
    this.#flight = flight;
    try {
      await this.#load(lanes, plan, flight.abort.signal);
      if (this.#closed) return;
      this.problem = null;
    } catch (error) {
      if (this.#closed || isAbort(error) || flight.abort.signal.aborted) return;
      this.problem = sentenceOf(error);
      this.#retry.start(() => this.#next(), RETRY_MS);
    } finally {
      if (this.#flight === flight) this.#flight = null;
    }
    this.onChange();
    this.#next();
  }

  async #load(lanes: readonly string[], plan: FetchPlan, signal: AbortSignal): Promise<void> {
    const query = {
      lanes,
      from: toAbs(this.#origin, plan.from),
      to: toAbs(this.#origin, plan.to),
      px: plan.px,
    };
    const bytes = await this.#fetch(query, signal);
    if (this.#closed || signal.aborted) return;
    const span = { from: plan.from, to: plan.to };
    const decoded = this.#decode(bytes, lanes.length, span, plan.resolution);
    const tiles = decoded instanceof Promise ? await decoded : decoded;
    // Decoded is decoded: also what the view has left may be drawn later.
    if (this.#closed) return;
    for (const [i, tile] of tiles.entries()) {
      const lane = lanes[i];
      if (lane !== undefined) this.#keep(lane, tile);
    }
  }

  #keep(lane: string, tile: Tile): void {
    const isWhole = (t: Tile) => t.span.from <= this.#bounds.from && t.span.to >= this.#bounds.to;
    const others = (this.#tiles.get(lane) ?? []).filter(
      (t) =>
        !(t.span.from === tile.span.from && t.span.to === tile.span.to && t.resolution >= tile.resolution),
    );
    const kept = [...others, tile];
    while (kept.length > TILES_PER_LANE) {
      // The oldest goes, but one view of the whole trace stays: there is then always something to draw.
      const at = kept.findIndex((t, i) => !isWhole(t) || kept.findIndex(isWhole) !== i);
      kept.splice(Math.max(0, at), 1);
    }
    this.#tiles.set(lane, kept);
  }
}
