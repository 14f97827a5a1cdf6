import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { waitSpan } from "../../../analysis/incident.ts";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { LatencySection, Wait, WaitSection, WakeHop } from "../../../api/types.ts";
import { causeColour, sumProblem } from "../../../lib/causes.ts";
import { formatDuration, formatExactNs, formatShare, plural } from "../../../lib/format.ts";
import { describeState, TERMS } from "../../../lib/terms.ts";
import { parseNs, toRel } from "../../../lib/time.ts";
import { TaskButton } from "../../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { CauseBar, CauseList } from "../../../ui/canvas/cause-bar.tsx";
import { type Paint, useCanvas } from "../../../ui/canvas/surface.ts";
import { Button } from "../../../ui/fields.tsx";
import { PartPicture } from "../../../ui/picture/picture-buttons.tsx";
import { AbsentSection, CsvButton, LabelBadge, SectionStatus, Term } from "../../../ui/section-parts.tsx";
import type { WaitKey } from "../../../view-state/tab-views.ts";
import { WhyThisCpu } from "../../wakeup_placement/views/index.tsx";
import { paintStory, type StoryInk, storyHeight, storyTimeAt } from "./draw-wait-story.ts";
import {
  hopBefore,
  hopTask,
  litWait,
  momentText,
  nodeWords,
  STOP_WORDS,
  STORY_HEAD,
  spanText,
  storyRows,
  stripEdges,
  stripSums,
  stripsSay,
  type WaitStrips,
  waitEvents,
  waitStrips,
} from "./wait-story.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly of: WaitKey;
  /** Of the recording's events, by type. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One wait opened: what it was spent on, who had the CPU, which CPUs were idle, and the wakeup chain before. */
export function WaitStory({ live, of, counts }: Props) {
  const { pid, cpu, from, to } = of;
  const state = useSection(live.section("wait"), { window: { from, to }, wait: { pid, cpu } });
  const { answer } = state;
  const close = (
    <Button className="inline" onClick={() => live.setDrawer({ wait: null })}>
      ‹ all waits
    </Button>
  );
  // The last answer may be another wait's.
  const mine = answer?.available && answer.wait.pid === pid && parseNs(answer.wait.switch_in_ns) === to;
  if (answer && !answer.available) {
    return (
      <div className="wait-story">
        <p className="tab-tools">{close}</p>
        <AbsentSection section="latency" reason={answer.reason} />
      </div>
    );
  }
  if (!answer?.available || !mine) {
    return (
      <p className="tab-tools">
        {close}
        <SectionStatus state={state} />
      </p>
    );
  }
  const events = (
    <Button
      className="inline"
      onClick={() =>
        live.setDrawer({
          tab: "rows",
          events: waitEvents(answer, counts),
          // The switch that ends the wait is at its very end.
          held: { from, to: to + 1n },
        })
      }
      title="Its raw events: those of the task, and the switches on the CPUs that it was queued on"
    >
      raw events
    </Button>
  );
  const more = (
    <>
      {events}
      <Button
        className="inline"
        onClick={() => live.showPath({ pid: answer.wait.pid, at: from })}
        title="Critical path: who woke it, what the waker was doing, and so on (c)"
      >
        critical path
      </Button>
    </>
  );
  const placed = answer.began === "waking" || answer.began === "new";
  const why = placed && <WhyThisCpu live={live} pid={pid} at={parseNs(answer.wait.waking_ns) ?? from} />;
  return <Opened section={answer} stage={live.stage} close={close} events={more} why={why} />;
}

interface OpenedProps {
  readonly section: WaitSection;
  readonly stage: Stage;
  readonly close: React.ReactNode;
  readonly events: React.ReactNode;
  /** Reasons for the CPU where the wait began. */
  readonly why: React.ReactNode;
}

