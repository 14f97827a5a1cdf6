import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { shownWindow, useSection } from "../../analysis/use-section.ts";
import type { LatencySection, ThreadsSection, UtilisationSection } from "../../api/types.ts";
import { addCauses, type CauseTime } from "../../lib/causes.ts";
import { formatDuration, plural } from "../../lib/format.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { CauseBar, CauseList } from "../../ui/canvas/cause-bar.tsx";
import { Button } from "../../ui/fields.tsx";
import { LabelBadge, SectionStatus } from "../../ui/section-parts.tsx";
import { TaskStates } from "./task-states.tsx";

/** Rows of a sum that are listed: more are in the drawer's tables. */
const MOST = 6;

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
}

/** Sums of the window or of the selected range by state, cause, task, CPU and node. */
export function WindowSums({ live, snapshot }: Props) {
  const query = { window: shownWindow(live.stage, snapshot) };
  const threads = useSection(live.section("threads", "sums"), query);
  const latency = useSection(live.section("latency", "sums"), { ...query, listed: 1 });
  const machine = useSection(live.section("utilisation", "sums"), query);
  const [ran, waited, cpus] = [threads.answer, latency.answer, machine.answer];
  if (!ran || !waited || !cpus) return <SectionStatus state={threads} />;
  if (!ran.available) return <p className="muted">{ran.reason}.</p>;
  return (
    <section aria-label="Totals" className="window-sums" data-testid="window-sums">
      <h3>
        By state <LabelBadge label={ran.label} missing={ran.missing} />
      </h3>
      <SumTable rows={stateRows(ran, cpus.available ? cpus : null)} />
      {waited.available && <CauseSums causes={waitCauses(waited)} />}
      <TaskSums threads={ran.threads} live={live} />
      {cpus.available && <CpuSums machine={cpus} live={live} />}
    </section>
  );
}

interface SumRow {
  readonly name: string;
  readonly ns: number;
}

/** Time of the tasks that ran or waited, and of the CPUs without a task. */
export function stateRows(
  { threads }: Pick<ThreadsSection, "threads">,
  machine: Pick<UtilisationSection, "cpus"> | null,
): readonly SumRow[] {
  const sum = (of: readonly number[]) => of.reduce((all, ns) => all + ns, 0);
  const rows = [
    { name: "tasks running", ns: sum(threads.map(({ run_ns }) => run_ns)) },
    { name: "tasks runnable", ns: sum(threads.map(({ wait_ns }) => wait_ns)) },
  ];
  if (!machine) return rows;
  const unknown = sum(machine.cpus.map(({ unknown_ns }) => unknown_ns));
  return [
    ...rows,
    { name: "CPUs idle", ns: sum(machine.cpus.map(({ idle_ns }) => idle_ns)) },
    ...(unknown > 0 ? [{ name: "CPUs not recorded", ns: unknown }] : []),
  ];
}

/** Causes of the waits of all kinds. */
export function waitCauses({
  causes,
  preempted,
  new: fresh,
  unfinished,
}: Pick<LatencySection, "causes" | "preempted" | "new" | "unfinished">): readonly CauseTime[] {
  return addCauses(causes, preempted.causes, fresh.causes, unfinished.causes);
}

function SumTable({ rows }: { readonly rows: readonly SumRow[] }) {
  return (
    <table className="cause-list">
      <tbody>
        {rows.map(({ name, ns }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td className="num right">{formatDuration(ns)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CauseSums({ causes }: { readonly causes: readonly CauseTime[] }) {
  if (causes.length === 0) return null;
  return (
    <>
      <h3>Runnable, by cause</h3>
      <CauseBar causes={causes} />
      <CauseList causes={causes} testId="sums-by-cause" sum="all waiting" />
    </>
  );
}

function TaskSums({
  threads,
  live,
}: {
  readonly threads: ThreadsSection["threads"];
  readonly live: LiveAnalysis;
}) {
  const ranked = threads
    .filter(({ run_ns, wait_ns }) => run_ns + wait_ns > 0)
    .toSorted((a, b) => b.run_ns + b.wait_ns - (a.run_ns + a.wait_ns) || a.pid - b.pid);
  if (ranked.length === 0) return null;
  return (
    <>
      <h3>By task</h3>
      <TaskStates heading="task" rows={ranked.slice(0, MOST)} stage={live.stage} testId="sums-by-task" />
      {ranked.length > MOST && (
        <Button className="inline" onClick={() => live.setDrawer({ tab: "tasks" })}>
          all {plural(ranked.length, "task")}
        </Button>
      )}
    </>
  );
}

function CpuSums({
  machine: { cpus },
  live: { stage },
}: {
  readonly machine: Pick<UtilisationSection, "cpus">;
  readonly live: LiveAnalysis;
}) {
  const ranked = cpus.toSorted((a, b) => b.busy_ns - a.busy_ns || a.cpu - b.cpu);
  return (
    <>
      <h3>By CPU, the busiest first</h3>
      <table className="node-table" data-testid="sums-by-cpu">
        <thead>
          <tr>
            <th scope="col">CPU</th>
            <th scope="col">busy</th>
            <th scope="col">idle</th>
          </tr>
        </thead>
        <tbody>
          {ranked.slice(0, MOST).map(({ cpu, nid, busy_ns, idle_ns }) => (
            <tr key={cpu}>
              <th scope="row">
                <span
                  className="swatch"
                  style={{ backgroundColor: stage.nodeColour(nid) }}
                  title={`node ${nid}`}
                />
                {cpu}
              </th>
              <td>{formatDuration(busy_ns, 3)}</td>
              <td>{formatDuration(idle_ns, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {ranked.length > MOST && <p className="muted">and {plural(ranked.length - MOST, "more CPU")}</p>}
    </>
  );
}
