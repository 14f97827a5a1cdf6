import { type ChipRow, type Facet, type FindingFilter, toggleChip } from "../../view-state/finding-filter.ts";

interface Props {
  readonly rows: readonly ChipRow[];
  readonly filter: FindingFilter;
  readonly onFilter: (filter: FindingFilter) => void;
}

const FACET_WORDS: Readonly<Record<Facet, string>> = {
  kind: "kind",
  node: "node",
  cgroup: "cgroup",
  task: "task",
};

/** What findings have in common, a press each. Chips of a row are alternatives. */
export function FindingChips({ rows, filter, onFilter }: Props) {
  if (rows.length === 0) return null;
  return (
    <div className="chip-rows" data-testid="finding-chips">
      {rows.map(({ facet, chips, more }) => (
        <fieldset key={facet} className="chips" aria-label={`Findings by ${FACET_WORDS[facet]}`}>
          <span className="muted" aria-hidden="true">
            {FACET_WORDS[facet]}
          </span>
          {chips.map(({ value, text, count, chosen }) => (
            <button
              key={value}
              type="button"
              className="chip"
              aria-pressed={chosen}
              onClick={() => onFilter(toggleChip(filter, facet, value))}
            >
              {text} <span className="num muted">{count}</span>
            </button>
          ))}
          {more > 0 && <span className="muted">{more} more: type them</span>}
        </fieldset>
      ))}
    </div>
  );
}
