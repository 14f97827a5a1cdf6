/**
 * Pressure stall information (PSI) as the kernel counted it: each sample has the total time, in µs since boot,
 * that some task (or all of them) stalled on a resource. Two consecutive samples give the exact share of the time
 * between them; the kernel's own running averages are not needed.
 */

import { bisectRight } from "d3-array";
import type { RelNs, Span } from "../../../lib/time.ts";
import { type Items, Kind, type Piece, type Tile } from "../../../timeline/tiles/tiles.ts";

/** Rows of the table `psi`. All arrays have the same length. */
export interface PressureRows {
  readonly length: number;
  /** Input that the row came from. */
  readonly input: ArrayLike<number>;
  /** ns relative to the origin, NaN where the time cannot be placed. */
  readonly at: Float64Array;
  /** Empty for the whole system. */
  readonly cgroup: readonly string[];
  readonly resource: readonly string[];
  /** Total stall time in µs, NaN where the kernel does not count it. */
  readonly some: Float64Array;
  readonly full: Float64Array;
  /** The kernel's running averages, percent; NaN where it has none. Left out where the samples have none at all. */
  readonly averages?: Readonly<Record<Average, Pair>>;
}

/** Length of a running average, s. */
export const AVERAGES = [10, 60, 300] as const;
export type Average = (typeof AVERAGES)[number];

export interface Pair {
  readonly some: Float64Array;
  readonly full: Float64Array;
}

/** Samples of one resource, ascending in time, and what lies between them. */
export interface PressureSeries {
  readonly resource: string;
  readonly cgroup: string;
  readonly input: number;
  readonly at: Float64Array;
  /** Totals in µs; where `average` is set, shares that hold until the next sample. */
  readonly some: Float64Array;
  readonly full: Float64Array;
  /** null for what was counted between two samples; else the kernel's own average over so many s. */
  readonly average: Average | null;
  /** Longest time between two samples without a pause of sampling, ns. */
  readonly longest: number;
  /** True if the kernel counts it at all: `irq` has no `some`, `cpu` of old kernels no `full`. */
  readonly hasSome: boolean;
  readonly hasFull: boolean;
  /** As a tile, so that strips are resampled and gaps are drawn as everywhere: busy = some, wait = full, waitMax = peak. */
  readonly tile: Tile;
}

/** `waitMax` of a step counts the larger share in parts of a million. */
export const PEAK_UNIT = 1_000_000;

/** A time without samples that is this many usual distances long is a gap. */
const GAP_FACTOR = 4;
const ORDER = ["cpu", "memory", "io", "irq"];

/** The resources that a kernel with PSI always has: what is laid out before the samples are there. */
export const USUAL_RESOURCES: readonly string[] = ORDER.slice(0, 3);

export interface PressureReading {
  /** Path of the cgroup; null for the whole system, otherwise the first cgroup by name. */
  readonly cgroup?: string | null;
  readonly average?: Average | null;
}

/**
 * One series for each resource of the whole system; of the first cgroup by name when there is none of the system. If several inputs have one resource, the one with most samples is used.
 * @param span the interval of time that the rows were requested
 */
export function pressureSeries(
  rows: PressureRows,
  span: Span,
  { cgroup = null, average = null }: PressureReading = {},
): PressureSeries[] {
  const groups = new Map<string, number[]>();
  let first: string | null = null;
  for (let row = 0; row < rows.length; row += 1) {
    if (Number.isNaN(rows.at[row])) continue;
    const own = rows.cgroup[row] ?? "";
    if (first === null || own < first) first = own;
    const key = `${rows.input[row]}\n${rows.resource[row]}\n${own}`;
    const list = groups.get(key);
    if (list) list.push(row);
    else groups.set(key, [row]);
  }
  const whose = cgroup ?? first;
  const best = new Map<string, number[]>();
  for (const list of groups.values()) {
    const row = list[0] ?? 0;
    const resource = rows.resource[row] ?? "";
    if ((rows.cgroup[row] ?? "") === whose && list.length > (best.get(resource)?.length ?? 0)) {
      best.set(resource, list);
    }
  }
  return [...best.values()]
    .map((list) => seriesOf(rows, list, span, average))
    .sort((a, b) => place(a.resource) - place(b.resource) || (a.resource < b.resource ? -1 : 1));
}

/** Cgroups with samples, by name; empty for the whole system, which comes first. */
export function sampledCgroups(rows: PressureRows): string[] {
  return [...new Set(rows.cgroup)].sort();
}

