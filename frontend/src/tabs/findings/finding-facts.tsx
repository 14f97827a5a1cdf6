import { kindWords } from "../../analysis/finding-words.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Finding } from "../../api/types.ts";
import { impactText, type Keyed, kindText } from "../../lib/findings.ts";
import { formatDuration } from "../../lib/format.ts";
import { missingText } from "../../lib/section-words.ts";
import { StepButtons, TaskButton, TimeFact } from "../../timeline/frame/picked-facts.tsx";
import { Fact, LabelBadge } from "../../ui/section-parts.tsx";

interface Props {
  readonly keyed: Keyed<Finding>;
  readonly live: LiveAnalysis;
  /** Writes about it; null for who may not. */
  readonly onReport: (() => void) | null;
}

/** The rest of a long list of tasks stands in the table. */
const MOST_TASKS = 8;

/** A finding explained: what happened, what that means, the numbers, and where the evidence is. */
export function FindingFacts({ keyed, live, onReport }: Props) {
  const { finding } = keyed;
  const { means, evidence } = kindWords(finding.id);
  return (
    <section className="finding-facts" aria-label="Finding" data-testid="finding-facts">
      <header>
        <h2>{kindText(finding.id)}</h2>
        <LabelBadge label={finding.label} missing={finding.missing} />
      </header>
      <StepButtons
        titles={["Previous finding ([)", "Show all of it again", "Next finding (])"]}
        onStep={(step) => (step === "fit-selection" ? live.openFinding(keyed) : live.stepFinding(step))}
      />
      <p className="summary" data-testid="finding-summary">
        {finding.summary}
      </p>
      <p className="muted summary" data-testid="finding-means">
        {means}
      </p>
      <dl className="facts">
        <Fact name="cost" title="Time that it cost, summed over those who waited" className="num cost">
          {impactText(finding.impact_ms)}
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
        {finding.pids.length > 0 && (
          <Fact name={finding.pids.length === 1 ? "task" : "tasks"} className="finding-tasks">
            {finding.pids.slice(0, MOST_TASKS).map((pid) => (
              <TaskButton key={pid} pid={pid} stage={live.stage} />
            ))}
            {finding.pids.length > MOST_TASKS && (
              <span className="muted">and {finding.pids.length - MOST_TASKS} more</span>
            )}
          </Fact>
        )}
      </dl>
      {finding.missing.length > 0 && <p className="muted">It {missingText(finding.missing)}.</p>}
      <p>
        <button
          type="button"
          className="evidence"
          onClick={() => live.showEvidence(finding.id)}
          title="The table that it was found in (e)"
        >
          Evidence: {evidence.words}
        </button>
        {onReport && (
          <button type="button" onClick={onReport} title="Write about it, or put it into a report (r)">
            Report…
          </button>
        )}
      </p>
    </section>
  );
}
