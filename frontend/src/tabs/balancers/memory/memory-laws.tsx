import { useMemo } from "react";
import type { SectionState } from "../../../api/routes/section-source.ts";
import type { AutomigTable, MigrationSection, MissingPart, PlacementSection } from "../../../api/types.ts";
import { formatCount, formatShare } from "../../../lib/format.ts";
import { TERMS } from "../../../lib/terms.ts";
import { placementTable } from "../../../panels/memory/placement-tracks.ts";
import { LabelBadge, SectionStatus, Term } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import { automigLawTable, automigTable, conservedTable, equivalentsTable } from "./memory-described.ts";

type Modern = NonNullable<MigrationSection["modern"]>;

/** What reports today what the statistics of 2010 reported, and what these numbers conserve. */
export function ModernPart({ modern }: { readonly modern: Modern }) {
  const conserved = useMemo(() => conservedTable(modern.conserved), [modern]);
  const equivalents = useMemo(() => equivalentsTable(modern.equivalents), [modern]);
  return (
    <section aria-label="Conservation and equivalents">
      <h3>
        <Term means={TERMS.conserved}>What must hold</Term>
      </h3>
      <DataGrid
        label="What must hold"
        table={conserved}
        name="conserved"
        testId="conserved-table"
        className="sentences"
        cellClass={(row, column) => (column === 4 && modern.conserved[row]?.holds === false ? "cost" : "")}
      />
      <h3>
        <Term means={TERMS.equivalents}>The statistics of 2010 today</Term>
      </h3>
      <DataGrid
        label="The statistics of 2010 today"
        table={equivalents}
        name="equivalents"
        testId="equivalents-table"
        className="sentences"
        cell={(row, column) => {
          const each = modern.equivalents[row];
          return column === 5 && each ? <LabelBadge label={each.label} missing={each.missing} /> : undefined;
        }}
        cellClass={(_, column) => (column === 4 ? "sentence muted" : "")}
      />
    </section>
  );
}

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
  const laws = useMemo(() => automigLawTable(table), [table]);
  const rows = useMemo(() => automigTable(table), [table]);
  const waste = table.window?.["lazy_waste"] ?? table.ratios?.["lazy_waste"] ?? null;
  return (
    <>
      <DataGrid
        label="Laws of the statistics"
        table={laws}
        name="automig-laws"
        testId="laws-table"
        className="sentences"
        cellClass={(row, column) =>
          column === 4 ? "sentence muted" : column === 3 && laws.rows[row]?.[3] === "broken" ? "cost" : ""
        }
      />
      <p className="muted">
        {waste === null
          ? "Nothing left the migration cache."
          : `At least ${formatShare(waste)} of the unmapped pages were not touched again.`}
        {table.leak && ` ${formatCount(Math.abs(table.leak.entries))} references seem to be lost.`}
      </p>
      <VirtualTable
        label="Statistics of auto-migration, sample by sample"
        table={rows}
        name="automig"
        testId="automig-table"
        upTo={MOST_HEIGHT}
      />
    </>
  );
}

/** CSS pixels. */
const MOST_HEIGHT = 260;

/** Which numa groups used which nodes, and where their memory lies. */
export function PlacementPart({ state }: { readonly state: SectionState<PlacementSection | MissingPart> }) {
  const { answer } = state;
  const section = answer?.available ? answer : null;
  const table = useMemo(() => (section ? placementTable(section) : null), [section]);
  return (
    <section aria-label="CPU time and memory by numa group" className="placement-part">
      <h3>
        <Term means={TERMS.placement}>CPU time and memory by numa group</Term>{" "}
        {section && <LabelBadge label={section.label} missing={section.missing} said />}{" "}
        <SectionStatus state={state} />
      </h3>
      {answer && !answer.available && <p className="muted">{answer.reason}</p>}
      {table && (
        <DataGrid label="CPU time by numa group" table={table} name="placement" testId="placement-table" />
      )}
      {section && section.memory === null && (
        <p className="muted" data-testid="no-memory">
          Where the memory lies is not known: it lacks {section.memory_missing.join(", ")}. numalens record
          takes samples of /proc/PID/numa_maps.
        </p>
      )}
    </section>
  );
}
