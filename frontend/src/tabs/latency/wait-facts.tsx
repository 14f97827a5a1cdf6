import type { LatencySection, Wait } from "../../api/types.ts";
import { sumProblem } from "../../lib/causes.ts";
import { formatDuration, formatExactNs, plural } from "../../lib/format.ts";
import { TERMS } from "../../lib/terms.ts";
import { TaskButton } from "../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../timeline/stage/stage.ts";
import { CauseBar, CauseList } from "../../ui/canvas/cause-bar.tsx";
import { LabelBadge } from "../../ui/section-parts.tsx";

type WaitsOf = Pick<LatencySection, "label" | "missing">;

interface Props {
  readonly wait: Wait;
  /** How well the waits are known. */
  readonly section: WaitsOf;
  readonly stage: Stage;
}

/** Why a task waited: causes that add up to the wait, and who had the CPU instead. */
export function WaitFacts({ wait, section, stage }: Props) {
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
          Woken for CPU {wait.from_cpu}, ran on CPU {wait.cpu}.
        </p>
      )}
      {wait.antagonists.length > 0 && (
        <>
          <h3 title={TERMS.antagonist}>Who ran meanwhile</h3>
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
