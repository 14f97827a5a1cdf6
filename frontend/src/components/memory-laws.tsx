import type { AutomigTable, MigrationSection } from "../data/types.ts";
import { formatAbs, formatCount, formatShare } from "../logic/format.ts";
import { automigLaws, lawRows } from "../logic/memory-table.ts";
import { TERMS } from "../logic/terms.ts";
import { GridTable } from "./grid-table.tsx";
import { LabelBadge } from "./label-badge.tsx";
import { Term } from "./section-parts.tsx";

type Modern = NonNullable<MigrationSection["modern"]>;

const EQUIVALENTS = [
  { name: "2010", title: "Short name of the statistic" },
  { name: "was called" },
  { name: "in the window", right: true },
  { name: "told today by" },
  { name: "what is different" },
  { name: "label" },
];
const CONSERVED = [
  { name: "law" },
  { name: "left", right: true },
  { name: "right", right: true },
  { name: "residual", right: true, title: "right − left" },
  { name: "verdict" },
  { name: "note" },
];

/** What tells today what the statistics of 2010 told, and what these numbers conserve. */
export function ModernPart({ modern }: { readonly modern: Modern }) {
  return (
    <section aria-label="Conservation and equivalents">
      <h3>
        <Term means={TERMS.conserved}>What must hold</Term>
      </h3>
      <GridTable columns={CONSERVED} testId="conserved-table" className="sentences">
        {lawRows(modern.conserved).map((row) => (
          <tr key={row.key}>
            <td>{row.law}</td>
            <td className="num right">{row.left}</td>
            <td className="num right">{row.right}</td>
            <td className="num right">{row.residual}</td>
            <td className={row.verdict === "broken" ? "cost" : ""}>{row.verdict}</td>
            <td className="muted">{row.note}</td>
          </tr>
        ))}
      </GridTable>
      <h3>
        <Term means={TERMS.equivalents}>The statistics of 2010 today</Term>
      </h3>
      <GridTable columns={EQUIVALENTS} testId="equivalents-table" className="sentences">
        {modern.equivalents.map((each) => (
          <tr key={`${each.statistic} ${each.source ?? each.name}`}>
            <td>{each.statistic}</td>
            <td>{each.name}</td>
            <td className="num right">{each.value === null ? "–" : formatCount(each.value)}</td>
            <td>{each.source ?? "nothing"}</td>
            <td className="sentence muted">{each.note}</td>
            <td>
              <LabelBadge label={each.label} missing={each.missing} />
            </td>
          </tr>
        ))}
      </GridTable>
    </section>
  );
}

const LAWS = [
  { name: "law" },
  { name: "says" },
  { name: "rows that keep it", right: true },
  { name: "verdict" },
  { name: "note" },
];
const ROWS = [
  { name: "at, s", right: true },
  { name: "LC", right: true },
  { name: "MP", right: true },
  { name: "MG", right: true },
  { name: "TM", right: true },
  { name: "SC", right: true },
  { name: "SE", right: true },
  { name: "FA", right: true },
  { name: "AD", right: true },
  { name: "RM", right: true },
  { name: "DU", right: true },
  { name: "FR", right: true },
  { name: "E", right: true, title: "Entries in the migration cache: AD − RM" },
  { name: "X", right: true, title: "References beyond each entry's first" },
];
const COUNTERS = [
  ...["loc_checked", "misplaced", "migrated", "tasks_migrated", "scanned", "selected"],
  ...["failed", "added", "removed", "duplicates", "refs_freed"],
];
const MOST_ROWS = 100;

/** The statistics of auto-migration and the laws that they keep, where they were sampled. */
export function AutomigPart({ table }: { readonly table: AutomigTable | null }) {
  return (
    <section aria-label="Statistics of auto-migration">
      <h3>
        <Term means={TERMS.automig}>Statistics of auto-migration</Term>{" "}
        {table && <LabelBadge label={table.label} missing={table.missing} said />}
      </h3>
      {table === null ? (
        <p className="muted" data-testid="no-automig">
          None were sampled: only kernels with the auto-migration patches of 2010 have them.
        </p>
      ) : (
        <Automig table={table} />
      )}
    </section>
  );
}

function Automig({ table }: { readonly table: AutomigTable }) {
  const waste = table.window?.["lazy_waste"] ?? table.ratios?.["lazy_waste"] ?? null;
  return (
    <>
      <GridTable columns={LAWS} testId="laws-table" className="sentences">
        {automigLaws(table).map((row) => (
          <tr key={row.law}>
            <th scope="row">{row.law}</th>
            <td>{row.form}</td>
            <td className="num right">{row.rows}</td>
            <td className={row.verdict === "broken" ? "cost" : ""}>{row.verdict}</td>
            <td className="sentence muted">{row.note}</td>
          </tr>
        ))}
      </GridTable>
      <p className="muted">
        {waste === null
          ? "Nothing left the migration cache."
          : `At least ${formatShare(waste)} of the unmapped pages were not touched again.`}
        {table.leak && ` ${formatCount(Math.abs(table.leak.entries))} references seem to be lost.`}
      </p>
      <GridTable columns={ROWS} testId="automig-table">
        {table.rows.slice(0, MOST_ROWS).map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows never change places, and may have no time
          <tr key={place}>
            <td className="num right">{row.t_ns === null ? "–" : formatAbs(BigInt(row.t_ns), 3)}</td>
            {COUNTERS.map((name) => (
              <td key={name} className="num right">
                {formatCount(row.counters[name] ?? 0)}
              </td>
            ))}
            <td className="num right">{row.cached}</td>
            <td className="num right">{row.shared}</td>
          </tr>
        ))}
      </GridTable>
      {table.rows.length > MOST_ROWS && (
        <p className="muted">
          The first {MOST_ROWS} rows of {table.rows.length}.
        </p>
      )}
    </>
  );
}
