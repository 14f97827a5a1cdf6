/** Tables described once by their columns: what is shown, what it is sorted and filtered by, and what is given away. */

import type { Field } from "../../lib/csv.ts";
import { formatAbs, formatCount, formatDuration, formatShare, timeUnit } from "../../lib/format.ts";
import { parseNs } from "../../lib/time.ts";

/** Unit of a column's numbers. `id` names an item and is never grouped by thousands; `time` is ns of the clock. */
export type Unit = "text" | "id" | "count" | "ns" | "us" | "share" | "percent" | "number" | "time";

interface AnyColumn<R> {
  /** Heading; null for a column that is only exported. */
  readonly name: string | null;
  readonly unit?: Unit;
  /** Format instead of the unit's own. */
  readonly show?: (row: R) => string;
  readonly title?: string;
}

export interface ComputedColumn<R> extends AnyColumn<R> {
  /** For machines, with the unit; null for a column that is only shown. */
  readonly exact: string | null;
  readonly value: (row: R) => Field;
  /** Text of a cell without a value, if not a dash. */
  readonly missing?: (row: R) => string | null;
}

/** Without `value` it has the row's field of the name `exact`; digits of a time are read as ns. */
interface FieldColumn<R> extends AnyColumn<R> {
  readonly exact: { [K in keyof R]-?: R[K] extends Field ? K : never }[keyof R] & string;
  readonly value?: undefined;
}

export type Column<R> = ComputedColumn<R> | FieldColumn<R>;

function fieldOf<R>(column: Column<R>, row: R): Field {
  if (column.value) return column.value(row);
  const field = row[column.exact as keyof R] as Field;
  return column.unit === "time" && typeof field === "string" ? parseNs(field) : field;
}

export interface TextTable {
  readonly head: readonly string[];
  /** Right-aligned columns of numbers. */
  readonly right: ReadonlySet<number>;
  readonly rows: readonly (readonly string[])[];
  /** Keys for sorting and filtering, where that makes sense. */
  readonly keys?: readonly (readonly Key[])[];
  /** Of the shown columns. */
  readonly units?: readonly Unit[];
  readonly titles?: readonly (string | undefined)[];
  /** The same rows with exact numbers, for copies and exports. */
  readonly exactHead: readonly string[];
  readonly exact: readonly (readonly Field[])[];
  /** Units of the exact columns. */
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

function textOf<R>(column: Column<R>, row: R): string {
  if (column.show) return column.show(row);
  const { unit = "text" } = column;
  const field = fieldOf(column, row);
  const missing = column.value && field == null ? column.missing?.(row) : null;
  if (missing) return missing;
  if (field === null || field === undefined) return unit === "text" ? "" : NOTHING;
  if (typeof field === "number" || typeof field === "bigint") return show(unit, field);
  return typeof field === "boolean" ? (field ? "yes" : "no") : field;
}

/** Sort key of a field; empty fields come last. */
function keyOf(field: Field): Key {
  if (field === undefined || field === null || field === "") return null;
  return typeof field === "boolean" ? Number(field) : field;
}

export function describeTable<R>(columns: readonly Column<R>[], rows: readonly R[]): TextTable {
  const shown = columns.filter(({ name }) => name !== null);
  const given = columns.filter(({ exact }) => exact !== null);
  return {
    // A time of the wall clock is not in seconds.
    head: shown.map(
      ({ name, unit }) => (unit === "time" ? name?.replace(/, s$/, timeUnit() && ", s") : name) ?? "",
    ),
    right: new Set(shown.flatMap(({ unit = "text" }, i) => (unit === "text" ? [] : [i]))),
    rows: rows.map((row) => shown.map((column) => textOf(column, row))),
    keys: rows.map((row) => shown.map((column) => keyOf(fieldOf(column, row)))),
    units: shown.map(({ unit = "text" }) => unit),
    titles: shown.map(({ title }) => title),
    exactHead: given.map(({ exact }) => exact ?? ""),
    exact: rows.map((row) => given.map((column) => fieldOf(column, row))),
    exactUnits: given.map(({ unit = "text" }) => unit),
  };
}

/** The rows at these places, in this order, with exact numbers: what a filter and a sorting left. */
export function exactRows(table: TextTable, order: readonly number[] | null): readonly (readonly Field[])[] {
  return order === null ? table.exact : order.map((place) => table.exact[place] ?? []);
}

// Which rows of a table are shown, and in what order: sorting by a column, filters by column.

export type Key = string | number | bigint | null;

export interface Sorting {
  readonly column: number;
  readonly down: boolean;
}

/** Filter texts above columns, by their number. */
export type ColumnFilters = Readonly<Record<number, string>>;

const isNumeric = (key: Key): key is number | bigint => typeof key === "number" || typeof key === "bigint";

/** Empty fields come last, in both directions. */
function compare(a: Key, b: Key): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  // A clock's ns do not fit a float64; the two kinds compare exactly with each other.
  if (isNumeric(a) && isNumeric(b)) return a < b ? -1 : a > b ? 1 : 0;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** The next state of a column that is pressed: large ones first for numbers, then the other way, then as it came. */
export function nextSorting(now: Sorting | null, column: number, numeric: boolean): Sorting | null {
  if (now?.column !== column) return { column, down: numeric };
  return now.down === numeric ? { column, down: !numeric } : null;
}

type Scales = Readonly<Record<string, number>>;

const TIMES: Scales = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, "": 1 };
const COUNTS: Scales = { "": 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9 };
/** Factors of units after a number, to the column's own. */
const SCALES: Readonly<Record<Unit, Scales>> = {
  text: {},
  id: { "": 1 },
  count: COUNTS,
  number: COUNTS,
  ns: TIMES,
  us: { ns: 1e-3, us: 1, µs: 1, ms: 1e3, s: 1e6, "": 1 },
  // Shown in s.
  time: { ...TIMES, "": 1e9 },
  share: { "%": 0.01, "": 1 },
  percent: { "%": 1, "": 1 },
};
const ANY: Scales = { ...TIMES, "%": 0.01 };

