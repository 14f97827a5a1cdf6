import { tableFromIPC } from "@uwdata/flechette";
import { isAbort, sentenceOf } from "../../../api/client.ts";
import { RETRY_MS } from "../../../api/routes/section-source.ts";
import type { TimeWindow } from "../../../api/types.ts";
import { Delay } from "../../../lib/store.ts";
import { type AbsNs, type Span, spanLength, toAbs, toRel } from "../../../lib/time.ts";
import {
  type Average,
  type PressureReading,
  type PressureRows,
  type PressureSeries,
  pressureSeries,
  sampledCgroups,
} from "./pressure.ts";

/**
 * PSI samples of one analysis. A table that fits is requested once; a longer one by windows, one request at a time, as the
 * view moves.
 */

/** @param window null for all rows */
export type FetchPressure = (window: TimeWindow | null, signal: AbortSignal) => Promise<ArrayBuffer>;

export interface PressureTable {
  readonly rows: number;
  /** Rows whose time is known. */
  readonly placed: number;
  readonly from_ns: string | null;
  readonly to_ns: string | null;
}

/** An hour of four resources every 100 ms. More at once would take long and fill the memory. */
const MOST_ROWS = 150_000;
/** Of a long table as much again is fetched at either side of the view. */
const MARGIN = 1;
/** Rows beyond both ends of what is drawn, so that the samples around a short view are there. */
const EDGE_ROWS = 2000;

export class PressureSource {
  readonly #fetch: FetchPressure;
  readonly #table: PressureTable;
  readonly #origin: AbsNs;
  readonly #bounds: Span;
  #view: Span | null = null;
  /** Range of the series. */
  #have: Span | null = null;
  #flight: { readonly span: Span; readonly abort: AbortController } | null = null;
  readonly #retry = new Delay();
  #closed = false;
  #rows: { readonly rows: PressureRows; readonly reach: Span } | null = null;
  #reading: PressureReading = {};

  /** Cgroups with samples in the view; empty for the whole system. */
  cgroups: readonly string[] = [];
  series: readonly PressureSeries[] = [];
  /** The sentence of the last failure, null while all is well. */
  problem: string | null = null;
  /** The view holds more samples than can be drawn at once. */
  tooMany = false;
  onChange: () => void = () => {};

  constructor(fetch: FetchPressure, table: PressureTable, origin: AbsNs, bounds: Span) {
    this.#fetch = fetch;
    this.#table = table;
    this.#origin = origin;
    this.#bounds = bounds;
  }

  get loading(): boolean {
    return this.#flight !== null;
  }

  get answered(): boolean {
    return this.#have !== null;
  }

  set reading(reading: PressureReading) {
    this.#reading = reading;
    this.#make();
  }

  #make(): void {
    if (!this.#rows) return;
    const { rows, reach } = this.#rows;
    this.series = pressureSeries(rows, reach, this.#reading);
    this.onChange();
  }

  /** Sets what the screen shows now. Cheap when the data is loaded. */
  want(view: Span): void {
    this.#view = view;
    this.#next();
  }

  close(): void {
    this.#closed = true;
    this.#flight?.abort.abort();
    this.#retry.stop();
  }

  #next(): void {
    const view = this.#view && within(this.#view, this.#bounds);
    if (this.#closed || !view || this.#retry.waiting) return;
    if (covers(this.#have, view) || covers(this.#flight?.span ?? null, view)) return;
    const span = this.#spanFor(view);
    const tooMany = span === null;
    if (tooMany !== this.tooMany) {
      this.tooMany = tooMany;
      this.onChange();
    }
    if (span) void this.#load(span);
  }

  get #perRow(): number {
    const { placed, from_ns, to_ns } = this.#table;
    return Number(BigInt(to_ns ?? "0") - BigInt(from_ns ?? "0")) / Math.max(1, placed);
  }

  /** Range to request for a view; null when it would be too large. */
  #spanFor(view: Span): Span | null {
    if (this.#table.placed <= MOST_ROWS) return this.#bounds;
    const length = spanLength(view);
    const most = MOST_ROWS * this.#perRow;
    if (length > most) return null;
    const margin = length * (1 + 2 * MARGIN) > most ? 0 : length * MARGIN;
    return within({ from: view.from - margin, to: view.to + margin }, this.#bounds);
  }

  async #load(span: Span): Promise<void> {
    this.#flight?.abort.abort();
    const flight = { span, abort: new AbortController() };
    this.#flight = flight;
    const edge = EDGE_ROWS * this.#perRow;
    const reach = span === this.#bounds ? span : { from: span.from - edge, to: span.to + edge };
    const window =
      span === this.#bounds
        ? null
        : { from: toAbs(this.#origin, reach.from), to: toAbs(this.#origin, reach.to) };
    try {
      const bytes = await this.#fetch(window, flight.abort.signal);
      if (this.#closed || flight.abort.signal.aborted) return;
      const rows = decodePressure(bytes, this.#origin);
      this.#rows = { rows, reach };
      this.cgroups = sampledCgroups(rows);
      this.series = pressureSeries(rows, reach, this.#reading);
      this.#have = span;
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
}

function covers(have: Span | null, view: Span): boolean {
  return have !== null && have.from <= view.from && view.to <= have.to;
}

/** The common part; null where there is none. */
function within(view: Span, bounds: Span): Span | null {
  const from = Math.max(view.from, bounds.from);
  const to = Math.min(view.to, bounds.to);
  return from < to ? { from, to } : null;
}

/** The samples of pressure, Arrow IPC, as columns. */

/**
 * The table `psi`: times relative to the origin, totals in µs, NaN for what is null. Reads what the lanes need and leaves
 * the rest of the table alone.
 */
export function decodePressure(bytes: ArrayBuffer | Uint8Array, origin: AbsNs): PressureRows {
  // 64-bit numbers come as BigInt: a wall clock's ns do not fit a float64.
  const table = tableFromIPC(bytes, { useProxy: true, useBigInt: true });
  const column = (name: string) => {
    const values = table.getChild(name)?.toArray() as ArrayLike<unknown> | undefined;
    if (!values) throw new Error(`The table psi has no column ${name}.`);
    return values;
  };
  const numberOrNaN = (value: unknown) =>
    value === null || value === undefined ? Number.NaN : Number(value);
  const texts = (name: string) => Array.from(column(name), (value) => String(value ?? ""));
  const floats = (name: string) => Float64Array.from(column(name), numberOrNaN);
  const average = (seconds: Average) => ({
    some: floats(`some_avg${seconds}`),
    full: floats(`full_avg${seconds}`),
  });
  const averages = table.getChild("some_avg10")
    ? { 10: average(10), 60: average(60), 300: average(300) }
    : null;
  return {
    length: table.numRows,
    input: Uint32Array.from(column("input"), Number),
    at: Float64Array.from(column("ts_ns"), (value) =>
      typeof value === "bigint" ? toRel(origin, value) : Number.NaN,
    ),
    cgroup: texts("cgroup"),
    resource: texts("resource"),
    some: floats("some_total_us"),
    full: floats("full_total_us"),
    ...(averages ? { averages } : {}),
  };
}
