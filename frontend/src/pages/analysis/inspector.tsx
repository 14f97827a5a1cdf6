import { useState } from "react";
import type { Incident } from "../../analysis/incident.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { LatencySection, Slice } from "../../api/types.ts";
import { kindText } from "../../lib/findings.ts";
import { formatDuration, formatExactNs, formatShare, formatTime } from "../../lib/format.ts";
import { describeState, TERMS } from "../../lib/terms.ts";
import { spanLength, toAbs } from "../../lib/time.ts";
import { nodesKind, taskOfLane, tasksKind, threadsOfLane } from "../../subjects/machine/lanes/index.ts";
import { PathFacts, SleepStory, TaskFacts } from "../../subjects/off_cpu/views/index.ts";
import { WaitFacts, waitBefore } from "../../subjects/waits/views/index.tsx";
import { FindingFacts } from "../../tabs/findings/finding-facts.tsx";
import { PickedFacts, StepButtons, TaskButton, TimeFact } from "../../timeline/frame/picked-facts.tsx";
import { PinTask } from "../../timeline/frame/pinned-lanes.tsx";
import { type Mark, removeMark, renameMark } from "../../timeline/marks.ts";
import { shownOf } from "../../timeline/panel-stack.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { Button } from "../../ui/fields.tsx";
import { oneStop } from "../../ui/one-stop.ts";
import { Fact, LabelBadge } from "../../ui/section-parts.tsx";
import { DraftField } from "../../ui/title-field.tsx";
import { waitOfSlice } from "../../view-state/tab-views.ts";
import { ThreadsFacts } from "./threads-facts.tsx";
import { WindowSums } from "./window-sums.tsx";

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  /** The most recently loaded waits, possibly with the selected slice's. */
  readonly latency: LatencySection | null;
  /** The opened occurrence of a finding, and its waits. */
  readonly incident: Incident;
  readonly marks: readonly Mark[];
  /** Writes a note about the view; null without that right. */
  readonly onReport: (() => void) | null;
}

/**
 * The right column: the selected slice or mark, else the opened finding and the window; then the reader's marks. On a wide
 * screen it is always there, so that a click on the canvas does not resize the canvas.
 */
export function Inspector({ live, snapshot, latency, incident, marks, onReport }: Props) {
  const { stage } = live;
  const { selection, picked } = snapshot;
  const { place } = incident;
  const tasks = stage.panel(tasksKind);
  const { path } = tasks;
  const pickedPid = picked === null ? null : taskOfLane(picked.lane);
  const sleep = picked === null ? null : tasks.sleepAt(picked.lane, picked.at);
  const threads = picked === null ? null : threadsOfLane(picked.lane);
  const nothing = !place && !selection && !picked && !snapshot.area;
  // The finding comes there: until then nothing else has its room.
  if (nothing && live.opening) return <aside className="inspector" aria-label="Inspector" />;
  const idle = nothing && marks.length === 0 && path === null;
  return (
    <aside className={idle ? "inspector idle" : "inspector"} aria-label="Inspector" data-testid="inspector">
      {path !== null && <PathFacts live={live} path={path} />}
      {place && (selection || picked || snapshot.area) && (
        <Button
          className="inline back-to-finding"
          onClick={() => stage.command("escape")}
          title="Back to the finding (Esc)"
        >
          ‹ {kindText(place.id)}
        </Button>
      )}
      {selection === null && picked !== null ? (
        <>
          <PickedFacts
            fact={sleep ? { ...picked, ...tasks.sleepFact(picked.lane, sleep), note: null } : picked}
            stage={stage}
          />
          {sleep && pickedPid !== null && (
            <SleepStory live={live} pid={pickedPid} sleep={sleep} path={path} />
          )}
          {pickedPid !== null && (
            <Button
              className="to-path"
              onClick={() => live.showPath({ pid: pickedPid, at: picked.at })}
              title="Critical path: who woke it, what the waker was doing, and so on (c)"
            >
              critical path
            </Button>
          )}
          {threads !== null && <ThreadsFacts live={live} snapshot={snapshot} of={threads} />}
          {pickedPid !== null && <TaskFacts live={live} snapshot={snapshot} pid={pickedPid} />}
        </>
      ) : selection === null ? (
        <>
          {place && !snapshot.area && (
            <FindingFacts place={place} incident={incident} live={live} onReport={onReport} />
          )}
          <WindowFacts live={live} snapshot={snapshot} />
        </>
      ) : selection.slice === null ? (
        <p className="muted">Looking up the slice on CPU {selection.cpu}…</p>
      ) : (
        <>
          <SliceFacts slice={selection.slice} live={live} latency={latency} />
          <TaskFacts live={live} snapshot={snapshot} pid={selection.slice.pid} />
        </>
      )}
      <MarkList live={live} marks={marks} />
    </aside>
  );
}

