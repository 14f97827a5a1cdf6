import { useMemo } from "react";
import type { DrawerView, TabProps } from "../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import { formatDuration, plural } from "../../../lib/format.ts";
import { takenByDefault } from "../../../lib/terms.ts";
import { LabelBadge, Unanswered } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import {
  counterTable,
  type Dump,
  dumpCpuTable,
  dumpTaskTable,
  exitText,
  loadedTable,
  type SchedExtSection,
} from "./sched-ext.ts";
import "../../../analysis/held-view.css";

export const view: DrawerView = { id: "scx", title: "sched_ext", Body: SchedExtTab };

/** Advice for recording the inputs. */
const RECORD = takenByDefault(
  "BPF schedulers need the events sched_ext_dump, sched_ext_event and sched_ext_exit, or samples of /sys/kernel/sched_ext (Linux 6.12 and later, CONFIG_SCHED_CLASS_EXT).",
);

function SchedExtTab({ live, snapshot }: TabProps) {
  const window = shownWindow(live.stage, snapshot);
  const state = useSection(live.section("sched_ext"), { window });
  const { answer, problem } = state;
  if (!answer?.available || problem !== null)
    return <Unanswered state={state} section="sched_ext" record={RECORD} />;
  return <SchedExtView section={answer} origin={live.stage.scene.origin} />;
}

interface ViewProps {
  readonly section: SchedExtSection;
  /** Begin of the recording, ns. */
  readonly origin: bigint;
}

/** BPF schedulers in the window. */
export function SchedExtView({ section, origin }: ViewProps) {
  const { loaded, dumps, waiting, balancers, counters } = section;
  const spans = useMemo(() => loadedTable(loaded, origin), [loaded, origin]);
  const counted = useMemo(() => counterTable(section), [section]);
  return (
    <div className="balancers-view">
      <p data-testid="scx-balancers">
        {balancers ?? "No BPF scheduler was loaded in this window."}{" "}
        <LabelBadge label={section.label} missing={section.missing} said />
      </p>
      {waiting && (
        <p data-testid="scx-waiting">
          Tasks waited {formatDuration(waiting.queued.ns)} while only their scheduler kept them from running{" "}
          <LabelBadge label={waiting.queued.label} missing={[]} said />, and{" "}
          {formatDuration(waiting.stalled.ns)} until the watchdog found them{" "}
          <LabelBadge label={waiting.stalled.label} missing={[]} said />.
        </p>
      )}
      {loaded.length > 0 && (
        <DataGrid label="BPF schedulers" table={spans} name="sched-ext" testId="scx-loaded" />
      )}
      {dumps.map((dump) => (
        <DumpView key={`${dump.ts_ns} ${dump.kind}`} dump={dump} origin={origin} />
      ))}
      {counters.length > 0 && (
        <DataGrid
          label="Counters of sched_ext"
          table={counted}
          name="sched-ext-counters"
          testId="scx-counters"
        />
      )}
    </div>
  );
}

/** Output of the kernel when it disabled a scheduler. */
function DumpView({ dump, origin }: { readonly dump: Dump; readonly origin: bigint }) {
  const tasks = useMemo(() => dumpTaskTable(dump), [dump]);
  const cpus = useMemo(() => dumpCpuTable(dump), [dump]);
  const at = formatDuration(BigInt(dump.ts_ns) - origin);
  return (
    <>
      <h3>
        At {at}: {dump.scheduler ?? "the BPF scheduler"} {exitText(dump.kind)}
      </h3>
      <p data-testid="scx-reason">
        {dump.reason}; {plural(dump.tasks.length, "runnable task")}
        {dump.truncated && ", the rest is truncated"}.
      </p>
      <DataGrid label="Runnable tasks" table={tasks} name="sched-ext-tasks" testId="scx-tasks" />
      <DataGrid label="What ran where" table={cpus} name="sched-ext-cpus" testId="scx-cpus" />
    </>
  );
}
