import { useMemo } from "react";
import type { SectionState } from "../data/section-source.ts";
import type { MissingPart, PlacementSection } from "../data/types.ts";
import { placementTable } from "../logic/placement-tracks.ts";
import { TERMS } from "../logic/terms.ts";
import { DataGrid } from "./data-grid.tsx";
import { LabelBadge } from "./label-badge.tsx";
import { SectionStatus, Term } from "./section-parts.tsx";

/** Which numa groups used which nodes, and where their memory lies. */
export function PlacementPart({ state }: { readonly state: SectionState<PlacementSection | MissingPart> }) {
  const { answer } = state;
  const told = answer?.available ? answer : null;
  const table = useMemo(() => (told ? placementTable(told) : null), [told]);
  return (
    <section aria-label="CPU time and memory by numa group" className="placement-part">
      <h3>
        <Term means={TERMS.placement}>CPU time and memory by numa group</Term>{" "}
        {told && <LabelBadge label={told.label} missing={told.missing} said />}{" "}
        <SectionStatus state={state} />
      </h3>
      {answer && !answer.available && <p className="muted">{answer.reason}</p>}
      {table && (
        <DataGrid label="CPU time by numa group" table={table} name="placement" testId="placement-table" />
      )}
      {told && told.memory === null && (
        <p className="muted" data-testid="no-memory">
          Where the memory lies is not known: it lacks {told.memory_missing.join(", ")}. numalens record takes
          samples of /proc/PID/numa_maps.
        </p>
      )}
    </section>
  );
}
