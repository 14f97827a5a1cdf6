/**
 * A query's rows on the time axis. Rows with `ts` and `dur` are slices, with `ts` and `value` counters, with `ts` alone moments.
 * `nid`, `cpu` and, for counters, `name` put them on lanes of their own. Made once per answer, not per frame.
 */

import type { SqlAnswer } from "../../api/types.ts";
import { formatCount, plural } from "../../lib/format.ts";
import { type AbsNs, parseNs, type RelNs, type Span, toRel } from "../../lib/time.ts";
import { GlyphTrack } from "../../timeline/draw/glyphs.ts";
import { cellText, fieldOf, type SqlCell, wholeColumn } from "./sql-table.ts";

/** What the lanes of a query are made of. */
export type TrackKind = "slices" | "counter" | "moments";

/** Slices below each other where they overlap; deeper ones share the last row. */
export const MOST_DEPTH = 6;
/** More lanes are a table, not a picture. */
export const MOST_LANES = 24;

/** Rows of a lane, ascending in time. All arrays have the same length. */
export interface LaneRows {
  readonly length: number;
  readonly t0: Float64Array;
  /** Of a moment its begin, of a counter the next one's. */
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
  /** What is not drawn, one sentence; null where all is. */
  readonly note: string | null;
  /** What a row is called. */
  readonly nameOf: (row: number) => string;
  readonly answer: SqlAnswer;
}

interface Placed {
  readonly t0: RelNs;
  readonly t1: RelNs;
  readonly row: number;
  readonly value: number;
}

/** Why an answer cannot be drawn, one sentence; null where it can. */
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

/** Which lane a row is on, by its name. */
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

/** By its `name`, else its first text, else whatever else it has; of a row of times alone by its number. */
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
