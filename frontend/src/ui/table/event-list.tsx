import type { ReactNode } from "react";
import { formatCount } from "../../lib/format.ts";
import type { TextTable } from "./described-table.ts";
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
          <span className="muted">
            {more > 0
              ? `the first ${formatCount(length)} of ${formatCount(length + more)}; a shorter window tells the others`
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
