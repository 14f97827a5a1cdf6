import { kindWords } from "../../analysis/finding-words.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Finding } from "../../api/types.ts";
import { impactText, type Keyed, kindText, occurrenceText } from "../../lib/findings.ts";
import { formatAbs, formatCount, formatDuration, plural } from "../../lib/format.ts";
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
      {finding.what_if && (
        <p className="muted summary" data-testid="finding-what-if">
          <LabelBadge label={finding.what_if.label} /> Without it tasks would have waited{" "}
          {impactText(finding.what_if.waiting_ms)} in all, the longest wait{" "}
          {impactText(finding.what_if.longest_wait_ms)}.
        </p>
      )}
      <Occurrences finding={finding} live={live} />
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

/** Its places, the worst first: each a press away. */
function Occurrences({ finding, live }: Pick<Props, "live"> & { readonly finding: Finding }) {
  const { count, worst } = finding.occurrences;
  return (
    <>
      <h3 id="finding-occurrences">
        {plural(count, "occurrence")}
        {count > 1 && ", the worst first"}
      </h3>
      <ol className="occurrences" aria-labelledby="finding-occurrences" data-testid="finding-occurrences">
        {worst.map((one) => (
          <li key={`${one.from_ns}.${one.to_ns}.${one.pids.join()}.${one.cpus.join()}`}>
            <button
              type="button"
              className="inline num"
              onClick={() => live.goToOccurrence(finding.id, one)}
              title="Go there"
            >
              {formatAbs(BigInt(one.from_ns), 3)} s, {formatDuration(BigInt(one.to_ns) - BigInt(one.from_ns))}
            </button>{" "}
            <span className="num">{impactText(one.cost_ms)}</span>{" "}
            <span className="muted">{occurrenceText(one)}</span>
          </li>
        ))}
      </ol>
      {count > worst.length && <p className="muted">and {formatCount(count - worst.length)} more</p>}
    </>
  );
}
