import { useEffect, useMemo, useRef, useState } from "react";
import { type ColumnFilters, type Key, orderRows, type Sorting } from "../logic/table-order.ts";
import { columnWidths, visibleRows } from "../logic/virtual-rows.ts";
import { TableHead } from "./table-head.tsx";

interface Props {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly testId: string;
  /** Columns of numbers. */
  readonly right?: ReadonlySet<number>;
  /** A row was chosen: its first field is a button then. */
  readonly onPick?: (row: number) => void;
  readonly picked?: number | null;
  /** What the fields are sorted and filtered by; without it the rows stay as they came. */
  readonly keys?: readonly (readonly Key[])[] | undefined;
  /** Most characters of a column. */
  readonly most?: number;
  /** What these are rows of: rows that are added to the same stay where they are. */
  readonly of?: unknown;
  /** The end of the rows has come near. */
  readonly onEnd?: () => void;
}

/** CSS pixels; as in the style sheet. */
const ROW = 20;
const NONE: ReadonlySet<number> = new Set();

/** A long table of text: only the rows on the screen are elements. */
export function VirtualTable(props: Props) {
  const {
    label,
    head,
    rows,
    testId,
    right = NONE,
    onPick,
    picked = null,
    keys,
    most,
    of = rows,
    onEnd,
  } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [filters, setFilters] = useState<ColumnFilters>({});
  const [filtering, setFiltering] = useState(false);
  const order = useMemo(
    () => (keys ? orderRows(rows, keys, sorting, filtering ? filters : {}) : null),
    [rows, keys, sorting, filters, filtering],
  );
  const count = order?.length ?? rows.length;
  const rowAt = (place: number) => order?.[place] ?? place;
  const pickedAt = picked === null ? null : order ? order.indexOf(picked) : picked;
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ top: 0, height: 0 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => setPlace({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  // Another table, or another window of it, begins at its first row.
  useEffect(() => {
    void of;
    if (box.current) box.current.scrollTop = 0;
  }, [of]);
  // Who is picked elsewhere is brought into sight.
  useEffect(() => {
    const element = box.current;
    if (pickedAt === null || pickedAt < 0 || !element) return;
    const top = pickedAt * ROW;
    if (top < element.scrollTop || top + 2 * ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - element.clientHeight / 2;
    }
  }, [pickedAt]);
  const widths = useMemo(() => columnWidths(head, rows, most), [head, rows, most]);
  const { first, end } = visibleRows(count, ROW, place.top, place.height);
  useEffect(() => {
    if (end === count && place.height > 0) onEnd?.();
  }, [end, count, place.height, onEnd]);
  const shown = Array.from({ length: end - first }, (_, i) => ({ place: first + i, row: rowAt(first + i) }));
  const look = (column: number) => (right.has(column) ? { className: "right" } : {});
  return (
    // A group and no region: the part of the page around it is one of that name.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      className="virtual-table"
      role="group"
      ref={box}
      data-testid={testId}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
      tabIndex={0}
      aria-label={label}
    >
      {keys && (
        <button
          type="button"
          className="quiet column-filter-button"
          aria-pressed={filtering}
          onClick={() => setFiltering(!filtering)}
        >
          {filtering ? "No column filters" : "Column filters"}
        </button>
      )}
      <table aria-rowcount={count + 1}>
        <colgroup>
          {head.map((name, column) => (
            <col key={name} style={{ width: `${(widths[column] ?? 0) + 2}ch` }} />
          ))}
        </colgroup>
        <TableHead
          head={head}
          right={right}
          sorting={sorting}
          filters={keys ? filters : null}
          filtering={filtering}
          onSort={setSorting}
          onFilter={setFilters}
        />
        <tbody>
          <Spacer rows={first} />
          {shown.map(({ place, row }) => (
            <tr key={row} aria-rowindex={place + 2} className={row === picked ? "selected" : ""}>
              {head.map((name, column) => (
                <td key={name} title={rows[row]?.[column] ?? ""} {...look(column)}>
                  {onPick && column === 0 ? (
                    <button type="button" className="inline" onClick={() => onPick(row)}>
                      {rows[row]?.[column] ?? ""}
                    </button>
                  ) : (
                    (rows[row]?.[column] ?? "")
                  )}
                </td>
              ))}
            </tr>
          ))}
          <Spacer rows={count - end} />
        </tbody>
      </table>
    </div>
  );
}

/** Keeps the place of rows that are no elements. */
function Spacer({ rows }: { readonly rows: number }) {
  return rows === 0 ? null : <tr style={{ height: rows * ROW }} />;
}
