import { type ColumnFilters, nextSorting, type Sorting } from "../logic/table-order.ts";

interface Props {
  readonly head: readonly string[];
  readonly right: ReadonlySet<number>;
  readonly sorting: Sorting | null;
  /** null: the table can be neither sorted nor filtered. */
  readonly filters: ColumnFilters | null;
  /** Whether the row of filters is shown. */
  readonly filtering: boolean;
  readonly onSort: (sorting: Sorting | null) => void;
  readonly onFilter: (filters: ColumnFilters) => void;
}

/** The head of a table: names that sort when they are pressed, and a field for each column to filter by. */
export function TableHead({ head, right, sorting, filters, filtering, onSort, onFilter }: Props) {
  const look = (column: number) => (right.has(column) ? { className: "right" } : {});
  const order = (column: number) =>
    sorting?.column !== column ? "none" : sorting.down ? "descending" : "ascending";
  return (
    <thead>
      <tr aria-rowindex={1}>
        {head.map((name, column) => (
          <th key={name} scope="col" {...look(column)} {...(filters ? { "aria-sort": order(column) } : {})}>
            {filters ? (
              <button
                type="button"
                className="sort"
                onClick={() => onSort(nextSorting(sorting, column, right.has(column)))}
                title="Sort by this column"
              >
                {name}
              </button>
            ) : (
              name
            )}
          </th>
        ))}
      </tr>
      {filters && filtering && (
        <tr className="column-filters">
          {head.map((name, column) => (
            <td key={name}>
              <input
                type="search"
                aria-label={`Filter by ${name}`}
                title="Part of it; for numbers also >10ms, <3, =0"
                placeholder={right.has(column) ? ">10" : "has"}
                value={filters[column] ?? ""}
                onChange={(event) => onFilter({ ...filters, [column]: event.currentTarget.value })}
              />
            </td>
          ))}
        </tr>
      )}
    </thead>
  );
}