const WAIT_WORDS = {
  waking: "sched_waking",
  wakeup: "sched_wakeup",
  preempted: "it was preempted",
  new: "sched_wakeup_new",
  resumed: "events were lost",
} as const;

interface SliceProps {
  readonly slice: Slice;
  readonly live: LiveAnalysis;
  readonly latency: LatencySection | null;
}

function SliceFacts({ slice, live, latency }: SliceProps) {
  const { stage } = live;
  const wait = latency && waitBefore(latency, slice);
  const fill = stage.taskFill(slice.task);
  const duration = BigInt(slice.duration_ns);
  return (
    <>
      <header>
        {fill !== null && <span className="swatch" style={{ backgroundColor: fill }} />}
        <h2 data-testid="slice-task">{slice.comm}</h2>
        <PinTask pid={slice.pid} name={slice.comm} stage={stage} />
        <LabelBadge label={slice.label} />
      </header>
      <StepButtons
        titles={["Previous slice of this task (,)", "Fit the slice (f)", "Next slice of this task (.)"]}
        onStep={(step) => stage.command(step)}
      />
      <dl className="facts" ref={oneStop}>
        <Fact name="pid">
          <span className="num">{slice.pid}</span>
        </Fact>
        <Fact name="CPU">
          <span className="num">{slice.cpu}</span>
          {slice.nid !== null && <span>, node {slice.nid}</span>}
        </Fact>
        <Fact name="prio" term="prio">
          <span className="num">{slice.prio}</span>
        </Fact>
        <TimeFact name="from" ns={slice.start_ns} known={slice.start_known} />
        <TimeFact name="to" ns={slice.end_ns} known={slice.end_known} />
        <Fact name="duration">
          <span className="num">{formatDuration(duration)}</span>
          {duration >= 1000n && <span className="num muted"> {formatExactNs(duration)}</span>}
        </Fact>
        {slice.end_state !== null && (
          <Fact name="left as" term="state">
            {describeState(slice.end_state)}
          </Fact>
        )}
      </dl>
      <h3>
        Before it ran{" "}
        <span className="label label-replayed" title={TERMS.replayed}>
          replayed
        </span>
      </h3>
      <dl className="facts" ref={oneStop}>
        {slice.waking_ns !== null && <TimeFact name="waking" ns={slice.waking_ns} />}
        {slice.waker_pid !== null && (
          <Fact name="waker" term="waker">
            <TaskButton pid={slice.waker_pid} comm={slice.waker_comm} stage={stage} />
          </Fact>
        )}
        <WaitedFact slice={slice} live={live} />
        {slice.prev_pid !== null && (
          <Fact name="CPU ran">
            <TaskButton pid={slice.prev_pid} comm={slice.prev_comm} stage={stage} />
          </Fact>
        )}
        {slice.next_pid !== null && (
          <Fact name="then ran">
            <TaskButton pid={slice.next_pid} comm={slice.next_comm} stage={stage} />
          </Fact>
        )}
      </dl>
      {wait && <WaitFacts wait={wait} section={latency} stage={stage} />}
    </>
  );
}

function WaitedFact({ slice, live }: Omit<SliceProps, "latency">) {
  if (slice.wait_ns === null) {
    return (
      <Fact name="waited">
        <span className="muted">not recorded</span>
      </Fact>
    );
  }
  const key = waitOfSlice(slice);
  return (
    <Fact name="waited" term={slice.wait_from ?? "waking"}>
      <span className="num cost">{formatDuration(BigInt(slice.wait_ns))}</span>
      {slice.wait_from !== null && <span className="muted"> since {WAIT_WORDS[slice.wait_from]}</span>}
      {key !== null && (
        <>
          {" "}
          <Button
            className="inline"
            onClick={() => live.setDrawer({ tab: "latency", wait: key })}
            title="Its causes part by part, the tasks that ran, idle CPUs, and the wakeup chain"
          >
            open this wait
          </Button>
        </>
      )}
    </Fact>
  );
}

