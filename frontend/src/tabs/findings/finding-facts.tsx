import { useMemo, useState } from "react";
import { kindWords } from "../../analysis/finding-words.ts";
import {
  culpritOf,
  type ExplainedWait,
  type FindingPlace,
  type Incident,
  isAboutSleeps,
  isAboutWaits,
  isOfPlace,
} from "../../analysis/incident.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { useOptionalSection } from "../../analysis/use-section.ts";
import type { Attempt, Finding, IlbEvent } from "../../api/types.ts";
import {
  costLeftOut,
  impactText,
  kindText,
  occurrenceText,
  placesOf,
  summaryParts,
} from "../../lib/findings.ts";
import { formatCount, formatDuration, formatTime, plural } from "../../lib/format.ts";
import { missingText } from "../../lib/terms.ts";
import { nsOf } from "../../lib/time.ts";
import { KICKS_LANE, kickFact } from "../../subjects/idle_balancing/lanes/index.tsx";
import { attemptFact } from "../../subjects/numa_balancing/lanes/index.ts";
import { TaskLedger } from "../../subjects/off_cpu/views/index.ts";
import type { EventFact } from "../../timeline/event-fact.ts";
import { StepButtons, TaskButton, TimeFact } from "../../timeline/frame/picked-facts.tsx";
import { CauseBar, CauseList } from "../../ui/canvas/cause-bar.tsx";
import { Button } from "../../ui/fields.tsx";
import { oneStop } from "../../ui/one-stop.ts";
import { Fact, LabelBadge } from "../../ui/section-parts.tsx";

interface Props {
  readonly place: FindingPlace;
  readonly incident: Incident;
  readonly live: LiveAnalysis;
  /** Writes a note about it; null without that right. */
  readonly onReport: (() => void) | null;
}

/** Limit of listed tasks; the rest is in the table. */
const MOST_TASKS = 8;

/** A finding explained: the causes of its worst wait, victim and culprit, a sentence, its places; the rest on demand. */
export function FindingFacts({ place, incident, live, onReport }: Props) {
  const { keyed, index } = place;
  const { finding } = keyed;
  const worst = useKept(incident.worst, incident.loading);
  // Its first lines are not moved by evidence that comes later.
  const waiting = worst === null && incident.loading;
  return (
    <section className="finding-facts" aria-label="Finding" aria-busy={waiting} data-testid="finding-facts">
      <header>
        <h2>{kindText(finding.id)}</h2>
        <LabelBadge label={finding.label} missing={finding.missing} />
      </header>
      <StepButtons
        titles={["Previous occurrence ([)", "Show all of this occurrence again", "Next occurrence (])"]}
        onStep={(step) =>
          step === "fit-selection" ? live.openFinding(keyed, index) : live.stepOccurrence(step)
        }
      />
      {waiting ? (
        <p className="muted">Looking for its waits…</p>
      ) : (
        <Explained place={place} incident={incident} worst={worst} live={live} onReport={onReport} />
      )}
    </section>
  );
}

/** The previous value, while the next is being loaded. */
function useKept<T>(value: T | null, keep: boolean): T | null {
  const [kept, setKept] = useState(value);
  if (value !== null && value !== kept) setKept(value);
  return value ?? (keep ? kept : null);
}

interface ExplainedProps extends Props {
  readonly worst: ExplainedWait | null;
}

