import type { ReactNode } from "react";

interface Props {
  readonly placeholder: string;
  readonly label: string;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  /** Enter takes the first row. */
  readonly onEnter?: () => void;
  readonly problem: string | null;
  /** How much of what is shown. */
  readonly children: ReactNode;
}

/** The line above a table of the drawer: a filter, what it leaves, and what went wrong. */
export function FilterTools({ placeholder, label, filter, onFilter, onEnter, problem, children }: Props) {
  return (
    <div className="tab-tools">
      <input
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={filter}
        onChange={(event) => onFilter(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !onEnter) return;
          onEnter();
          event.currentTarget.blur();
        }}
      />
      <span className="muted">{children}</span>
      {problem !== null && <span className="problem">{problem}</span>}
    </div>
  );
}