/** `>10ms`, `<= 3`, `=0`, `12`, `>1,000`; null for other text in that unit. */
export function parseBound(text: string, unit?: Unit): ((value: number | bigint) => boolean) | null {
  const match = /^(<=|>=|<|>|=)?\s*([-−]?\d[\d,]*(?:\.\d+)?)\s*([a-zA-Zµ%]*)$/.exec(text.trim());
  const scale = (unit ? SCALES[unit] : ANY)[match?.[3] ?? ""];
  if (!match || scale === undefined) return null;
  // A duration of a ten-millionth of a second must come out whole.
  const bound = Number(
    (Number((match[2] ?? "").replaceAll(",", "").replace("−", "-")) * scale).toPrecision(15),
  );
  switch (match[1]) {
    case "<":
      return (value) => value < bound;
    case "<=":
      return (value) => value <= bound;
    case ">":
      return (value) => value > bound;
    case ">=":
      return (value) => value >= bound;
    default:
      return (value) => Number(value) === bound;
  }
}

function passes(filter: string, key: Key, text: string, unit: Unit | undefined): boolean {
  const wanted = filter.trim();
  if (wanted === "") return true;
  const bound = isNumeric(key) ? parseBound(wanted, unit) : null;
  // A bound leaves out what has no number; a moment is also found by its first digits.
  if (bound && isNumeric(key) && (unit !== "time" || /^[<>=]/.test(wanted))) return bound(key);
  return text.toLowerCase().includes(wanted.toLowerCase());
}

/** Places of the rows that pass, in order. Equal rows keep their order. */
export function orderRows(
  rows: readonly (readonly string[])[],
  keys: readonly (readonly Key[])[],
  sorting: Sorting | null,
  filters: ColumnFilters,
  units: readonly Unit[] = [],
): readonly number[] {
  const active = Object.entries(filters).filter(([, filter]) => filter.trim() !== "");
  const places: number[] = [];
  for (const [place, row] of rows.entries()) {
    const shown = active.every(([name, filter]) => {
      const column = Number(name);
      return passes(filter, keys[place]?.[column] ?? null, row[column] ?? "", units[column]);
    });
    if (shown) places.push(place);
  }
  if (!sorting) return places;
  const { column, down } = sorting;
  const keyOf = (place: number) => keys[place]?.[column] ?? null;
  return places.sort((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)];
    const order = compare(x, y);
    return (down && x !== null && y !== null ? -order : order) || a - b;
  });
}

/** Example of a filter for a column. */
export function filterHint(unit: Unit | undefined, numeric: boolean): string {
  if (unit === "ns" || unit === "us") return ">10ms";
  if (unit === "share" || unit === "percent") return ">50%";
  return numeric ? ">10" : "has";
}
