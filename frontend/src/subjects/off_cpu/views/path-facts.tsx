import { useEffect } from "react";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { CriticalPathSection, PathStep } from "../../../api/types.ts";
import { causeTitle } from "../../../lib/causes.ts";
import { formatDuration, formatExactNs, formatShare, formatTime, plural } from "../../../lib/format.ts";
import { asSentence, TERMS } from "../../../lib/terms.ts";
import { type Span, toRel } from "../../../lib/time.ts";
import { PinTask } from "../../../timeline/frame/pinned-lanes.tsx";
import { Button } from "../../../ui/fields.tsx";
import { LabelBadge, SectionStatus, Term } from "../../../ui/section-parts.tsx";
import { pathQuery } from "../../machine/lanes/index.ts";
import { litPath, type PathKey, pathPids, pathSpan } from "../../waits/lanes/index.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly path: PathKey;
}

/** The critical path of a wait or a sleep: each step with its time, the latest first, linked to its moment. */
export function PathFacts({ live, path }: Props) {
  const { stage } = live;
  const state = useSection(live.section("critical_path"), pathQuery(path));
  const { answer, query } = state;
  const own = query?.pid === path.pid && query.window?.from === path.at ? answer : null;
  const found = own?.available ? own : null;
  useEffect(() => {
    if (!found) return undefined;
    stage.light(litPath(found, stage.scene), "path");
    return () => stage.light(null, "path");
  }, [found, stage]);
  return (
    <section className="path-facts" aria-label="Critical path" data-testid="critical-path">
      <header>
        <h2>
          <Term means={TERMS.criticalPath}>Critical path</Term>
        </h2>
        {found && <LabelBadge label={found.label} missing={found.missing} />}
        {found && (
          <Button
            title={`Show the whole path, from ${formatTime(BigInt(found.begin_ns))} on`}
            onClick={() => void stage.show(pathSpan(found, stage.scene.origin))}
          >
            fit
          </Button>
        )}
        <Button
          className="quiet"
          aria-label="Close the critical path"
          title="Close it (Esc)"
          onClick={() => live.showPath(null)}
        >
          ×
        </Button>
      </header>
      <SectionStatus state={state} />
      {own && !own.available && <p>{asSentence(own.reason)}</p>}
      {found && <PathSteps path={found} live={live} />}
    </section>
  );
}

export function PathSteps({
  path,
  live,
}: {
  readonly path: CriticalPathSection;
  readonly live: LiveAnalysis;
}) {
  const whole = Number(BigInt(path.end_ns) - BigInt(path.begin_ns));
  const lanes = pathPids(path).length;
  const tasks = new Set(path.steps.map(({ pid }) => pid)).size;
  return (
    <>
      <p>
        {path.comm} <span className="num">{path.pid}</span> got a CPU again after{" "}
        <span className="num">{formatDuration(whole)}</span>. Each step ended when it woke the one above:
      </p>
      <ol className="path-steps" data-testid="path-steps">
        {path.steps.map((step, place) => (
          <Step
            key={step.to_ns}
            step={step}
            first={place === 0 && step.pid === path.pid}
            whole={whole}
            live={live}
          />
        ))}
        <li className="path-end" data-testid="path-end">
          {path.rest_ns > 0 && (
            <p>
              <span className="num path-time">{formatDuration(path.rest_ns)}</span> {restWords(path)}
            </p>
          )}
          <p className="muted">{stopWords(path)}</p>
        </li>
      </ol>
      {tasks > lanes && (
        <p className="muted">
          Lanes of {lanes} of its {tasks} tasks are shown: pin the others.
        </p>
      )}
    </>
  );
}

interface StepProps {
  readonly step: PathStep;
  /** The wait itself. */
  readonly first: boolean;
  /** Length of the whole path, ns. */
  readonly whole: number;
  readonly live: LiveAnalysis;
}

function Step({ step, first, whole, live }: StepProps) {
  const { stage } = live;
  const { pid, comm, label, missing } = step;
  const length = Number(BigInt(step.to_ns) - BigInt(step.from_ns));
  const last = step.parts.at(-1);
  const go = () => {
    const at = BigInt(step.to_ns) - 1n;
    const ran = last?.state === "running" && last.cpu !== null ? { cpu: last.cpu, at } : null;
    void stage.show(around(step, stage.scene.origin), ran);
  };
  return (
    <li>
      <p>
        <span className="num path-time" title={formatExactNs(length)}>
          {formatDuration(length)}
        </span>{" "}
        <Button className="inline" onClick={go} title="Go to this task and moment">
          {comm} <span className="num">{pid}</span>
        </Button>
        <PinTask pid={pid} name={comm} stage={stage} />
        {!first && <LabelBadge label={label} missing={missing} />}
      </p>
      <progress
        className="path-share"
        max={Math.max(1, whole)}
        value={length}
        aria-label="Share of the path"
        title={whole > 0 ? `${formatShare(length / whole)} of the path` : undefined}
      />
      <p className="muted">
        {didWords(step)} <Waits step={step} live={live} />
      </p>
      {step.parts_more > 0 && (
        <p className="muted">{plural(step.parts_more, "earlier part")} of this step not shown.</p>
      )}
    </li>
  );
}

