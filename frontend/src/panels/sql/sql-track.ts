/**
 * A query's rows on the time axis. Rows with `ts` and `dur` are slices, with `ts` and `value` counters, with `ts` alone moments.
 * `nid`, `cpu` and, for counters, `name` put them on lanes of their own. Made once per answer, not per frame.
 */

import type { SqlAnswer } from "../../api/types.ts";
import { formatCount, plural } from "../../lib/format.ts";
import { type AbsNs, parseNs, type RelNs, type Span, toRel } from "../../lib/time.ts";
import { firstFrom, GlyphTrack } from "../../timeline/draw/glyphs.ts";
import { cellText, fieldOf, type SqlCell, wholeColumn } from "./sql-table.ts";

/** Kind of a query's lanes. */
export type TrackKind = "slices" | "counter" | "moments";

/** Slices below each other where they overlap; deeper ones share the last row. */
export const MOST_DEPTH = 6;
/** More lanes are a table, not a picture. */
export const MOST_LANES = 24;

/** Rows of a lane, ascending in time. All arrays have the same length. */
export interface LaneRows {
  readonly length: number;
  readonly t0: Float64Array;
  /** For a moment its start, for a counter the start of the next one. */
  readonly t1: Float64Array;
  /** Place of the row in the answer. */
  readonly row: Uint32Array;
  /** Of a counter; 0 for others. */
  readonly value: Float64Array;
}

export interface SqlLane {
  /** Number of the lane, as it is in its key. */
  readonly index: number;
  /** `node 0`, `cpu 3`, a counter's name; empty where all rows are on one lane. */
  readonly name: string;
  readonly kind: TrackKind;
  /** One for counters and moments; of slices one for each depth. */
  readonly rows: readonly LaneRows[];
  /** Of moments, with their merging. */
  readonly marks: GlyphTrack | null;
  /** Values at the lane's lower and upper edge. */
  readonly scale: { readonly low: number; readonly high: number };
  /** Rows of all depths. */
  readonly count: number;
}

export interface SqlTrack {
  readonly kind: TrackKind;
  readonly lanes: readonly SqlLane[];
  /** Rows that are not drawn, one sentence; null if all are. */
  readonly note: string | null;
  readonly nameOf: (row: number) => string;
  readonly answer: SqlAnswer;
}

interface Placed {
  readonly t0: RelNs;
  readonly t1: RelNs;
  readonly row: number;
  readonly value: number;
}

/** Reason for which an answer cannot be drawn, one sentence; null if it can. */
export function whyNoTrack({ columns, rows }: Pick<SqlAnswer, "columns" | "rows">): string | null {
  if (rows.length === 0) return "The query has no rows to draw.";
  return wholeColumn(columns, "ts") < 0
    ? "A track needs a column ts (ns of the trace clock), and dur or value."
    : null;
}