function Explained({ place, incident, worst, live, onReport }: ExplainedProps) {
  const { finding } = place.keyed;
  const { means, evidence } = kindWords(finding.id);
  const said = summaryParts(finding.summary);
  return (
    <>
      {isAboutSleeps(finding.id) ? (
        <Slept place={place} live={live} />
      ) : (
        worst &&
        isOfPlace(place, worst.wait) && (
          <WorstWait explained={worst} live={live} busy={worst !== incident.worst} />
        )
      )}
      <p className="summary" data-testid="finding-summary">
        {said.lead}
      </p>
      <Occurrences place={place} live={live} />
      <PlaceEvents place={place} live={live} />
      <Waits place={place} incident={incident} live={live} />
      <p>
        <Button
          className="evidence"
          onClick={() => live.showEvidence()}
          title="Its evidence table for this occurrence (e)"
        >
          Evidence: {evidence.words}
        </Button>
        {onReport && (
          <Button onClick={onReport} title="Add it to a report (r)">
            Report…
          </Button>
        )}
      </p>
      <details className="more">
        <summary>More</summary>
        {said.details.length > 0 && (
          <ul className="summary" data-testid="finding-details">
            {said.details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        )}
        <p className="muted summary" data-testid="finding-means">
          {means}
        </p>
        {finding.what_if && (
          <p className="muted summary" data-testid="finding-what-if">
            <LabelBadge label={finding.what_if.label} /> Without this problem, tasks would have waited{" "}
            {impactText(finding.what_if.waiting_ms)} in total, at most{" "}
            {impactText(finding.what_if.longest_wait_ms)} in one wait.
          </p>
        )}
        {finding.missing.length > 0 && <p className="muted">It {missingText(finding.missing)}.</p>}
        <Numbers finding={finding} live={live} />
      </details>
    </>
  );
}

/** All time of the first victim of the place: what it slept for comes with the tasks responsible. */
function Slept({ place, live }: Pick<Props, "place" | "live">) {
  const [pid] = place.pids;
  if (pid === undefined) return null;
  return (
    <div className="worst-evidence" data-testid="finding-evidence">
      <TaskLedger live={live} source="place" query={{ window: place.window, pid }} />
      <dl className="facts" ref={oneStop}>
        <Fact name="victim">
          <TaskButton pid={pid} stage={live.stage} />
        </Fact>
      </dl>
    </div>
  );
}

interface WorstWaitProps extends Pick<Props, "live"> {
  readonly explained: ExplainedWait;
  /** Another is on its way. */
  readonly busy: boolean;
}

/** The worst wait of the place: what it was spent on, its victim, and the task that had the CPU for longest during it. */
function WorstWait({ explained: { wait }, busy, live }: WorstWaitProps) {
  const { stage } = live;
  const culprit = culpritOf(wait);
  return (
    <div className="worst-evidence" data-testid="finding-evidence" aria-busy={busy}>
      <CauseBar causes={wait.causes} />
      <CauseList causes={wait.causes} testId="finding-causes" />
      <dl className="facts" ref={oneStop}>
        <Fact name="victim">
          <TaskButton pid={wait.pid} comm={wait.comm} stage={stage} /> waited{" "}
          <b className="num cost">{formatDuration(wait.wait_ns)}</b> on CPU {wait.cpu}
        </Fact>
        {culprit && (
          <Fact name="culprit" term="antagonist">
            <TaskButton pid={culprit.pid} comm={culprit.comm} stage={stage} /> ran{" "}
            <b className="num">{formatDuration(culprit.ns)}</b> of that
          </Fact>
        )}
      </dl>
    </div>
  );
}

interface NumbersProps extends Pick<Props, "live"> {
  readonly finding: Finding;
}

function Numbers({ finding, live }: NumbersProps) {
  const shown = finding.pids.slice(0, MOST_TASKS);
  return (
    <dl className="facts" ref={oneStop}>
      <Fact name="cost" title="Total time lost, summed over the waiting tasks" className="num">
        {impactText(finding.impact_ms)} <span className="muted">{costLeftOut(finding)}</span>
      </Fact>
      <Fact name="severity">
        <span className={`severity severity-${finding.severity}`}>{finding.severity}</span>
      </Fact>
      <TimeFact name="start" ns={finding.from_ns} />
      <Fact name="duration" className="num">
        {formatDuration(BigInt(finding.to_ns) - BigInt(finding.from_ns))}
      </Fact>
      {finding.nodes.length > 0 && (
        <Fact name={finding.nodes.length === 1 ? "node" : "nodes"} className="num">
          {finding.nodes.join(", ")}
        </Fact>
      )}
      {finding.cgroup && (
        <Fact name="cgroup" className="mono">
          {finding.cgroup}
        </Fact>
      )}
      {shown.length > 0 && (
        <Fact name={finding.tasks === 1 ? "task" : "tasks"} className="finding-tasks">
          {shown.map((pid) => (
            <TaskButton key={pid} pid={pid} stage={live.stage} />
          ))}
          {finding.tasks > shown.length && (
            <span className="muted">and {formatCount(finding.tasks - shown.length)} more</span>
          )}
        </Fact>
      )}
    </dl>
  );
}

type PartProps = Pick<Props, "live" | "place">;

/** Number of places listed at first: `[` and `]` go through all of them. */
const FIRST_PLACES = 20;

/** Occurrences, the worst first, each with a button. */
function Occurrences({ place, live }: PartProps) {
  const { keyed, index } = place;
  const { occurrences } = keyed.finding;
  const [most, setMost] = useState(FIRST_PLACES);
  const places = placesOf(keyed.finding);
  const listed = places.slice(0, Math.max(most, index + 1));
  const more = Math.max(occurrences.count, places.length) - listed.length;
  return (
    <>
      <h3 id="finding-occurrences">
        {plural(Math.max(1, occurrences.count), "occurrence")}
        {occurrences.count > 1 && ", the worst first"}{" "}
        <span className="together">
          <kbd>[</kbd> <kbd>]</kbd>
        </span>
      </h3>
      <ol
        className="occurrences"
        aria-labelledby="finding-occurrences"
        data-testid="finding-occurrences"
        ref={oneStop}
      >
        {listed.map((one, at) => (
          <li key={`${one.from_ns}.${one.to_ns}.${one.pids.join()}.${one.cpus.join()}`}>
            <Button
              ref={at === index ? intoSight : null}
              className="inline num"
              aria-current={at === index ? "location" : undefined}
              onClick={() => live.openFinding(keyed, at)}
              title="Go there"
            >
              {formatTime(nsOf(one.from_ns), 3)}, {formatDuration(nsOf(one.to_ns) - nsOf(one.from_ns))}
            </Button>{" "}
            <span className={at === 0 ? "num cost" : "num"}>{impactText(one.cost_ms)}</span>{" "}
            <span className="muted">{occurrenceText(one)}</span>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <p className="muted">
          and {formatCount(more)} more{" "}
          {listed.length < places.length && (
            <Button className="inline" onClick={() => setMost(listed.length + 5 * FIRST_PLACES)}>
              list them
            </Button>
          )}
        </p>
      )}
    </>
  );
}

/** Keeps the opened occurrence in view within its list, without scrolling the page. */
function intoSight(button: HTMLElement | null): void {
  const [item, list] = [button?.closest("li"), button?.closest("ol")];
  if (!item || !list) return;
  const most = item.offsetTop;
  const least = most + item.offsetHeight - list.clientHeight;
  list.scrollTop = Math.max(least, Math.min(most, list.scrollTop));
}

/** Further down the tab of waits has all of them. */
const FIRST_WAITS = 8;

/** Waits of the opened occurrence, the worst first: each opens its causes. */
function Waits({ place, incident, live }: PartProps & Pick<Props, "incident">) {
  const { waits, loading } = incident;
  if (waits.length === 0) return loading ? <p className="muted">Looking for its waits…</p> : null;
  return (
    <>
      <h3 id="finding-waits">{isAboutWaits(place.id) ? "Its waits" : "Waits at this time"}</h3>
      <ol className="occurrences" aria-labelledby="finding-waits" data-testid="finding-waits" ref={oneStop}>
        {waits.slice(0, FIRST_WAITS).map(({ wait, ns }, at) => (
          <li key={`${wait.pid}.${wait.waking_ns}`}>
            <Button
              className="inline"
              onClick={() => live.openWait(wait, place.window)}
              title="Its causes, the tasks that ran, and its raw events"
            >
              {wait.comm} <span className="num">{wait.pid}</span>
            </Button>{" "}
            <span className={at === 0 ? "num cost" : "num"}>{formatDuration(ns)}</span>{" "}
            <span className="muted">
              {ns < wait.wait_ns && `of ${formatDuration(wait.wait_ns)} `}on CPU {wait.cpu}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

interface PlaceEventsProps {
  readonly live: LiveAnalysis;
  readonly place: FindingPlace;
}

/** An event of a finding's evidence, and its lane. */
interface PlacedEvent {
  readonly lane: string;
  readonly words: EventFact;
  readonly task: string;
}

/** Limit of listed events; the timeline and the table of the evidence have all. */
const MOST_EVENTS = 20;

/** The very attempts or kicks of an occurrence, by time: each is picked on its lane. */
export function PlaceEvents({ live, place }: PlaceEventsProps) {
  const what = eventsOf(place.id);
  const query = { window: { from: place.window.from, to: place.window.to + 1n } };
  const kicks = useOptionalSection(live.section("idle_balancing", "place"), what === "kicks" ? query : null);
  const balancing = useOptionalSection(
    live.section("numa_balancing", "place"),
    what === "attempts" ? query : null,
  );
  const events = useMemo(() => {
    if (what === "kicks") return kicks.answer?.available ? kickEvents(kicks.answer.events) : [];
    return balancing.answer?.available ? attemptEvents(balancing.answer.attempts, place.pids) : [];
  }, [what, kicks.answer, balancing.answer, place.pids]);
  if (what === null || events.length === 0) return null;
  return (
    <>
      <h3 id="finding-events">Its {what}</h3>
      <ol className="occurrences" aria-labelledby="finding-events" data-testid="finding-events" ref={oneStop}>
        {events.slice(0, MOST_EVENTS).map(({ lane, words, task }) => (
          <li key={`${lane}@${words.fact.at}`}>
            <Button
              className="inline num"
              onClick={() => live.stage.pick(lane, words)}
              title="All its facts, and its mark on the timeline"
            >
              {formatTime(words.fact.at, 6)}
            </Button>{" "}
            {words.fact.title} <span className="muted">{task}</span>
          </li>
        ))}
      </ol>
      {events.length > MOST_EVENTS && (
        <p className="muted">and {formatCount(events.length - MOST_EVENTS)} more in the evidence</p>
      )}
    </>
  );
}

/** Of what a kind of finding is made, unless of waits. */
function eventsOf(id: string): "kicks" | "attempts" | null {
  const { panel, tab } = kindWords(id).evidence;
  if (isAboutWaits(id)) return null;
  if (panel === "ilb") return "kicks";
  return tab === "ops" || tab === "cling" ? "attempts" : null;
}

function kickEvents(events: readonly IlbEvent[]): readonly PlacedEvent[] {
  return events
    .filter(({ kind }) => kind === "kick_sent")
    .map((event) => ({
      lane: KICKS_LANE,
      words: kickFact(event),
      task: event.target === null ? "" : `on CPU ${event.target}`,
    }));
}

/** Attempts of the finding's tasks, if it names any that tried. */
function attemptEvents(attempts: readonly Attempt[], pids: readonly number[]): readonly PlacedEvent[] {
  const own = attempts.filter(({ pid }) => pids.includes(pid));
  return (own.length > 0 ? own : attempts).map((attempt) => ({
    lane: `cpu:${attempt.src_cpu >= 0 ? attempt.src_cpu : attempt.cpu}`,
    words: attemptFact(attempt),
    task: `${attempt.comm} ${attempt.pid}`,
  }));
}
