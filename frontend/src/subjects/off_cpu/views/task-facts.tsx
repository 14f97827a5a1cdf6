import { Fragment } from "react";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import type { TaskSection, TaskSleep, TimeWindow } from "../../../api/types.ts";
import { mainCause } from "../../../lib/causes.ts";
import { formatDuration, formatTime, plural } from "../../../lib/format.ts";
import { asSentence } from "../../../lib/terms.ts";
import { TaskButton } from "../../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import type { StageSnapshot } from "../../../timeline/stage/stage-parts.ts";
import { Button } from "../../../ui/fields.tsx";
import { LabelBadge, SectionStatus } from "../../../ui/section-parts.tsx";
import { waitKey } from "../../../view-state/tab-views.ts";
import { TaskDecisions, TaskWakeups } from "../../waits/views/index.tsx";
import { ledgerColour } from "../lanes/ledger.ts";
import { behindOf, sleepFact } from "../lanes/sleeps.ts";
import { LedgerTable } from "./ledger-table.tsx";
import { longestSleeps, sleptUntil } from "./sleep-sums.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  readonly pid: number;
}

/** Facts of a task in the window: its ledger, its CPUs, its longest waits and sleeps, and the tasks that woke it or that it woke. */
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
      <TaskLedger live={live} query={query} />
      <Cpus section={answer} stage={live.stage} />
      <TaskWaits waits={answer.waits.slice(0, MOST)} live={live} />
      <Sleeps live={live} query={query} wakers={answer.wakers} />
      <TaskWakeups
        section={answer}
        stage={live.stage}
        onWait={(wakeup) => live.setDrawer({ tab: "latency", wait: waitKey({ pid, ...wakeup }) })}
      />
      <Woken title="Woke" rows={answer.wakees} stage={live.stage} />
      <TaskDecisions decisions={answer.decisions} stage={live.stage} />
    </section>
  );
}

interface WindowProps {
  readonly live: LiveAnalysis;
  readonly query: { readonly window: TimeWindow; readonly pid: number };
}

interface LedgerProps extends WindowProps {
  /** Name of the place on the page that asks, where there are several. */
  readonly source?: string;
}

/** All of a task's time in a window, by state and cause. */
export function TaskLedger({ live, query, source }: LedgerProps) {
  const state = useSection(live.section("explain", source), query);
  const answer = state.answer?.available && state.query?.pid === query.pid ? state.answer : null;
  if (answer) return <LedgerTable answer={answer} stage={live.stage} />;
  if (state.answer && !state.answer.available)
    return <p className="muted">{asSentence(state.answer.reason)}</p>;
  return <SectionStatus state={state} />;
}

interface SleepsProps extends WindowProps {
  readonly wakers: TaskSection["wakers"];
}

/** Longest sleeps of a task, each with a button for its story, and its wakers by sleep time. */
function Sleeps({ live, query, wakers }: SleepsProps) {
  const { window, pid } = query;
  const state = useSection(live.section("sleeps", "pane"), query);
  const answer = state.answer?.available && state.answer.pid === pid ? state.answer : null;
  const slept = answer?.left_out === 0 ? sleptUntil(answer.sleeps, window) : null;
  return (
    <>
      {answer && answer.sleeps.length > 0 && (
        <>
          <h3>Its longest sleeps</h3>
          <ol className="task-waits" data-testid="task-sleeps">
            {longestSleeps(answer.sleeps, window, MOST).map(({ sleep, ns }) => (
              <li key={sleep.from_ns} title={sleep.summary}>
                <Button className="inline num" onClick={() => showSleep(live.stage, pid, sleep)}>
                  {formatDuration(ns)}
                </Button>{" "}
                <span className="swatch" style={{ background: ledgerColour("asleep", sleep.cause) }} />
                <span className="muted">{[sleep.title, behindOf(sleep)].filter(Boolean).join(", ")}</span>
              </li>
            ))}
          </ol>
        </>
      )}
      <Woken title="Woken by" rows={wakers} stage={live.stage} slept={slept} />
    </>
  );
}

/** Pins the lane of the task where it is not shown, and picks the sleep on it. */
function showSleep(stage: Stage, pid: number, sleep: TaskSleep): void {
  const lane = `task:${pid}`;
  stage.pin([lane]);
  stage.pick(lane, sleepFact(sleep, String(pid)));
}

/** Of each list: more are in the drawer's tables. */
const MOST = 5;

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
            <Button
              className="inline num"
              onClick={() => live.setDrawer({ tab: "latency", wait: waitKey(wait) })}
              title={`Open this wait, which ended at ${formatTime(BigInt(wait.switch_in_ns))}`}
            >
              {formatDuration(wait.wait_ns)}
            </Button>{" "}
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
  /** Sleep time of the task by waker, ns; null if not all sleeps are listed. */
  readonly slept?: ReadonlyMap<number, number> | null;
}

function Woken({ title, rows, stage, slept = null }: WokenProps) {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="task-woken">
        {rows.slice(0, MOST).map(({ pid, comm, count, wait_ns }) => {
          const ns = slept?.get(pid);
          return (
            <li key={pid}>
              <TaskButton pid={pid} comm={comm} stage={stage} />{" "}
              <span className="muted num" title={`Then waited ${formatDuration(wait_ns)} in all`}>
                {plural(count, "time")}
                {ns !== undefined && `, after ${formatDuration(ns)} asleep`}
              </span>
            </li>
          );
        })}
        {rows.length > MOST && <li className="muted">and {rows.length - MOST} more</li>}
      </ul>
    </>
  );
}
