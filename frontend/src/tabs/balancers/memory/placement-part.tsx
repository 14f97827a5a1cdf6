import { useMemo } from "react";
import type { SectionState } from "../../../api/routes/section-source.ts";
import type { MissingPart, PlacementSection } from "../../../api/types.ts";
import { TERMS } from "../../../lib/terms.ts";
import { placementTable } from "../../../panels/memory/placement-tracks.ts";
import { LabelBadge } from "../../../ui/label-badge.tsx";
import { SectionStatus, Term } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";

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
