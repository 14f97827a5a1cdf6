import type { ReactNode } from "react";
import { formatCount } from "../logic/format.ts";
import type { TextTable } from "../logic/latency-table.ts";
import { CsvButton } from "./section-parts.tsx";
import { VirtualTable } from "./virtual-table.tsx";

interface Props {
  readonly title: ReactNode;
  readonly label: string;
  readonly name: string;
  readonly table: TextTable;
  /** How many more there are than the list has. */
  readonly more: number;
  /** What is said in place of an empty list. */
  readonly none: string;
  readonly testId: string;
  readonly onPick: (row: number) => void;
  readonly children?: ReactNode;
}

/** Moments of the window, each a click away. */
export function EventList(props: Props) {
  const { title, label, name, table, more, none, testId, onPick, children } = props;
  const { length } = table.rows;
  return (
    <section className="event-list" aria-label={label}>
      <p className="tab-tools">
        <b>{title}</b>
        {length > 0 && (
          <>
            <span className="muted">
              {more > 0
                ? `the first ${formatCount(length)} of ${formatCount(length + more)}; a shorter window tells the others`
                : formatCount(length)}
            </span>
            <CsvButton name={name} head={table.exactHead} rows={table.exact} />
          </>
        )}
        {children}
      </p>
      {length === 0 ? (
        <p className="tab-empty muted">{none}</p>
      ) : (
        <div
          className="event-rows"
          style={{ height: Math.min(MOST_HEIGHT, HEAD_HEIGHT + length * ROW_HEIGHT) }}
        >
          <VirtualTable
            label={label}
            head={table.head}
            rows={table.rows}
            right={table.right}
            testId={testId}
            onPick={onPick}
          />
        </div>
      )}
    </section>
  );
}

/** CSS pixels: a short list leaves no empty ground, a long one scrolls. */
const ROW_HEIGHT = 20;
const HEAD_HEIGHT = 36;
const MOST_HEIGHT = 236;
