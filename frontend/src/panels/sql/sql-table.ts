/** A query's rows as a table: every cell as the trace processor has it, 64 bits exact. */

import type { SqlAnswer } from "../../api/types.ts";
import type { Field } from "../../lib/csv.ts";
import { formatBytes, formatCount, plural } from "../../lib/format.ts";
import { windowText } from "../../lib/terms.ts";
import { type AbsNs, parseNs } from "../../lib/time.ts";
import { type Column, describeTable, type TextTable, type Unit } from "../../ui/table/described-table.ts";

export type SqlCell = SqlAnswer["rows"][number][number];
type SqlColumn = SqlAnswer["columns"][number];

const REALS: Readonly<Record<string, number>> = { inf: Infinity, "-inf": -Infinity, nan: Number.NaN };

/** Value of a cell for sorting and export. Integers are digits in a string: they may need all of 64 bits. */
export function fieldOf(cell: SqlCell | undefined, kind: SqlColumn["kind"]): Field {
  if (cell === null || cell === undefined) return null;
  if (kind === "integer") return parseNs(String(cell)) ?? String(cell);
  if (kind === "real" && typeof cell === "string") return REALS[cell] ?? cell;
  return cell;
}

/** Columns may share a name; a table's own must not. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const base = name === "" ? "?" : name;
    let own = base;
    for (let n = 2; taken.has(own); n += 1) own = `${base} (${n})`;
    taken.add(own);
    return own;
  });
}

/** `dur` can be filtered by `>10ms`; the digits that are shown are those of the answer all the same. */
function unitOf({ name, kind }: SqlColumn): Unit {
  if (kind === "integer") return /(^|_)dur$/.test(name) ? "ns" : "id";
  return kind === "real" ? "number" : "text";
}

export function sqlTable({ columns, rows }: Pick<SqlAnswer, "columns" | "rows">): TextTable {
  const names = distinctNames(columns.map(({ name }) => name));
  const described = columns.map((column, place): Column<SqlAnswer["rows"][number]> => {
    const name = names[place] ?? "";
    return {
      name,
      exact: name,
      unit: unitOf(column),
      title: column.kind === "empty" ? "NULL only" : column.kind,
      value: (row) => fieldOf(row[place], column.kind),
      show: (row) => cellText(row[place]),
    };
  });
  return describeTable(described, rows);
}

/** Of no value too: an empty text is another thing. */
export function cellText(cell: SqlCell | undefined): string {
  return cell === null || cell === undefined ? "NULL" : String(cell);
}

export interface RowPlace {
  readonly ts: AbsNs;
  /** null for a moment, and for what has not ended. */
  readonly dur: bigint | null;
  readonly cpu: number | null;
}

/** Place of a column of whole numbers by its name, -1 without one. */
export function wholeColumn(columns: readonly SqlColumn[], name: string): number {
  return columns.findIndex((column) => column.name === name && column.kind === "integer");
}

/** Position of every row; null for answers without such a column. */
export function rowPlaces({
  columns,
  rows,
}: Pick<SqlAnswer, "columns" | "rows">): ((row: number) => RowPlace | null) | null {
  const [ts, dur, cpu] = ["ts", "dur", "cpu"].map((name) => wholeColumn(columns, name)) as [
    number,
    number,
    number,
  ];
  if (ts < 0) return null;
  const whole = (row: number, column: number) => {
    const cell = column < 0 ? null : rows[row]?.[column];
    return cell === null || cell === undefined ? null : parseNs(String(cell));
  };
  return (row) => {
    const at = whole(row, ts);
    if (at === null) return null;
    const length = whole(row, dur);
    const on = whole(row, cpu);
    return {
      ts: at,
      dur: length !== null && length > 0n ? length : null,
      cpu: on !== null && on >= 0n && on < 1_000_000n ? Number(on) : null,
    };
  };
}

/** `1,234 rows in 12 ms`. */
export function answerText({ rows, truncated, elapsed_ms }: SqlAnswer): string {
  const count = truncated ? `the first ${plural(rows.length, "row")} of more` : plural(rows.length, "row");
  const took = elapsed_ms < 10 ? elapsed_ms.toFixed(1) : formatCount(Math.round(elapsed_ms));
  return `${count} in ${took} ms`;
}

/** Data of the trace processor, as a note. */
export function traceText({ trace: { events, bytes, from_ns, to_ns, load_ms, loaded } }: SqlAnswer): string {
  const interval =
    from_ns === null || to_ns === null
      ? "the whole recording"
      : windowText({ from: BigInt(from_ns), to: BigInt(to_ns) });
  const load = loaded === "now" ? `, loaded in ${(load_ms / 1000).toFixed(1)} s` : "";
  return `${interval}: ${plural(events, "event")}, ${formatBytes(bytes)}${load}`;
}