function place(resource: string): number {
  const at = ORDER.indexOf(resource);
  return at < 0 ? ORDER.length : at;
}

/** Totals at moments, ascending: sampled or replayed. */
export interface Totals {
  readonly resource: string;
  readonly cgroup: string;
  readonly input: number;
  readonly at: Float64Array;
  /** µs, NaN where it is not counted. */
  readonly some: Float64Array;
  readonly full: Float64Array;
  /** Longest time between two times without a gap, ns. */
  readonly longest: number;
  readonly average?: Average | null;
}

/** @param span the interval of time that the totals speak for */
export function seriesFrom(totals: Totals, span: Span): PressureSeries {
  const base = {
    ...totals,
    average: totals.average ?? null,
    hasSome: totals.some.some((value) => !Number.isNaN(value)),
    hasFull: totals.full.some((value) => !Number.isNaN(value)),
  };
  return { ...base, tile: tileOf(base, span) };
}

function seriesOf(rows: PressureRows, list: number[], span: Span, average: Average | null): PressureSeries {
  const sorted = list.sort((a, b) => (rows.at[a] ?? 0) - (rows.at[b] ?? 0));
  // Two samples of one moment are one.
  const kept = sorted.filter((row, i) => i === 0 || rows.at[row] !== rows.at[sorted[i - 1] ?? 0]);
  const first = kept[0] ?? 0;
  const at = Float64Array.from(kept, (row) => rows.at[row] ?? 0);
  const values = average === null ? rows : rows.averages?.[average];
  const unit = average === null ? 1 : 0.01;
  const column = (from: Float64Array | undefined) =>
    Float64Array.from(kept, (row) => (from?.[row] ?? Number.NaN) * unit);
  const [some, full] = [column(values?.some), column(values?.full)];
  return seriesFrom(
    {
      resource: rows.resource[first] ?? "",
      cgroup: rows.cgroup[first] ?? "",
      input: rows.input[first] ?? 0,
      at,
      some,
      full,
      longest: usualDistance(at) * GAP_FACTOR,
      average,
    },
    span,
  );
}

/** The median, which a few long pauses do not move. */
function usualDistance(at: Float64Array): number {
  if (at.length < 3) return Number.POSITIVE_INFINITY;
  const distances = Float64Array.from({ length: at.length - 1 }, (_, i) => (at[i + 1] ?? 0) - (at[i] ?? 0));
  return distances.sort()[distances.length >> 1] ?? Number.POSITIVE_INFINITY;
}

type Samples = Pick<PressureSeries, "at" | "some" | "full" | "longest" | "hasSome" | "hasFull" | "average">;

/** Conclusion of two neighbouring samples, or their absence, about a time. */
export interface Interval {
  readonly from: RelNs;
  readonly to: RelNs;
  /** Stall time in between, µs; null where it is not known. */
  readonly someUs: number | null;
  readonly fullUs: number | null;
  /** Reason for a gap; null for a drawn step. */
  readonly gap: "before" | "after" | "pause" | "reset" | null;
}

/** @param i index of the sample at the interval's start */
function intervalAfter(series: Samples, i: number): Interval {
  const from = series.at[i] ?? 0;
  const to = series.at[i + 1] ?? 0;
  const held = series.average === null ? null : (to - from) / 1000;
  const someUs = held === null ? delta(series.some, i) : part(series.some, i, held);
  const fullUs = held === null ? delta(series.full, i) : part(series.full, i, held);
  // Totals only grow: a smaller one means that the machine was started again, or that the files are of two machines.
  const lacking = (series.hasSome && someUs === null) || (series.hasFull && fullUs === null);
  const gap = lacking ? "reset" : to - from > series.longest ? "pause" : null;
  return { from, to, someUs, fullUs, gap };
}

/** An average as the stall time that would give it: so that it is drawn, read and averaged as what was counted is. */
function part(shares: Float64Array, i: number, us: number): number | null {
  const share = shares[i] ?? Number.NaN;
  return Number.isNaN(share) ? null : share * us;
}

function delta(totals: Float64Array, i: number): number | null {
  const value = (totals[i + 1] ?? Number.NaN) - (totals[i] ?? Number.NaN);
  return value >= 0 ? value : null;
}

