import { useEffect, useMemo, useRef, useState } from "react";
import { columnWidths, visibleRows } from "../logic/virtual-rows.ts";

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
}

/** CSS pixels; as in the style sheet. */
const ROW = 20;
const NONE: ReadonlySet<number> = new Set();

/** A long table of text: only the rows on the screen are elements. */
export function VirtualTable({ label, head, rows, testId, right = NONE, onPick, picked = null }: Props) {
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
    void rows;
    if (box.current) box.current.scrollTop = 0;
  }, [rows]);
  const widths = useMemo(() => columnWidths(head, rows), [head, rows]);
  const { first, end } = visibleRows(rows.length, ROW, place.top, place.height);
  const shown = Array.from({ length: end - first }, (_, i) => first + i);
  const look = (column: number) => (right.has(column) ? { className: "right" } : {});
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section className="virtual-table" ref={box} data-testid={testId} tabIndex={0} aria-label={label}>
      <table aria-rowcount={rows.length + 1}>
        <colgroup>
          {head.map((name, column) => (
            <col key={name} style={{ width: `${(widths[column] ?? 0) + 2}ch` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {head.map((name, column) => (
              <th key={name} scope="col" {...look(column)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} />
          {shown.map((row) => (
            <tr key={row} aria-rowindex={row + 2} className={row === picked ? "selected" : ""}>
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
          <Spacer rows={rows.length - end} />
        </tbody>
      </table>
    </section>
  );
}

/** Keeps the place of rows that are no elements. */
function Spacer({ rows }: { readonly rows: number }) {
  return rows === 0 ? null : <tr style={{ height: rows * ROW }} />;
}
