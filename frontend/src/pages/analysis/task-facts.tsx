import { Fragment } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { shownWindow, useSection } from "../../analysis/use-section.ts";
import type { TaskSection } from "../../api/types.ts";
import { mainCause } from "../../lib/causes.ts";
import { formatDuration, formatExactNs, formatShare, formatTime, plural } from "../../lib/format.ts";
import { TaskButton } from "../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../timeline/stage/stage.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { CauseBar, CauseList } from "../../ui/canvas/cause-bar.tsx";
import { LabelBadge, SectionStatus } from "../../ui/section-parts.tsx";
import { waitKey } from "../../view-state/tab-views.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  readonly pid: number;
}

/** What a task did in the window: its states, where it ran, who woke it, whom it woke, and its longest waits. */
export function TaskFacts({ live, snapshot, pid }: Props) {
  const query = { window: shownWindow(live.stage, snapshot), pid };
  const state = useSection(live.section("task"), query);
  const { answer } = state;
  // The last answer may be another task's.
  if (!answer || (answer.available && answer.pid !== pid)) {
    return (
      <section aria-label="The task in the window">
        <h3>In the window</h3>
        <SectionStatus state={state} />
      </section>
    );
  }
  if (!answer.available) return <p className="muted">In the window: {answer.reason}.</p>;
  return (
    <section className="task-facts" aria-label="The task in the window" data-testid="task-facts">
      <h3>
        In the window <LabelBadge label={answer.label} missing={answer.missing} />
      </h3>
      {answer.cgroup !== null && <p className="mono muted">{answer.cgroup}</p>}
      <States section={answer} />
      <Cpus section={answer} stage={live.stage} />
      {answer.causes.length > 0 && (
        <>
          <h3>What it waited for</h3>
          <CauseBar causes={answer.causes} />
          <CauseList causes={answer.causes} testId="task-causes" sum="its waits" />
        </>
      )}
      <TaskWaits waits={answer.waits.slice(0, MOST)} live={live} />
      <Woken title="Woken by" rows={answer.wakers} stage={live.stage} />
      <Woken title="Woke" rows={answer.wakees} stage={live.stage} />
    </section>
  );
}

/** Of each list: more are in the drawer's tables. */
const MOST = 5;

const STATE_WORDS: Readonly<Record<string, string>> = {
  running: "ran",
  wakeup: "runnable, woken",
  preempted: "runnable, preempted",
  resumed: "runnable, since lost events",
  sleeping: "slept",
  blocked: "uninterruptible sleep (D)",
  not_recorded: "not recorded",
  lost_events: "not known, events lost",
};

function States({ section: { states } }: { readonly section: TaskSection }) {
  const whole = states.reduce((sum, { ns }) => sum + ns, 0);
  return (
    <table className="node-table task-states" data-testid="task-states">
      <tbody>
        {states.map(({ state, ns, count }) => (
          <tr key={state}>
            <th scope="row">{STATE_WORDS[state] ?? state}</th>
            <td title={formatExactNs(ns)}>{formatDuration(ns)}</td>
            <td>{whole > 0 ? formatShare(ns / whole) : "–"}</td>
            <td className="muted">{plural(count, "time")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cpus({ section: { cpus }, stage }: { readonly section: TaskSection; readonly stage: Stage }) {
  if (cpus.length === 0) return null;
  return (
    <p className="muted task-cpus">
      on{" "}
      {cpus.slice(0, MOST).map(({ cpu, nid, run_ns }) => (
        <Fragment key={cpu}>
          <span title={nid === null ? "of no known node" : `node ${nid}`}>
            {nid !== null && <i className="swatch" style={{ backgroundColor: stage.nodeColour(nid) }} />}
            cpu {cpu} {formatDuration(run_ns)}
          </span>{" "}
        </Fragment>
      ))}
      {cpus.length > MOST && `and ${cpus.length - MOST} more`}
    </p>
  );
}

interface WaitsProps {
  readonly waits: TaskSection["waits"];
  readonly live: LiveAnalysis;
}

function TaskWaits({ waits, live }: WaitsProps) {
  if (waits.length === 0) return null;
  return (
    <>
      <h3>Its longest waits</h3>
      <ol className="task-waits" data-testid="task-waits">
        {waits.map((wait) => (
          <li key={`${wait.waking_ns} ${wait.cpu}`}>
            <button
              type="button"
              className="inline num"
              onClick={() => live.setDrawer({ tab: "latency", wait: waitKey(wait) })}
              title={`Open this wait, which ended at ${formatTime(BigInt(wait.switch_in_ns))}`}
            >
              {formatDuration(wait.wait_ns)}
            </button>{" "}
            <span className="muted">{mainCause(wait.causes)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

interface WokenProps {
  readonly title: string;
  readonly rows: TaskSection["wakers"];
  readonly stage: Stage;
}

function Woken({ title, rows, stage }: WokenProps) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="task-woken">
        {rows.slice(0, MOST).map(({ pid, comm, count, wait_ns }) => (
          <li key={pid}>
            <TaskButton pid={pid} comm={comm} stage={stage} />{" "}
            <span className="muted num" title={`Waited ${formatDuration(wait_ns)} in all`}>
              {plural(count, "time")}
            </span>
          </li>
        ))}
        {rows.length > MOST && <li className="muted">and {rows.length - MOST} more</li>}
      </ul>
    </>
  );
}
