import { type ReactNode, useState } from "react";
import { formatCount } from "../../lib/format.ts";
import { oneStop } from "../one-stop.ts";
import type { TextTable } from "./described-table.ts";
import { TableHead, useTableOrder } from "./table-head.tsx";
import { TableTools } from "./table-tools.tsx";

interface Props {
  readonly label: string;
  readonly table: TextTable;
  readonly testId: string;
  /** Name of the files in which what is shown is saved; null for a table that is given away elsewhere. */
  readonly name: string | null;
  readonly className?: string;
  /** A field that is more than its text. */
  readonly cell?: (row: number, column: number) => ReactNode;
  readonly cellClass?: (row: number, column: number) => string;
  readonly rowClass?: (row: number) => string;
  /** A whole row instead of the table's own. */
  readonly row?: (row: number, line: OwnLine) => ReactNode;
  /** Rows of one group are one line. */
  readonly groupOf?: (row: number) => string;
  /** A row that is seen whatever its group. */
  readonly shown?: number | null;
  /** Content below a row, over all columns. */
  readonly below?: (row: number) => ReactNode;
  /** Rows after all others, whatever the order. */
  readonly foot?: ReactNode;
}

/** The place of a row among those that are alike. */
export interface OwnLine {
  /** Number of rows that the line stands for; 0 for a row inside an open group. */
  readonly count: number;
  readonly open: boolean;
  readonly toggle: () => void;
}

/** More rows than this are found by the filters, not by scrolling. */
const MOST_ROWS = 200;

/** A short table whose rows are as high as their sentences; sorted, filtered and given away as the long ones are. */
export function DataGrid(props: Props) {
  const {
    label,
    table,
    testId,
    name,
    className = "",
    cell,
    cellClass,
    rowClass,
    row: own,
    groupOf = String,
    shown = null,
    below,
    foot,
  } = props;
  const order = useTableOrder(table);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (group: string) =>
    setOpened((old) =>
      old.has(group) ? new Set([...old].filter((one) => one !== group)) : new Set([...old, group]),
    );
  const places = order.order ?? table.rows.map((_, place) => place);
  const lines = groupRows(places, groupOf, opened, shown);
  return (
    <>
      <TableTools table={table} order={order} name={name} label={label} />
      <table className={`grid-table data-grid ${className}`} data-testid={testId} aria-label={label}>
        <TableHead table={table} order={order} />
        <tbody ref={oneStop}>
          {lines
            .slice(0, MOST_ROWS)
            .map(({ row, group, count, open }) =>
              own ? (
                own(row, { count, open, toggle: () => toggle(group) })
              ) : (
                <Row
                  key={row}
                  texts={table.rows[row] ?? []}
                  right={table.right}
                  className={rowClass?.(row) ?? ""}
                  inside={(column) => cell?.(row, column)}
                  look={(column) => cellClass?.(row, column) ?? ""}
                  below={below?.(row)}
                />
              ),
            )}
        </tbody>
        {foot && <tfoot>{foot}</tfoot>}
      </table>
      {lines.length > MOST_ROWS && (
        <p className="muted tab-tools">
          The first {MOST_ROWS} of {formatCount(lines.length)} rows; filter to see others, save to get all.
        </p>
      )}
    </>
  );
}

interface RowProps {
  readonly texts: readonly string[];
  readonly right: ReadonlySet<number>;
  readonly className: string;
  readonly inside: (column: number) => ReactNode;
  readonly look: (column: number) => string;
  readonly below: ReactNode;
}

function Row({ texts, right, className, inside, look, below }: RowProps) {
  return (
    <>
      <tr className={className}>
        {texts.map((text, column) => {
          const field = inside(column) ?? text;
          const classes = [right.has(column) ? "num right" : "", look(column)].filter(Boolean).join(" ");
          const given = classes === "" ? {} : { className: classes };
          return column === 0 ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
            <th key={column} scope="row" {...given}>
              {field}
            </th>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
            <td key={column} {...given}>
              {field}
            </td>
          );
        })}
      </tr>
      {below && (
        <tr className="details">
          <td colSpan={texts.length}>{below}</td>
        </tr>
      )}
    </>
  );
}

/** Rows that are alike, as one line until the reader opens it. */

export interface RowLine {
  readonly row: number;
  readonly group: string;
  /** Number of rows that the line stands for, including itself; 0 for a row inside an open group. */
  readonly count: number;
  readonly open: boolean;
}

/**
 * The rows as listed: of each group the first, followed by the others if it is open. A group opens around `shown`,
 * unless that is its first.
 */
export function groupRows(
  rows: readonly number[],
  groupOf: (row: number) => string,
  opened: ReadonlySet<string>,
  shown: number | null,
): readonly RowLine[] {
  const groups = new Map<string, number[]>();
  for (const row of rows) {
    const group = groupOf(row);
    const own = groups.get(group);
    if (own) own.push(row);
    else groups.set(group, [row]);
  }
  return [...groups].flatMap(([group, own]) => {
    const open = own.length > 1 && (opened.has(group) || (shown !== null && own.indexOf(shown) > 0));
    return own
      .slice(0, open ? own.length : 1)
      .map((row, place) => ({ row, group, count: place === 0 ? own.length : 0, open }));
  });
}

export interface ColumnHead {
  /** Empty for a column that needs no name. */
  readonly name: string;
  readonly right?: boolean;
  readonly title?: string;
}

interface ColumnHeadProps {
  readonly columns: readonly ColumnHead[];
  readonly testId: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The one look of tables: named columns, numbers to the right. */
export function GridTable({ columns, testId, className = "", children }: ColumnHeadProps) {
  return (
    <table className={`grid-table ${className}`} data-testid={testId}>
      <thead>
        <tr>
          {columns.map(({ name, right, title }, place) => {
            // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places
            if (name === "") return <td key={place} />;
            return (
              <th
                key={name}
                scope="col"
                {...(right ? { className: "right" } : {})}
                {...(title ? { title } : {})}
              >
                {name}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

export function Bar({ share }: { readonly share: number }) {
  return <span className="bar" style={{ width: `${Math.min(100, share * 100)}%` }} />;
}
