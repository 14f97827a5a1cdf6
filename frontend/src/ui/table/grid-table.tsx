import type { ReactNode } from "react";

export interface ColumnHead {
  /** Empty for a column that needs no name. */
  readonly name: string;
  readonly right?: boolean;
  readonly title?: string;
}

interface Props {
  readonly columns: readonly ColumnHead[];
  readonly testId: string;
  readonly className?: string;
  /** The rows. */
  readonly children: ReactNode;
}

/** The one look of tables: named columns, numbers to the right. */
export function GridTable({ columns, testId, className = "", children }: Props) {
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

/** A share as a bar. */
export function Bar({ share }: { readonly share: number }) {
  return <span className="bar" style={{ width: `${Math.min(100, share * 100)}%` }} />;
}
