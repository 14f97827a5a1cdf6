import { useMemo, useState } from "react";
import { Button } from "../fields.tsx";
import {
  type ColumnFilters,
  filterHint,
  nextSorting,
  orderRows,
  type Sorting,
  type TextTable,
} from "./described-table.ts";
import "./table.css";
import { oneStop } from "../one-stop.ts";

interface Props {
  /** One without keys can be neither sorted nor filtered. */
  readonly table: Pick<TextTable, "head" | "right" | "keys" | "units" | "titles">;
  readonly order: TableOrder;
}

/** Order of a table that can be filtered, by its head. */
const FILTERS = new WeakMap<Element, TableOrder>();

/** Text of a head cell without its buttons and marks. */
export function textOf(field: HTMLTableCellElement): string {
  return (field.title || field.querySelector("button")?.textContent || field.textContent || "").trim();
}

/** Filters the table of a field by its text; null where no column of text can be filtered. */
export function filterOf(field: HTMLTableCellElement): (() => void) | null {
  const head = field.closest("table")?.tHead;
  const order = head && FILTERS.get(head);
  const text = textOf(field);
  if (!order || text === "" || field.classList.contains("right")) return null;
  return () => {
    order.setFiltering(true);
    order.setFilters({ ...order.filters, [field.cellIndex]: text });
  };
}

/** The head of a table: names that sort when they are pressed, and a field for each column to filter by. */
export function TableHead({ table, order }: Props) {
  const { head, right, keys, units = [], titles = [] } = table;
  const { sorting, filters, filtering } = order;
  const look = (column: number) => (right.has(column) ? { className: "right" } : {});
  const answer = (column: number) => {
    if (!keys) return {};
    const way = sorting?.column !== column ? "none" : sorting.down ? "descending" : "ascending";
    return { "aria-sort": way } as const;
  };
  return (
    <thead ref={(element) => void (element && keys && FILTERS.set(element, order))}>
      <tr aria-rowindex={1} ref={oneStop}>
        {head.map((name, column) => (
          <th key={name} scope="col" {...look(column)} {...answer(column)}>
            {keys ? (
              <Button
                className="sort"
                onClick={() => order.setSorting(nextSorting(sorting, column, right.has(column)))}
                title={[titles[column], "Sort by this column"].filter(Boolean).join(" · ")}
              >
                {name}
              </Button>
            ) : (
              <span title={titles[column]}>{name}</span>
            )}
          </th>
        ))}
      </tr>
      {keys && filtering && (
        <tr className="column-filters">
          {head.map((name, column) => (
            <td key={name}>
              <input
                type="search"
                aria-label={`Filter by ${name}`}
                title="Contains text, or for numbers >10ms, <3, =0"
                placeholder={filterHint(units[column], right.has(column))}
                value={filters[column] ?? ""}
                onChange={(event) => order.setFilters({ ...filters, [column]: event.currentTarget.value })}
              />
            </td>
          ))}
        </tr>
      )}
    </thead>
  );
}

export interface TableOrder {
  /** Places of the rows that are shown, in order; null: all, as they came. */
  readonly order: readonly number[] | null;
  readonly sorting: Sorting | null;
  readonly filters: ColumnFilters;
  readonly filtering: boolean;
  readonly setSorting: (sorting: Sorting | null) => void;
  readonly setFilters: (filters: ColumnFilters) => void;
  readonly setFiltering: (filtering: boolean) => void;
}

/** Order and filter of a table. A table without keys stays unchanged. */
export function useTableOrder(table: Pick<TextTable, "rows" | "keys" | "units">): TableOrder {
  const { rows, keys, units } = table;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [filters, setFilters] = useState<ColumnFilters>({});
  const [filtering, setFiltering] = useState(false);
  const order = useMemo(
    () => (keys ? orderRows(rows, keys, sorting, filtering ? filters : {}, units) : null),
    [rows, keys, units, sorting, filters, filtering],
  );
  return { order, sorting, filters, filtering, setSorting, setFilters, setFiltering };
}
