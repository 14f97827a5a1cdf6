/** Which rows of a table are shown, and in what order: sorting by a column, filters by column. */

export type Key = string | number | null;

export interface Sorting {
  readonly column: number;
  readonly down: boolean;
}

/** What is typed above a column, by its number. */
export type ColumnFilters = Readonly<Record<number, string>>;

/** Nothing stands behind everything, whichever way it is sorted. */
function compare(a: Key, b: Key): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** The next state of a column that is pressed: large ones first for numbers, then the other way, then as it came. */
export function nextSorting(now: Sorting | null, column: number, numeric: boolean): Sorting | null {
  if (now?.column !== column) return { column, down: numeric };
  return now.down === numeric ? { column, down: !numeric } : null;
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  "%": 0.01,
  "": 1,
};

/** `>10ms`, `<= 3`, `=0`, `12`; null for what is no such thing. */
export function parseBound(text: string): ((value: number) => boolean) | null {
  const match = /^(<=|>=|<|>|=)?\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|%)?$/.exec(text.trim());
  if (!match) return null;
  const bound = Number(match[2]) * (UNITS[match[3] ?? ""] ?? 1);
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
      return (value) => value === bound;
  }
}

function passes(filter: string, key: Key, text: string): boolean {
  const wanted = filter.trim();
  if (wanted === "") return true;
  const bound = typeof key === "number" ? parseBound(wanted) : null;
  if (bound && typeof key === "number") return bound(key);
  return text.toLowerCase().includes(wanted.toLowerCase());
}

/** Places of the rows that pass, in order. What is equal stays as it came. */
export function orderRows(
  rows: readonly (readonly string[])[],
  keys: readonly (readonly Key[])[],
  sorting: Sorting | null,
  filters: ColumnFilters,
): readonly number[] {
  const active = Object.entries(filters).filter(([, filter]) => filter.trim() !== "");
  const places: number[] = [];
  for (const [place, row] of rows.entries()) {
    const shown = active.every(([name, filter]) => {
      const column = Number(name);
      return passes(filter, keys[place]?.[column] ?? null, row[column] ?? "");
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
