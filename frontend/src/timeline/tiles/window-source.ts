/**
 * A section of the analysis for moving lanes: of the whole trace when it comes whole, otherwise of an interval around
 * the view that is wide enough for small moves to request nothing. The last answer is drawn until the next is there.
 * Each is made into columns once.
 */

import {
  type FetchSection,
  inTurn,
  SectionSource,
  type SectionSources,
} from "../../api/routes/section-source.ts";
import {
  MOST_LISTED,
  type SectionAnswer,
  type SectionName,
  type SectionQuery,
} from "../../api/routes/sections.ts";
import type { MissingPart } from "../../api/types.ts";
import { type AbsNs, type RelNs, type Span, spanLength, toAbs, toRel } from "../../lib/time.ts";
import { firstEndingAfter, type Items } from "./tiles.ts";

/** An interval of more than this many times the view's length is too coarse: the view requests its own. */
const CLOSER = 8.5;

export interface WindowParts<A, P> {
  readonly fetch: FetchSection<A | MissingPart>;
  readonly origin: AbsNs;
  readonly bounds: Span;
  /** @param span what the answer speaks for */
  readonly prepare: (answer: A, span: Span) => P;
  /** Returns whether a narrower window would list more. */
  readonly partial: (answer: A) => boolean;
}

export class WindowSource<A extends { readonly available: true }, P> {
  readonly #section: SectionSource<A | MissingPart>;
  readonly #parts: WindowParts<A, P>;
  #degree: number | null = null;
  #have: { readonly span: Span; readonly partial: boolean; readonly degree: number | null } | null = null;

  /** null before the first answer, and where there is none. */
  tracks: P | null = null;
  /** Reason for a missing answer from the service, null without one. */
  missing: string | null = null;
  onChange: () => void = () => {};

  constructor(parts: WindowParts<A, P>) {
    this.#parts = parts;
    this.#section = new SectionSource(parts.fetch);
    this.#section.subscribe(() => this.#take());
  }

  get loading(): boolean {
    return this.#section.getSnapshot().loading;
  }

  get problem(): string | null {
    return this.#section.getSnapshot().problem;
  }

  /** The degree that `tracks` were made with; null is the recorded one. */
  get degree(): number | null {
    return this.#have?.degree ?? null;
  }

  /** Range of `tracks`. */
  get span(): Span | null {
    return this.#have?.span ?? null;
  }