function Opened({ section, stage, close, events, why }: OpenedProps) {
  const strips = useMemo(() => waitStrips(section), [section]);
  useEffect(() => {
    stage.light(litWait(section, strips, stage.scene.origin), "wait");
    return () => stage.light(null, "wait");
  }, [section, strips, stage]);
  const picture = useRef<HTMLDivElement>(null);
  const { wait } = section;
  const sums = stripSums(strips);
  const problem = sumProblem(sums, wait.wait_ns);
  const ran = section.ended === "ran" ? { cpu: wait.cpu, at: BigInt(wait.switch_in_ns) } : null;
  const show = () => void stage.show(waitSpan(wait, stage.scene.origin), ran);
  const file = `wait-${wait.pid}-${wait.waking_ns}`;
  return (
    <section className="wait-story" aria-label="The opened wait" data-testid="wait-story">
      <p className="tab-tools">
        {close}
        {events}
        <CsvButton name={file} head={STORY_HEAD} rows={storyRows(section)} />
        <PartPicture of={picture} title={stripsSay(section, strips)} name={file} />
      </p>
      <div ref={picture} className="wait-story-body">
        <div className="wait-strips">
          <h3 className="wait-story-head">
            <Button className="inline" onClick={show} title="Show the wait in the timeline">
              {wait.comm} <span className="num">{wait.pid}</span>
            </Button>{" "}
            waited {(ran === null || section.began === "resumed") && "at least "}
            <span className="num cost" title={formatExactNs(wait.wait_ns)}>
              {formatDuration(wait.wait_ns)}
            </span>{" "}
            <span className="muted">
              {spanText(section)}, {BEGAN[section.began] ?? section.began}
            </span>{" "}
            <LabelBadge label={section.label} missing={section.missing} said />
          </h3>
          <p data-testid="wait-verdict">{section.verdict}</p>
          {ran === null && (
            <p className="muted" data-testid="wait-ended">
              {ENDED[section.ended] ?? section.ended}
            </p>
          )}
          <Strips section={section} strips={strips} stage={stage} />
          <WaitChain section={section} stage={stage} />
          <p className="muted wait-legend">
            <Term means={TERMS.cause}>waited for</Term>: colours as in the list;{" "}
            <Term means={TERMS.queuedOn}>queued on</Term>, a mark at each move;{" "}
            <Term means={TERMS.antagonist}>who ran there</Term>; <Term means={TERMS.idleMeanwhile}>idle</Term>
            : as high as the share of the node&apos;s CPUs.
          </p>
        </div>
        <div className="wait-sides">
          <section aria-label="Causes of the wait">
            <CauseBar causes={sums} />
            <CauseList causes={sums} testId="story-causes" sum="the whole wait" />
            {problem !== null && <p className="problem">{problem}</p>}
          </section>
          {why}
          <IdleFacts section={section} />
          {section.slept_ns !== null && (
            <p className="muted">
              Before, it had slept{" "}
              {formatDuration((parseNs(wait.waking_ns) ?? 0n) - (parseNs(section.slept_ns) ?? 0n))}
              {section.slept_in !== null && ` (${describeState(section.slept_in)})`}.
            </p>
          )}
        </div>
      </div>
    </section>
  );
}

const BEGAN: Readonly<Record<WaitSection["began"], string>> = {
  waking: "since sched_waking",
  wakeup: "since sched_wakeup",
  new: "since it was new",
  preempted: "since it was preempted",
  resumed: "since events were lost; it was already waiting",
};

/** Ends of waits whose task was not seen to get a CPU. */
const ENDED: Readonly<Record<WaitSection["ended"], string>> = {
  recording_end: "The recording ended before the task ran.",
  lost_events: "Events were lost there: the task kept waiting, or ran unseen.",
  gone: "The task exited before it ran.",
};

