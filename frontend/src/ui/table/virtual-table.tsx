import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { formatCount } from "../../lib/format.ts";
import { Button } from "../fields.tsx";
import { oneStop } from "../one-stop.ts";
import type { TextTable } from "./described-table.ts";
import { TableHead, useTableOrder } from "./table-head.tsx";
import { TableTools } from "./table-tools.tsx";

interface Props {
  readonly label: string;
  readonly table: Pick<TextTable, "head" | "right" | "rows"> & Partial<TextTable>;
  readonly testId: string;
  /** Name of the files in which what is shown is saved; without it the table is given away elsewhere. */
  readonly name?: string;
  /** A row was chosen: its first field is a button then. */
  readonly onPick?: (row: number) => void;
  readonly picked?: number | null;
  /** A field that is more than its text. */
  readonly cell?: (row: number, column: number) => ReactNode;
  /** Maximum number of characters in a column. */
  readonly most?: number;
  /** As high as its rows, up to these CSS pixels; else as high as there is room. */
  readonly upTo?: number;
  /** Identity of the rows: rows added to the same one stay where they are. */
  readonly of?: unknown;
  /** The end of the rows has come near. */
  readonly onEnd?: () => void;
}

/** CSS pixels; as in the style sheet. */
const ROW = 24;
/** Head, row of filters, and a scroll bar below. */
const AROUND = 16;

/** A long table of text: only the rows on the screen are elements. */
export function VirtualTable(props: Props) {
  const { label, table: answer, testId, name = null, onPick, picked = null, cell, most, upTo } = props;
  const table: TextTable = useMemo(() => ({ exactHead: [], exact: [], ...answer }), [answer]);
  const { head, rows, right } = table;
  const { of = rows, onEnd } = props;
  const order = useTableOrder(table);
  const places = order.order;
  const count = places?.length ?? rows.length;
  const rowAt = (place: number) => places?.[place] ?? place;
  const pickedAt = picked === null ? null : places ? places.indexOf(picked) : picked;
  const { box, place } = useScrolling(of, pickedAt);
  const widths = useMemo(() => columnWidths(head, rows, most), [head, rows, most]);
  const { first, end } = visibleRows(count, ROW, place.top, place.height);
  useEffect(() => {
    if (end === count && place.height > 0) onEnd?.();
  }, [end, count, place.height, onEnd]);
  const shown = Array.from({ length: end - first }, (_, i) => ({ place: first + i, row: rowAt(first + i) }));
  const look = (column: number) => (right.has(column) ? { className: "right" } : {});
  const lines = count + 1 + Number(order.filtering);
  const size: CSSProperties =
    upTo === undefined ? {} : { flex: "none", height: Math.min(upTo, lines * ROW + AROUND) };
  return (
    <>
      <TableTools table={table} order={order} name={name} label={label} />
      {/* A group and no region: the part of the page around it is one of that name. */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div
        className="virtual-table"
        role="group"
        ref={box}
        style={size}
        data-testid={testId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        tabIndex={0}
        aria-label={label}
      >
        <table aria-rowcount={count + 1}>
          <colgroup>
            {head.map((name, column) => (
              <col key={name} style={{ width: `${(widths[column] ?? 0) + 2}ch` }} />
            ))}
          </colgroup>
          <TableHead table={table} order={order} />
          <tbody ref={oneStop}>
            <Spacer rows={first} />
            {shown.map(({ place, row }) => (
              <tr key={row} aria-rowindex={place + 2} className={row === picked ? "selected" : ""}>
                {head.map((name, column) => {
                  const text = rows[row]?.[column] ?? "";
                  const inside = cell?.(row, column) ?? text;
                  return (
                    <td key={name} title={text} {...look(column)}>
                      {onPick && column === 0 ? (
                        <Button className="inline" onClick={() => onPick(row)}>
                          {inside}
                        </Button>
                      ) : (
                        inside
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
            <Spacer rows={count - end} />
          </tbody>
        </table>
      </div>
    </>
  );
}

/** The box that scrolls, and where in it the reader is, CSS pixels. */
export function useScrolling(of: unknown, pickedAt: number | null) {
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
  // What is picked elsewhere is brought into sight.
  useEffect(() => {
    const element = box.current;
    if (pickedAt === null || pickedAt < 0 || !element) return;
    const top = pickedAt * ROW;
    if (top < element.scrollTop || top + 2 * ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top - element.clientHeight / 2;
    }
  }, [pickedAt]);
  return { box, place };
}

/** Keeps the space of rows without elements. */
function Spacer({ rows }: { readonly rows: number }) {
  return rows === 0 ? null : <tr style={{ height: rows * ROW }} />;
}

/** Visible rows of a long list: only these become elements. */

export interface RowRange {
  readonly first: number;
  /** Behind the last. */
  readonly end: number;
}

/** Rows beyond both edges, so that a slow frame shows no blank. */
const SPARE = 8;

/** @param scrollTop,height,rowHeight CSS pixels */
export function visibleRows(count: number, rowHeight: number, scrollTop: number, height: number): RowRange {
  const first = Math.min(count, Math.max(0, Math.floor(scrollTop / rowHeight) - SPARE));
  const end = Math.min(count, Math.max(first, Math.ceil((scrollTop + height) / rowHeight) + SPARE));
  return { first, end };
}

/** The widest text of each column in characters, between a least and a most. */
export function columnWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  most = 48,
): number[] {
  return head.map((name, column) => {
    let width = name.length;
    for (const row of rows) width = Math.max(width, row[column]?.length ?? 0);
    return Math.min(most, Math.max(4, width));
  });
}

interface EventListProps {
  readonly title: ReactNode;
  readonly label: string;
  readonly name: string;
  readonly table: TextTable;
  /** Number of further rows beyond the list. */
  readonly more: number;
  /** Text for an empty list. */
  readonly none: string;
  readonly testId: string;
  readonly onPick: (row: number) => void;
  readonly children?: ReactNode;
}

/** Moments of the window, each a click away. */
export function EventList(props: EventListProps) {
  const { title, label, name, table, more, none, testId, onPick, children } = props;
  const { length } = table.rows;
  return (
    <section className="event-list" aria-label={label}>
      <p className="tab-tools">
        <b>{title}</b>
        {length > 0 && (
          <span className="muted">
            {more > 0
              ? `the first ${formatCount(length)} of ${formatCount(length + more)}; zoom in to see the rest`
              : formatCount(length)}
          </span>
        )}
        {children}
      </p>
      {length === 0 ? (
        <p className="tab-empty muted">{none}</p>
      ) : (
        <div className="event-rows">
          <VirtualTable
            label={label}
            table={table}
            name={name}
            testId={testId}
            onPick={onPick}
            upTo={MOST_HEIGHT}
          />
        </div>
      )}
    </section>
  );
}

/** CSS pixels: a short list leaves no empty ground, a long one scrolls. */
const MOST_HEIGHT = 236;