function WindowFacts({ live, snapshot }: Pick<Props, "live" | "snapshot">) {
  const { stage } = live;
  const { origin, nodes } = stage.scene;
  const { view, area, panels } = snapshot;
  const about = area ?? view;
  const means = shownOf(panels, nodesKind)?.means;
  return (
    <>
      <header>
        <h2>{area ? "Selected range" : "Window"}</h2>
      </header>
      {area && (
        <p className="step-buttons" data-testid="area-buttons">
          <Button onClick={() => stage.command("commit")} title="Zoom to it, and stay inside (Enter)">
            zoom to it
          </Button>
          <Button onClick={() => stage.select(null)} title="Clear the range (Esc)">
            clear
          </Button>
        </p>
      )}
      <dl className="facts" ref={oneStop}>
        <TimeFact name="from" ns={toAbs(origin, about.from).toString()} />
        <TimeFact name="to" ns={toAbs(origin, about.to).toString()} />
        <Fact name="length">
          <span className="num">{formatDuration(spanLength(about))}</span>
        </Fact>
      </dl>
      {area && <WindowSums live={live} snapshot={snapshot} />}
      {area && <h3>By node</h3>}
      <table className="node-table" data-testid="sums-by-node">
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">CPUs</th>
            <th scope="col">busy</th>
            <th scope="col">waiting</th>
            <th scope="col">max</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => {
            const mean = means?.get(node.nid);
            return (
              <tr key={node.nid}>
                <th scope="row">
                  <span className="swatch" style={{ backgroundColor: stage.nodeColour(node.nid) }} />
                  {node.nid}
                </th>
                <td>{node.cpus.length}</td>
                <td>{mean ? formatShare(mean.busy) : "–"}</td>
                <td>{mean ? mean.wait.toFixed(2) : "–"}</td>
                <td>{mean ? mean.peak : "–"}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="muted hint">
        Click a slice for its facts. Wheel zooms, drag moves, Shift drag selects, <kbd>?</kbd> shows all
        shortcuts.
      </p>
    </>
  );
}

interface MarkListProps {
  readonly live: LiveAnalysis;
  readonly marks: readonly Mark[];
}

/** The reader's marks in time, each with its distance from the one before. A new one requests its name. */
export function MarkList({ live, marks }: MarkListProps) {
  if (marks.length === 0) return null;
  const set = (changed: readonly Mark[]) => live.setDrawer({ marks: changed });
  return (
    <section className="marks" aria-label="Marks" data-testid="marks">
      <h3>Marks</h3>
      <ul>
        {marks.map((mark, place) => {
          const before = marks[place - 1];
          return (
            <li key={mark.at.toString()}>
              <MarkName
                mark={mark}
                names={mark.at === live.freshMark()}
                onName={(name) => set(renameMark(marks, mark.at, name))}
                onGo={() => live.goToMark(mark.at)}
              />
              <span className="num muted" title={before ? `After ${before.name}` : "Recorded time, s"}>
                {before ? `+${formatDuration(mark.at - before.at)}` : `${formatTime(mark.at, 6)}`}
              </span>
              <Button
                className="quiet"
                aria-label={`Remove ${mark.name}`}
                title="Remove"
                onClick={() => set(removeMark(marks, mark.at))}
              >
                ×
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

interface NameProps {
  readonly mark: Mark;
  readonly names: boolean;
  readonly onName: (name: string) => void;
  readonly onGo: () => void;
}

function MarkName({ mark, names, onName, onGo }: NameProps) {
  const [draft, setDraft] = useState<string | null>(names ? mark.name : null);
  if (draft === null) {
    return (
      <span className="mark-name">
        <Button className="inline" onClick={onGo} title="Center it in the window">
          {mark.name}
        </Button>
        <Button
          className="quiet"
          aria-label={`Rename ${mark.name}`}
          title="Rename"
          onClick={() => setDraft(mark.name)}
        >
          ✎
        </Button>
      </span>
    );
  }
  const keep = () => {
    setDraft(null);
    if (draft.trim() !== mark.name) onName(draft);
  };
  return (
    <DraftField label="Name of the mark" draft={draft} maxLength={40} onDraft={setDraft} onKeep={keep} />
  );
}