/** Idle CPUs, and whether they could have taken the task. */
function IdleFacts({ section }: { readonly section: WaitSection }) {
  const length = Math.max(1, section.wait.wait_ns);
  const allowed = section.idle_cpus.filter(({ allowed: may }) => may !== false);
  return (
    <section aria-label="Idle CPUs during the wait" data-testid="story-idle">
      <h3>
        <Term means={TERMS.idleMeanwhile}>Idle CPUs during the wait</Term>{" "}
        <LabelBadge label={section.idle_label} missing={section.idle_missing} />
      </h3>
      <table className="cause-list">
        <tbody>
          {section.idle_nodes.map(({ nid, cpus, idle_ns, any_ns }) => (
            <tr key={nid ?? "none"}>
              <th scope="row">{nodeWords(nid)}</th>
              <td className="num right" title={formatExactNs(idle_ns)}>
                {formatDuration(idle_ns)}
              </td>
              <td className="num right muted" title="Of all its CPUs' time">
                {cpus > 0 ? formatShare(idle_ns / (length * cpus)) : "–"}
              </td>
              <td className="num right muted" title="Time with at least one idle CPU">
                {formatShare(any_ns / length)} any
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="muted">
        {section.idle_cpus.length === 0
          ? "No CPU was idle."
          : allowed.length < section.idle_cpus.length
            ? `Its affinity is limited: ${plural(section.idle_cpus.length - allowed.length, "idle CPU")} could not take it.`
            : `${plural(section.idle_cpus.length + section.idle_cpus_more, "CPU")} idle for some of the time${
                section.idle_missing.length > 0 ? "; its affinity is not recorded" : ""
              }.`}
      </p>
    </section>
  );
}

interface StripsProps {
  readonly section: WaitSection;
  readonly strips: WaitStrips;
  readonly stage: Stage;
}

/** Colour of a cause in the present theme, for a canvas. */
function causeFill(cause: string): string {
  const probe = document.createElement("span");
  probe.style.background = causeColour(cause);
  probe.hidden = true;
  document.body.append(probe);
  const colour = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return colour;
}

function Strips({ section, strips, stage }: StripsProps) {
  const [at, setAt] = useState<number | null>(null);
  const edges = useMemo(() => stripEdges(strips), [strips]);
  // By theme: colours are requested once for each.
  const fills = useRef<{ theme: string; by: Map<string, string> }>({ theme: "", by: new Map() });
  const paint = useCallback<Paint>(
    (surface, palette) => {
      if (fills.current.theme !== palette.theme) fills.current = { theme: palette.theme, by: new Map() };
      const { by } = fills.current;
      const ink: StoryInk = {
        cause: (cause) => {
          const colour = by.get(cause) ?? causeFill(cause);
          by.set(cause, colour);
          return colour;
        },
        task: (task) => stage.taskFill(task),
        node: (nid) => stage.nodeColour(nid),
      };
      paintStory(surface, strips, at, ink, palette);
    },
    [strips, at, stage],
  );
  const canvas = useCanvas(paint, strips.idle.length);
  const press = (event: KeyboardEvent) => {
    const place = at === null ? -1 : edges.findLastIndex((edge) => edge <= at);
    const last = edges.length - 1;
    const places: Readonly<Record<string, number>> = {
      ArrowLeft: Math.max(0, place - 1),
      ArrowRight: Math.min(last, place + 1),
      Home: 0,
      End: last,
    };
    const next = edges[places[event.key] ?? -1];
    if (event.key === "Escape" && at !== null) setAt(null);
    else if (next !== undefined) setAt(next);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <canvas
        ref={canvas}
        className="wait-strips-canvas"
        style={{ height: storyHeight(strips) }}
        data-testid="wait-strips"
        role="img"
        tabIndex={0}
        aria-label={stripsSay(section, strips)}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setAt(storyTimeAt(strips, box.width, event.clientX - box.left));
        }}
        onPointerLeave={() => setAt(null)}
        onKeyDown={press}
      />
      <p className="wait-readout muted" aria-live="polite" data-testid="wait-readout">
        {at === null ? "Point at the strips, or go through them with the arrows." : momentText(strips, at)}
      </p>
    </>
  );
}

interface WaitChainProps {
  readonly section: WaitSection;
  readonly stage: Stage;
}

/** The task's waker, the waker's waker, and so on: the latest first, each an arrow further back. */
export function WaitChain({ section, stage }: WaitChainProps) {
  const start = parseNs(section.wait.waking_ns) ?? 0n;
  const fly = (hop: WakeHop) => {
    const { origin } = stage.scene;
    const at = parseNs(hop.t_ns) ?? start;
    const back = parseNs(hop.woken_ns ?? hop.ran_ns ?? hop.t_ns) ?? at;
    // A little around it, so that both ends of the arrow are seen.
    const around = Math.max(2000, Number(at - back) / 4);
    void stage.show(
      { from: toRel(origin, back) - around, to: toRel(origin, at) + around },
      { cpu: hop.cpu, at },
    );
  };
  return (
    <section className="wait-chain" aria-label="Wakeup chain">
      <h3>
        <Term means={TERMS.wakeChain}>Wakeup chain</Term>
      </h3>
      <ol data-testid="wait-chain">
        {section.chain.map((hop) => (
          <li key={`${hop.t_ns} ${hop.cpu}`}>
            <span className="chain-arrow" aria-hidden="true">
              ↑
            </span>
            <div>
              <p>
                {hop.context === "task" || hop.context === "unknown" ? (
                  <>
                    <Button className="inline" onClick={() => fly(hop)} title="Go to this task and moment">
                      {hop.comm ?? "task"} <span className="num">{hop.pid ?? "?"}</span>
                    </Button>{" "}
                    on {hopTask(hop)}
                  </>
                ) : (
                  <Button className="inline" onClick={() => fly(hop)} title="Go to this moment">
                    {hopTask(hop)}
                  </Button>
                )}{" "}
                <LabelBadge label={hop.label} missing={hop.missing} said />
              </p>
              <p className="muted">
                <span className="num">{agoText(start, hop.t_ns)}</span>
                {bystander(hop)}
                {hopBefore(hop) !== "" && <>; {hopBefore(hop)}</>}
              </p>
            </div>
          </li>
        ))}
      </ol>
      <p className="muted" data-testid="wait-chain-end">
        {STOP_WORDS[section.stop]}
      </p>
    </section>
  );
}

function agoText(start: bigint, at: string): string {
  const ago = start - (parseNs(at) ?? start);
  return ago === 0n ? "began the wait" : `${formatDuration(ago)} before the wait`;
}

/** An interrupt on a CPU with an uninvolved task. */
function bystander({ context, comm, pid }: WakeHop): string {
  if (context !== "interrupt" && context !== "softirq") return "";
  return pid === 0 || pid === null ? ", the CPU was idle" : `, while ${comm ?? "task"} ${pid} was on the CPU`;
}

type WaitsOf = Pick<LatencySection, "label" | "missing">;

interface WaitFactsProps {
  readonly wait: Wait;
  /** Provenance of the waits. */
  readonly section: WaitsOf;
  readonly stage: Stage;
}

/** Causes of a task's wait, which add up to it, and the tasks that had the CPU instead. */
export function WaitFacts({ wait, section, stage }: WaitFactsProps) {
  const problem = sumProblem(wait.causes, wait.wait_ns);
  return (
    <section className="wait-facts" aria-label="Why it waited" data-testid="wait-facts">
      <h3 title={TERMS.cause}>
        Why it waited <LabelBadge label={section.label} missing={section.missing} />
      </h3>
      <CauseBar causes={wait.causes} />
      <CauseList causes={wait.causes} testId="wait-causes" sum="the whole wait" />
      {problem !== null && <p className="problem">{problem}</p>}
      {wait.cgroup !== null && <p className="muted">In cgroup {wait.cgroup}.</p>}
      {wait.from_cpu !== wait.cpu && (
        <p className="muted">
          Became runnable on CPU {wait.from_cpu}, ran on CPU {wait.cpu}.
        </p>
      )}
      {wait.antagonists.length > 0 && (
        <>
          <h3 title={TERMS.antagonist}>Tasks that ran during the wait</h3>
          <dl className="facts antagonists">
            {wait.antagonists.map(({ task, pid, comm, ns }) => (
              <div key={task}>
                <dt>
                  <TaskButton pid={pid} comm={comm} stage={stage} />
                </dt>
                <dd className="num" title={formatExactNs(ns)}>
                  {formatDuration(ns)}
                </dd>
              </div>
            ))}
            {wait.others !== null && (
              <div>
                <dt>{plural(wait.others.tasks, "other")}</dt>
                <dd className="num" title={formatExactNs(wait.others.ns)}>
                  {formatDuration(wait.others.ns)}
                </dd>
              </div>
            )}
          </dl>
        </>
      )}
    </section>
  );
}
