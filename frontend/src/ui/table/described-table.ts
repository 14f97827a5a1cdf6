/** Tables described once by their columns: what is shown, what it is sorted and filtered by, and what is given away. */

import type { Field } from "../../lib/csv.ts";
import { formatAbs, formatCount, formatDuration, formatShare } from "../../lib/format.ts";
import type { Key } from "./table-order.ts";

/** What the numbers of a column count. `id` names something and is never grouped by thousands; `time` is ns of the clock. */
export type Unit = "text" | "id" | "count" | "ns" | "us" | "share" | "percent" | "number" | "time";

export interface Column<R> {
  /** For people; null for a column that is only given away. */
  readonly name: string | null;
  /** For machines, with the unit; null for a column that is only shown. */
  readonly exact: string | null;
  readonly unit?: Unit;
  readonly value: (row: R) => Field;
  /** In place of the unit's own way. */
  readonly show?: (row: R) => string;
  readonly title?: string;
}

export interface TextTable {
  readonly head: readonly string[];
  /** Columns of numbers stand to the right. */
  readonly right: ReadonlySet<number>;
  readonly rows: readonly (readonly string[])[];
  /** What the fields are sorted and filtered by, where that makes sense. */
  readonly keys?: readonly (readonly Key[])[];
  /** Of the shown columns. */
  readonly units?: readonly Unit[];
  readonly titles?: readonly (string | undefined)[];
  /** The same rows with exact numbers, to be taken elsewhere. */
  readonly exactHead: readonly string[];
  readonly exact: readonly (readonly Field[])[];
  /** Of the columns that are taken elsewhere. */
  readonly exactUnits?: readonly Unit[];
}

export const NOTHING = "–";

function show(unit: Unit, value: number | bigint): string {
  switch (unit) {
    case "count":
      return formatCount(value);
    case "ns":
      return formatDuration(value);
    case "us":
      return `${formatCount(value)} µs`;
    case "share":
      return formatShare(Number(value));
    case "percent":
      return `${value} %`;
    case "number":
      return Number.isInteger(Number(value)) ? formatCount(value) : Number(value).toFixed(2);
    case "time":
      return formatAbs(BigInt(value), 6);
    default:
      return String(value);
  }
}

function textOf<R>({ unit = "text", value, show: own }: Column<R>, row: R): string {
  if (own) return own(row);
  const field = value(row);
  if (field === null || field === undefined) return unit === "text" ? "" : NOTHING;
  if (typeof field === "number" || typeof field === "bigint") return show(unit, field);
  return typeof field === "boolean" ? (field ? "yes" : "no") : field;
}

/** What a field sorts by; nothing stands behind everything. */
function keyOf(field: Field): Key {
  if (field === undefined || field === null || field === "") return null;
  return typeof field === "boolean" ? Number(field) : field;
}

export function describeTable<R>(columns: readonly Column<R>[], rows: readonly R[]): TextTable {
  const shown = columns.filter(({ name }) => name !== null);
  const given = columns.filter(({ exact }) => exact !== null);
  return {
    head: shown.map(({ name }) => name ?? ""),
    right: new Set(shown.flatMap(({ unit = "text" }, i) => (unit === "text" ? [] : [i]))),
    rows: rows.map((row) => shown.map((column) => textOf(column, row))),
    keys: rows.map((row) => shown.map(({ value }) => keyOf(value(row)))),
    units: shown.map(({ unit = "text" }) => unit),
    titles: shown.map(({ title }) => title),
    exactHead: given.map(({ exact }) => exact ?? ""),
    exact: rows.map((row) => given.map(({ value }) => value(row))),
    exactUnits: given.map(({ unit = "text" }) => unit),
  };
}

/** The rows at these places, in this order, with exact numbers: what a filter and a sorting left. */
export function exactRows(table: TextTable, order: readonly number[] | null): readonly (readonly Field[])[] {
  return order === null ? table.exact : order.map((place) => table.exact[place] ?? []);
}
