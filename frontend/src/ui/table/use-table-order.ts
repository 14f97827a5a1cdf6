import { useMemo, useState } from "react";
import type { TextTable } from "./described-table.ts";
import { type ColumnFilters, orderRows, type Sorting } from "./table-order.ts";

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

/** How a reader sorted and filtered a table. A table without keys stays as it came. */
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
