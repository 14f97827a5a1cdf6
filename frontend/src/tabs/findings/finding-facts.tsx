import { kindWords } from "../../analysis/finding-words.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Finding } from "../../api/types.ts";
import { impactText, type Keyed, kindText } from "../../lib/findings.ts";
import { formatAbs, formatDuration } from "../../lib/format.ts";
import { missingText } from "../../lib/section-words.ts";
import { TaskButton } from "../../timeline/frame/picked-facts.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { LabelBadge } from "../../ui/section-parts.tsx";

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
  const { stage } = live;
  const [from, to] = [BigInt(finding.from_ns), BigInt(finding.to_ns)];
  return (
    <section className="finding-facts" aria-label="Finding" data-testid="finding-facts">
      <header>
        <h2>{kindText(finding.id)}</h2>
        <LabelBadge label={finding.label} missing={finding.missing} />
      </header>
      <div className="step-buttons">
        <button type="button" onClick={() => live.stepFinding("previous")} title="Previous finding ([)">
          ‹ previous
        </button>
        <button type="button" onClick={() => live.openFinding(keyed)} title="Show all of it again">
          fit
        </button>
        <button type="button" onClick={() => live.stepFinding("next")} title="Next finding (])">
          next ›
        </button>
      </div>
      <p className="summary" data-testid="finding-summary">
        {finding.summary}
      </p>
      <p className="muted summary" data-testid="finding-means">
        {means}
      </p>
      <dl className="facts">
        <dt title="Time that it cost, summed over those who waited">cost</dt>
        <dd className="num cost">{impactText(finding.impact_ms)}</dd>
        <dt>severity</dt>
        <dd>
          <span className={`severity severity-${finding.severity}`}>{finding.severity}</span>
        </dd>
        <dt>start</dt>
        <dd>
          <span className="num">{formatAbs(from)}</span>
          <CopyButton text={finding.from_ns} label="Copy start in ns" />
        </dd>
        <dt>duration</dt>
        <dd className="num">{formatDuration(to - from)}</dd>
        {finding.nodes.length > 0 && (
          <>
            <dt>{finding.nodes.length === 1 ? "node" : "nodes"}</dt>
            <dd className="num">{finding.nodes.join(", ")}</dd>
          </>
        )}
        {finding.cgroup && (
          <>
            <dt>cgroup</dt>
            <dd className="mono">{finding.cgroup}</dd>
          </>
        )}
        {finding.pids.length > 0 && (
          <>
            <dt>{finding.pids.length === 1 ? "task" : "tasks"}</dt>
            <dd className="finding-tasks">
              {finding.pids.slice(0, MOST_TASKS).map((pid) => (
                <TaskButton key={pid} pid={pid} stage={stage} />
              ))}
              {finding.pids.length > MOST_TASKS && (
                <span className="muted">and {finding.pids.length - MOST_TASKS} more</span>
              )}
            </dd>
          </>
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
