import { useMemo } from "react";
import { Answered, type HeldProps, HeldView } from "../../../analysis/held-view.tsx";
import type { DrawerView } from "../../../analysis/tab.ts";
import { useSection } from "../../../analysis/use-section.ts";
import { formatCount } from "../../../lib/format.ts";
import { takenByDefault } from "../../../lib/terms.ts";
import { LabelBadge, Term } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import {
  DISTANCES,
  type DistancesSection,
  distanceTable,
  llcProcessSentence,
  llcProcessTable,
  processDistanceTable,
  sharingSentence,
} from "./distances.ts";

export const view: DrawerView = {
  id: "distances",
  title: "LLC",
  Body: (props) => <HeldView {...props} Part={DistancesPart} />,
};

/** Advice for recording the inputs. */
const RECORD = takenByDefault(
  "Distances need sched_migrate_task, sched_waking and sched_switch, and a topology with caches: lscpu -p, or copies of sysfs.",
);

function DistancesPart({ live, window }: HeldProps) {
  const state = useSection(live.section("distances"), { window });
  return (
    <Answered state={state} section="distances" record={RECORD}>
      {(section) => <DistancesView section={section} />}
    </Answered>
  );
}

/** Distances of moves. */
export function DistancesView({ section }: { readonly section: DistancesSection }) {
  const table = useMemo(() => distanceTable(section), [section]);
  return (
    <div className="balancers-view">
      <p data-testid="distances-machine">
        {sharingSentence(section)} <LabelBadge label={section.label} missing={section.missing} said />
      </p>
      <DataGrid
        label="Migrations, wakeups and waits by distance"
        table={table}
        name="distances"
        testId="distances-table"
        cell={(row, column) => {
          const means = DISTANCES[section.rows[row]?.distance ?? ""]?.means;
          return column === 0 && means ? <Term means={means}>{table.rows[row]?.[0]}</Term> : undefined;
        }}
      />
      <ProcessDistancesView section={section} />
      {section.by_process && <LlcProcessesView section={section} processes={section.by_process} />}
    </div>
  );
}

/** Distances of each process' threads. */
function ProcessDistancesView({ section }: { readonly section: DistancesSection }) {
  const table = useMemo(() => processDistanceTable(section), [section]);
  const { processes, processes_left_out: more } = section;
  if (processes.length === 0) return null;
  return (
    <DataGrid
      label={`Processes by distance${more > 0 ? `, ${formatCount(more)} more left out` : ""}`}
      table={table}
      name="process-distances"
      testId="process-distances-table"
    />
  );
}

interface LlcProcessesProps {
  readonly section: DistancesSection;
  readonly processes: NonNullable<DistancesSection["by_process"]>;
}

/** Below which last-level caches processes ran, and which they would prefer. */
function LlcProcessesView({ section, processes }: LlcProcessesProps) {
  const table = useMemo(() => llcProcessTable(processes, section), [processes, section]);
  return (
    <>
      <p data-testid="llc-processes-sentence">
        {llcProcessSentence(processes)}{" "}
        <LabelBadge label={processes.label} missing={processes.missing} said />
      </p>
      {processes.processes.length > 0 && (
        <>
          <p data-testid="llc-preferred">
            Preferred caches, and migrations relative to them:{" "}
            <LabelBadge label={processes.preferred_provenance} missing={processes.preferred_missing} said />
          </p>
          <DataGrid
            label="Processes by last-level cache"
            table={table}
            name="llc-processes"
            testId="llc-processes-table"
          />
        </>
      )}
    </>
  );
}