export function sqlTrack(answer: SqlAnswer, origin: AbsNs, bounds: Span): SqlTrack | null {
  if (whyNoTrack(answer) !== null) return null;
  const { columns, rows } = answer;
  const at = wholeColumn(columns, "ts");
  const dur = wholeColumn(columns, "dur");
  const value = columns.findIndex(
    ({ name, kind }) => name === "value" && (kind === "integer" || kind === "real"),
  );
  const named = columns.some(({ name, kind }) => name === "name" && kind !== "empty");
  // A value that has a length is still a value; a slice that has one is shown by its name.
  const kind: TrackKind = value >= 0 && (dur < 0 || !named) ? "counter" : dur >= 0 ? "slices" : "moments";
  const groups = new Map<string, Placed[]>();
  const laneOf = grouping(columns, kind);
  let lost = 0;
  rows.forEach((cells, row) => {
    const ts = whole(cells[at]);
    const height = kind === "counter" ? numberOf(cells[value], columns[value]?.kind ?? "real") : 0;
    if (ts === null || !Number.isFinite(height)) {
      lost += 1;
      return;
    }
    const t0 = toRel(origin, ts);
    const lane = laneOf(cells);
    const placed = {
      t0,
      t1: kind === "slices" ? endOf(t0, whole(cells[dur]), bounds) : t0,
      row,
      value: height,
    };
    const known = groups.get(lane);
    if (known) known.push(placed);
    else groups.set(lane, [placed]);
  });
  const names = [...groups.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const lanes = names
    .slice(0, MOST_LANES)
    .map((name, index) => laneOfRows(index, name, kind, groups.get(name) ?? [], bounds));
  return { kind, lanes, note: noteOf(answer, lost, names.length), nameOf: naming(answer), answer };
}

/** An open end (no `dur`, or one below zero) is that of the recording. */
function endOf(t0: RelNs, dur: bigint | null, bounds: Span): RelNs {
  return dur === null || dur < 0n ? Math.max(t0, bounds.to) : t0 + Number(dur);
}

function whole(cell: SqlCell | undefined): bigint | null {
  return cell === null || cell === undefined ? null : parseNs(String(cell));
}

function numberOf(cell: SqlCell | undefined, kind: SqlAnswer["columns"][number]["kind"]): number {
  const field = fieldOf(cell, kind);
  return field === null ? Number.NaN : Number(field);
}

function noteOf({ truncated, rows }: SqlAnswer, lost: number, lanes: number): string | null {
  const parts = [
    ...(truncated ? [`only the first ${formatCount(rows.length)} rows are drawn`] : []),
    ...(lost > 0
      ? [`${plural(lost, "row")} without a time or a value ${lost === 1 ? "is" : "are"} left out`]
      : []),
    ...(lanes > MOST_LANES ? [`only the first ${MOST_LANES} of ${formatCount(lanes)} lanes are drawn`] : []),
  ];
  const text = parts.join(", ");
  return text === "" ? null : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Lane of a row, by its name. */
function grouping(columns: SqlAnswer["columns"], kind: TrackKind): (cells: readonly SqlCell[]) => string {
  const words: readonly (readonly [column: string, word: string])[] = [
    ["nid", "node "],
    ["cpu", "cpu "],
    ...(kind === "counter" ? ([["name", ""]] as const) : []),
  ];
  const used = words.flatMap(([name, word]) => {
    const column = columns.findIndex((found) => found.name === name && found.kind !== "empty");
    return column < 0 ? [] : [[column, word] as const];
  });
  return (cells) =>
    used
      .flatMap(([column, word]) => {
        const cell = cells[column];
        return cell === null || cell === undefined ? [] : [`${word}${cell}`];
      })
      .join(" · ");
}

/** Names a row by its `name`, else its first text, else another field; a row with only times by its number. */
function naming({ columns, rows }: SqlAnswer): (row: number) => string {
  const first = (isIt: (column: SqlAnswer["columns"][number]) => boolean) => columns.findIndex(isIt);
  const own = first(({ name, kind }) => name === "name" && kind !== "empty");
  const text = own >= 0 ? own : first(({ kind }) => kind === "text");
  const other = first(({ name, kind }) => !PLACES.has(name) && kind !== "empty");
  return (row) => {
    const cells = rows[row] ?? [];
    const named = cells[text];
    if (named !== null && named !== undefined && named !== "") return cellText(named);
    const found = cells[other];
    if (found === null || found === undefined || found === "") return `row ${formatCount(row + 1)}`;
    return `${columns[other]?.name ?? ""} ${cellText(found)}`;
  };
}

/** Columns that say where a row is, not what. */
const PLACES: ReadonlySet<string> = new Set(["ts", "dur", "cpu", "nid", "id"]);

function laneOfRows(index: number, name: string, kind: TrackKind, rows: Placed[], bounds: Span): SqlLane {
  // A query need not order its rows, and what is drawn is looked for by halving.
  rows.sort((a, b) => a.t0 - b.t0 || b.t1 - a.t1 || a.row - b.row);
  const depths = kind === "slices" ? byDepth(rows) : [kind === "counter" ? untilNext(rows, bounds) : rows];
  const columns = depths.map(columnsOf);
  const marks =
    kind === "moments" && columns[0]
      ? new GlyphTrack({ length: rows.length, t: columns[0].t0, kind: new Uint8Array(rows.length) })
      : null;
  return { index, name, kind, rows: columns, marks, scale: scaleOf(rows), count: rows.length };
}

/** Each slice on the first row that is free where it begins. */
function byDepth(rows: readonly Placed[]): Placed[][] {
  const depths: Placed[][] = [];
  const ends: number[] = [];
  for (const row of rows) {
    const free = ends.findIndex((end) => end <= row.t0);
    const depth = free >= 0 ? free : Math.min(ends.length, MOST_DEPTH - 1);
    ends[depth] = Math.max(ends[depth] ?? row.t1, row.t1);
    const known = depths[depth];
    if (known) known.push(row);
    else depths[depth] = [row];
  }
  return depths;
}

/** A value holds until the next one, the last to the end of the recording. */
function untilNext(rows: readonly Placed[], bounds: Span): Placed[] {
  return rows.map((row, i) => ({ ...row, t1: rows[i + 1]?.t0 ?? Math.max(row.t0, bounds.to) }));
}

function columnsOf(rows: readonly Placed[]): LaneRows {
  return {
    length: rows.length,
    t0: Float64Array.from(rows, ({ t0 }) => t0),
    t1: Float64Array.from(rows, ({ t1 }) => t1),
    row: Uint32Array.from(rows, ({ row }) => row),
    value: Float64Array.from(rows, ({ value }) => value),
  };
}

/** From nothing to the highest, and below it where values are negative. */
function scaleOf(rows: readonly Placed[]): SqlLane["scale"] {
  let [low, high] = [0, 0];
  for (const { value } of rows) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high > low ? { low, high } : { low, high: low + 1 };
}

// Rows of a query where they are denser than pixels: slices merge into blocks with a count, counters into their range.

/** Slices shorter than one pixel's share; all arrays have the same length. */
export interface Blocks {
  readonly length: number;
  /** Place of the first row in the lane. */
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  /** Share of the block's time that slices cover, 0..1. */
  readonly share: Float32Array;
}

/** CSS pixels: narrower slices merge with neighbours that are as near. */
const NARROW = 3;
/** A block ends where its count can be read. */
const WIDE = 28;

/**
 * Merges from the left, over the whole lane: so a block keeps its slices while the window moves.
 * @param perPixel ns of a CSS pixel
 */
export function mergeSlices({ length, t0, t1 }: LaneRows, perPixel: number): Blocks {
  const blocks = {
    first: new Uint32Array(length),
    count: new Uint32Array(length),
    t0: new Float64Array(length),
    t1: new Float64Array(length),
    share: new Float32Array(length),
  };
  const narrow = NARROW * perPixel;
  let n = 0;
  let filled = 0;
  let mergeable = false;
  const close = () => {
    const last = n - 1;
    if (last < 0) return;
    const long = (blocks.t1[last] ?? 0) - (blocks.t0[last] ?? 0);
    blocks.share[last] = long > 0 ? Math.min(1, filled / long) : 1;
  };
  for (let i = 0; i < length; i += 1) {
    const [from, to] = [t0[i] ?? 0, t1[i] ?? 0];
    const isNarrow = to - from < narrow;
    const last = n - 1;
    const near = from - (blocks.t1[last] ?? 0) < narrow && to - (blocks.t0[last] ?? 0) <= WIDE * perPixel;
    if (mergeable && isNarrow && near) {
      blocks.count[last] = (blocks.count[last] ?? 0) + 1;
      blocks.t1[last] = Math.max(blocks.t1[last] ?? 0, to);
      filled += to - from;
      continue;
    }
    close();
    blocks.first[n] = i;
    blocks.count[n] = 1;
    blocks.t0[n] = from;
    blocks.t1[n] = to;
    filled = to - from;
    mergeable = isNarrow;
    n += 1;
  }
  close();
  return { length: n, ...blocks };
}

/** Blocks of a row of slices with their last merging, which holds for as long as the zoom does. */
export class SliceRow {
  readonly rows: LaneRows;
  #perPixel = -1;
  #blocks: Blocks | null = null;

  constructor(rows: LaneRows) {
    this.rows = rows;
  }

  blocks(perPixel: number): Blocks {
    // A zoom by less than a thousandth is none, as for marks.
    if (!this.#blocks || Math.abs(perPixel - this.#perPixel) > this.#perPixel * 1e-3) {
      this.#blocks = mergeSlices(this.rows, perPixel);
      this.#perPixel = perPixel;
    }
    return this.#blocks;
  }
}

/** Index of the block under a time, or the nearest within reach; -1 for none. */
export function blockAt({ t0, t1, length }: Blocks, at: RelNs, reach: number): number {
  const next = firstFrom(t0, length, at);
  let best = -1;
  let distance = reach;
  for (const i of [next - 1, next]) {
    if (i < 0 || i >= length) continue;
    const away = Math.max(0, (t0[i] ?? 0) - at, at - (t1[i] ?? 0));
    if (away <= distance) {
      best = i;
      distance = away;
    }
  }
  return best;
}

/** Values of a counter in each pixel column; NaN before its first value. */
export interface CounterColumns {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Weighed by time. */
  readonly mean: Float64Array;
}

/**
 * @param from time at the left edge of the first column
 * @param perColumn ns of a column
 */
export function counterColumns(
  rows: LaneRows,
  from: RelNs,
  perColumn: number,
  count: number,
): CounterColumns {
  const low = new Float64Array(count).fill(Number.NaN);
  const high = new Float64Array(count).fill(Number.NaN);
  const mean = new Float64Array(count);
  const known = new Float64Array(count);
  const { length, t0, t1, value } = rows;
  const start = Math.max(0, firstFrom(t0, length, from) - 1);
  for (let i = start; i < length; i += 1) {
    const x0 = Math.max(0, ((t0[i] ?? 0) - from) / perColumn);
    const x1 = Math.min(count, ((t1[i] ?? 0) - from) / perColumn);
    if (x0 >= count) break;
    const own = value[i] ?? 0;
    // A value that held for less than any column is still one that was.
    const last = x1 < 0 ? -1 : Math.min(count - 1, Math.max(Math.floor(x0), Math.ceil(x1) - 1));
    for (let x = Math.floor(x0); x <= last; x += 1) {
      const part = Math.max(0, Math.min(x1, x + 1) - Math.max(x0, x));
      mean[x] = (mean[x] ?? 0) + part * own;
      known[x] = (known[x] ?? 0) + part;
      low[x] = lesser(low[x], own);
      high[x] = -lesser(-(high[x] ?? Number.NaN), -own);
    }
  }
  for (let x = 0; x < count; x += 1) {
    const part = known[x] ?? 0;
    mean[x] = part > 0 ? (mean[x] ?? 0) / part : (high[x] ?? Number.NaN);
  }
  return { low, high, mean };
}

/** The lesser of two, of which the first may not be known yet. */
function lesser(known: number | undefined, own: number): number {
  return known !== undefined && known <= own ? known : own;
}