/** The interval that a time falls into; null without any sample. */
export function intervalAt(series: PressureSeries, at: RelNs): Interval | null {
  const count = series.at.length;
  if (count === 0) return null;
  const { span } = series.tile;
  const nothing = { someUs: null, fullUs: null };
  const first = series.at[0] ?? 0;
  const last = series.at[count - 1] ?? 0;
  if (at < first) return { from: Math.min(span.from, at), to: first, ...nothing, gap: "before" };
  if (at >= last) return { from: last, to: Math.max(span.to, at), ...nothing, gap: "after" };
  return intervalAfter(series, lastAtOrBefore(series.at, at));
}

/** Share of an interval; a hair above 1 is possible, as samples are stamped before they are read. */
export function shareOf(interval: Pick<Interval, "from" | "to">, stallUs: number | null): number | null {
  return stallUs === null ? null : (stallUs * 1000) / (interval.to - interval.from);
}

export interface PressureMeans {
  readonly some: number | null;
  readonly full: number | null;
}

/** Mean shares over those parts of a window that have samples; null when none has. */
export function pressureMeans(series: PressureSeries, window: Span): PressureMeans | null {
  let time = 0;
  let some = 0;
  let full = 0;
  for (let i = Math.max(0, lastAtOrBefore(series.at, window.from)); i + 1 < series.at.length; i += 1) {
    if ((series.at[i] ?? 0) >= window.to) break;
    const interval = intervalAfter(series, i);
    const length = Math.min(interval.to, window.to) - Math.max(interval.from, window.from);
    if (interval.gap !== null || length <= 0) continue;
    time += length;
    some += (shareOf(interval, interval.someUs) ?? 0) * length;
    full += (shareOf(interval, interval.fullUs) ?? 0) * length;
  }
  if (time === 0) return null;
  return { some: series.hasSome ? some / time : null, full: series.hasFull ? full / time : null };
}

function lastAtOrBefore(at: Float64Array, time: RelNs): number {
  return bisectRight(at, time) - 1;
}

function tileOf(series: Samples, span: Span): Tile {
  const steps: Interval[] = [];
  const gaps: Interval[] = [];
  const count = series.at.length;
  const edge = (from: RelNs, to: RelNs, gap: "before" | "after") => {
    if (to > from) gaps.push({ from, to, someUs: null, fullUs: null, gap });
  };
  edge(span.from, series.at[0] ?? span.to, "before");
  for (let i = 0; i + 1 < count; i += 1) {
    const interval = intervalAfter(series, i);
    (interval.gap === null ? steps : gaps).push(interval);
  }
  edge(series.at[count - 1] ?? span.from, span.to, "after");
  return { span, resolution: 1, bars: itemsOf(steps), gaps: itemsOf(gaps), waits: itemsOf([]) };
}

function itemsOf(stretches: readonly Interval[]): Items {
  const some = Float32Array.from(stretches, (step) => Math.min(1, shareOf(step, step.someUs) ?? 0));
  const full = Float32Array.from(stretches, (step) => Math.min(1, shareOf(step, step.fullUs) ?? 0));
  const length = stretches.length;
  return {
    length,
    kind: Uint8Array.from(stretches, ({ gap }) => (gap === null ? Kind.Bucket : Kind.Unknown)),
    t0: Float64Array.from(stretches, ({ from }) => from),
    t1: Float64Array.from(stretches, ({ to }) => to),
    busy: some,
    rt: new Float32Array(length),
    wait: full,
    waitMax: Uint32Array.from(some, (share, i) => Math.round(Math.max(share, full[i] ?? 0) * PEAK_UNIT)),
    task: new Uint32Array(length),
    count: new Uint32Array(length),
    ofTask: null,
  };
}

/** The part of a window that the series speaks for. */
export function pressurePieces(series: PressureSeries, view: Span): Piece[] {
  const { tile } = series;
  const from = Math.max(view.from, tile.span.from);
  const to = Math.min(view.to, tile.span.to);
  return from < to ? [{ tile, span: { from, to } }] : [];
}

/** Shares at a lane's full height, one for all lanes so that they compare. */
const SCALES = [0.05, 0.1, 0.25, 0.5, 1];

/** The lowest scale on which no step is cut off. */
export function pressureScale(series: readonly PressureSeries[]): number {
  let most = 0;
  for (const { tile } of series) {
    for (const peak of tile.bars.waitMax) most = Math.max(most, peak / PEAK_UNIT);
  }
  return SCALES.find((scale) => scale >= most) ?? 1;
}