  /** Sets what is visible now. Cheap when it is loaded; call it on every change of the view. */
  want(view: Span, degree: number | null = null): void {
    this.#degree = degree;
    const have = this.#have;
    if (have && have.degree === degree && serves(have, within(view, this.#parts.bounds))) {
      if (this.#section.getSnapshot().loading) this.#section.drop();
      return;
    }
    this.#section.want(this.#queryFor(view));
  }

  close(): void {
    this.#section.close();
  }

  #queryFor(view: Span): SectionQuery {
    const { origin, bounds } = this.#parts;
    const span = this.#have?.partial ? intervalFor(view, bounds) : bounds;
    return {
      window: { from: toAbs(origin, span.from), to: toAbs(origin, span.to) },
      ...(this.#degree === null ? {} : { degree: this.#degree }),
    };
  }

  #take(): void {
    const { answer, query } = this.#section.getSnapshot();
    const { origin, prepare, partial } = this.#parts;
    if (!answer || !query?.window) {
      this.onChange();
      return;
    }
    const span = { from: toRel(origin, query.window.from), to: toRel(origin, query.window.to) };
    const degree = query.degree ?? null;
    const have = this.#have;
    if (!have || !sameSpan(have.span, span) || have.degree !== degree) {
      this.#have = { span, degree, partial: answer.available && partial(answer) };
      this.tracks = answer.available ? prepare(answer, span) : null;
      this.missing = answer.available ? null : answer.reason;
    }
    this.onChange();
  }
}

function sameSpan(a: Span, b: Span): boolean {
  return a.from === b.from && a.to === b.to;
}

function within(view: Span, bounds: Span): Span {
  return { from: Math.max(view.from, bounds.from), to: Math.min(view.to, bounds.to) };
}

function serves(have: { readonly span: Span; readonly partial: boolean }, view: Span): boolean {
  if (view.from < have.span.from || view.to > have.span.to) return false;
  return !have.partial || spanLength(have.span) <= CLOSER * spanLength(view);
}

/** Begins and ends at multiples of a power of two, so that neither a small move nor a small zoom requests another. */
export function intervalFor(view: Span, bounds: Span): Span {
  const step = 2 ** Math.ceil(Math.log2(Math.max(1, spanLength(view))));
  const from = (Math.floor(view.from / step) - 1) * step;
  const span = within({ from, to: from + 4 * step }, bounds);
  return span.from < span.to ? span : bounds;
}

/** A section that has what it is computed from. */
export type Available<N extends SectionName> = Extract<SectionAnswer<N>, { readonly available: true }>;

export interface WindowWish<A, P> extends Pick<WindowParts<A, P>, "prepare" | "partial"> {
  readonly listed?: number;
}

/** Sections for the lanes of one analysis, one request at a time: the window's own tiles are what the reader waits for. */
export class WindowSources {
  readonly #sections: SectionSources;
  readonly #base: { readonly origin: AbsNs; readonly bounds: Span };
  readonly #turn = inTurn<unknown>((query, signal) => (query as Queued).start(signal));

  constructor(sections: SectionSources, base: { readonly origin: AbsNs; readonly bounds: Span }) {
    this.#sections = sections;
    this.#base = base;
  }

  make<N extends SectionName, P>(name: N, wish: WindowWish<Available<N>, P>): WindowSource<Available<N>, P> {
    const { listed = MOST_LISTED, ...parts } = wish;
    const fetch = this.#sections.fetch(name);
    const queued = (query: SectionQuery, signal: AbortSignal) => {
      const start = (live: AbortSignal) => fetch({ ...query, listed }, live);
      return this.#turn({ ...query, start } as Queued, signal) as Promise<SectionAnswer<N>>;
    };
    return new WindowSource({
      ...this.#base,
      ...parts,
      fetch: queued as FetchSection<Available<N> | MissingPart>,
    });
  }
}

interface Queued extends SectionQuery {
  readonly start: (signal: AbortSignal) => Promise<unknown>;
}

// Items onto pixel columns: means weighed by time, peaks as they are. What a strip draws is what it measured.

export interface Columns {
  readonly busy: Float64Array;
  readonly wait: Float64Array;
  readonly peak: Float64Array;
}

/** Some items and the interval of time that they speak for. */
export interface Source {
  readonly items: Items;
  readonly span: Span;
}

/**
 * @param from time at the left edge of the first column
 * @param perNs columns per ns
 * @param count number of columns
 * @param into columns to write over; a lane that is drawn with every frame has some of its own kind already
 */
export function resample(
  sources: readonly Source[],
  from: RelNs,
  perNs: number,
  count: number,
  into: Columns = columnsOf(count),
): Columns {
  const { busy, wait, peak } = into;
  for (const { items, span } of sources) {
    const { t0: starts, t1: ends, length } = items;
    for (let i = firstEndingAfter(items, span.from); i < length; i += 1) {
      const t0 = starts[i] ?? 0;
      if (t0 >= span.to) break;
      const x0 = Math.max(0, (Math.max(t0, span.from) - from) * perNs);
      const x1 = Math.min(count, (Math.min(ends[i] ?? 0, span.to) - from) * perNs);
      const itemBusy = items.busy[i] ?? 0;
      const itemWait = items.wait[i] ?? 0;
      const itemPeak = items.waitMax[i] ?? 0;
      const first = Math.floor(x0);
      const last = Math.ceil(x1) - 1;
      if (last < first) continue;
      add(into, first, Math.min(x1, first + 1) - x0, itemBusy, itemWait, itemPeak);
      if (last === first) continue;
      add(into, last, x1 - last, itemBusy, itemWait, itemPeak);
      // Whole columns belong to this item alone, as items do not overlap.
      if (last - first < 2) continue;
      busy.fill(itemBusy, first + 1, last);
      wait.fill(itemWait, first + 1, last);
      peak.fill(itemPeak, first + 1, last);
    }
  }
  return into;
}

function add({ busy, wait, peak }: Columns, x: number, part: number, b: number, w: number, p: number): void {
  busy[x] = (busy[x] ?? 0) + part * b;
  wait[x] = (wait[x] ?? 0) + part * w;
  if (p > (peak[x] ?? 0)) peak[x] = p;
}

function columnsOf(count: number): Columns {
  return { busy: new Float64Array(count), wait: new Float64Array(count), peak: new Float64Array(count) };
}

let spare = columnsOf(0);

/** Empty columns to draw from at once: the next caller is given the same ones. */
export function spareColumns(count: number): Columns {
  if (spare.busy.length !== count) spare = columnsOf(count);
  else {
    spare.busy.fill(0);
    spare.wait.fill(0);
    spare.peak.fill(0);
  }
  return spare;
}

/**
 * Calls `draw` once for every run of columns with the same height, in whole units of a device pixel.
 * @param height device pixels of a column
 */
export function eachRun(
  count: number,
  height: (column: number) => number,
  draw: (column: number, length: number, height: number) => void,
): void {
  let start = 0;
  let current = count > 0 ? height(0) : 0;
  for (let x = 1; x <= count; x += 1) {
    const next = x < count ? height(x) : Number.NaN;
    if (next === current) continue;
    if (current > 0) draw(start, x - start, current);
    start = x;
    current = next;
  }
}