/** Causes of its longest wait, to be opened. */
function Waits({ step, live }: Pick<StepProps, "step" | "live">) {
  const waits = step.parts.flatMap((part) => {
    // The whole wait, also what of it was before the path.
    const ns = Number(BigInt(part.to_ns) - BigInt(part.since_ns));
    return part.state === "running" || part.cpu === null ? [] : [{ ...part, cpu: part.cpu, ns }];
  });
  const [longest] = waits.toSorted((a, b) => b.ns - a.ns);
  if (!longest) return null;
  const { since_ns, to_ns, cpu, cause, ns } = longest;
  const wait = { pid: step.pid, cpu, from: BigInt(since_ns), to: BigInt(to_ns) };
  return (
    <>
      ({cause !== null && `${causeTitle(cause)}; `}
      <Button
        className="inline"
        onClick={() => live.setDrawer({ tab: "latency", wait })}
        title={`Open its longest wait, ${formatDuration(ns)}, and see the tasks that had the CPU`}
      >
        open the wait
      </Button>
      )
    </>
  );
}

/** A little around it, so that both ends of the arrow are seen. */
function around({ from_ns, to_ns }: PathStep, origin: bigint): Span {
  const [from, to] = [toRel(origin, BigInt(from_ns)), toRel(origin, BigInt(to_ns))];
  const air = Math.max(2000, (to - from) / 4);
  return { from: from - air, to: to + air };
}

/** `ran 15 µs on CPU 1, waited 5 µs for a CPU`. */
export function didWords({ run_ns, wait_ns, parts }: PathStep): string {
  const cpus = [
    ...new Set(parts.flatMap(({ state, cpu }) => (state === "running" && cpu !== null ? [cpu] : []))),
  ];
  const on = cpus.length === 1 ? ` on CPU ${cpus[0]}` : cpus.length > 1 ? ` on ${cpus.length} CPUs` : "";
  const did = [
    ...(wait_ns > 0 ? [`waited ${formatDuration(wait_ns)} for a CPU`] : []),
    ...(run_ns > 0 ? [`ran ${formatDuration(run_ns)}${on}`] : []),
  ];
  return did.join(", ") || "was not seen running";
}

/** Task that slept before the last step, and the end of its sleep. */
export function restWords(path: CriticalPathSection): string {
  const { stop, steps } = path;
  const last = steps.at(-1);
  const who = `${last?.comm ?? path.comm} ${last?.pid ?? path.pid}`;
  const woken = last?.woken;
  switch (stop) {
    case "interrupt":
    case "softirq": {
      const by = stop === "interrupt" ? "an interrupt" : "a softirq";
      const bystander = woken?.pid ? " (the task on the CPU was not involved)" : "";
      return `${who} slept until it was woken from ${by} on CPU ${woken?.cpu ?? "?"}${bystander}`;
    }
    case "idle":
      return `${who} slept until the idle task of CPU ${woken?.cpu ?? "?"} woke it`;
    default:
      return `${who} slept; its waker is not shown`;
  }
}

const STOPS: Readonly<Record<CriticalPathSection["stop"], string>> = {
  interrupt: "Path starts here: an interrupt, such as a timer's or a device's, waits for no task.",
  softirq: "Path starts here: a softirq, such as a timer's or the network's, waits for no task.",
  idle: "Path starts here: the idle task waits for no task.",
  ran_already: "Path starts here: this task was already awake when the sleep began.",
  preempted:
    "It needed no wakeup: it lost its CPU and waited for one. Open the wait to see the task that had the CPU.",
  created: "Path starts here: the task was new.",
  limit: "The path continues; no more steps are listed.",
  not_recorded: "What came before was not recorded.",
  lost_events: "Events were lost there: what came before is unknown.",
};

export function stopWords({ stop, steps }: CriticalPathSection): string {
  return stop === "limit" ? `The path continues; its latest ${steps.length} steps are listed.` : STOPS[stop];
}
