import type { ExplainedWait, Incident } from "../../analysis/incident.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type { Finding, FindingsSection, MissingPart, TimeWindow } from "../../api/types.ts";
import {
  aboutText,
  type FindingGroup,
  groupFindings,
  impactText,
  type Keyed,
  kindText,
  placesOf,
} from "../../lib/findings.ts";
import { formatAbs, formatCount, formatDuration } from "../../lib/format.ts";
import { taskName } from "../../lib/rank-tasks.ts";
import { asSentence } from "../../lib/terms.ts";
import { nsOf } from "../../lib/time.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly state: SectionState<FindingsSection | MissingPart>;
  /** Worst first. */
  readonly ranked: readonly Keyed<Finding>[];
  readonly incident: Incident;
}

/** So many causes stand above the timeline; the others are listed below it. */
const MOST_CAUSES = 3;

/** The window in one sentence, the worst kinds of findings, and why the longest wait was one. */
export function IncidentView({ live, state, ranked, incident }: Props) {
  const { answer, problem } = state;
  const costly = ranked.filter(({ finding }) => finding.impact_ms > 0);
  const groups = groupFindings(costly.length > 0 ? costly : ranked).slice(0, MOST_CAUSES);
  return (
    <section className="incident" aria-label="What happened" aria-busy={!answer && problem === null}>
      <p className="headline" data-testid="headline">
        {problem ??
          (answer ? (answer.available ? answer.headline.summary : asSentence(answer.reason)) : "Computing…")}
      </p>
      {groups.length > 0 && (
        <ol className="causes" aria-label="Worst findings" data-testid="causes">
          {groups.map((group) => (
            <li key={group.id}>
              <Cause live={live} group={group} chosen={incident.place?.keyed.key ?? null} />
            </li>
          ))}
        </ol>
      )}
      {answer?.available && <Waits live={live} incident={incident} />}
    </section>
  );
}

interface CauseProps {
  readonly live: LiveAnalysis;
  readonly group: FindingGroup<Finding>;
  /** Key of the finding that was gone to. */
  readonly chosen: string | null;
}

/** A kind of finding: what it cost, whom, and where it was worst; a press away. */
function Cause({ live, group, chosen }: CauseProps) {
  const [worst] = group.findings;
  const { finding } = worst;
  const [place] = placesOf(finding);
  const at = nsOf(place?.from_ns ?? finding.from_ns);
  const length = nsOf(place?.to_ns ?? finding.to_ns) - at;
  const more = group.findings.length;
  return (
    <button
      type="button"
      className="cause"
      aria-pressed={group.findings.some(({ key }) => key === chosen)}
      onClick={() => live.openFinding(worst)}
      title={finding.summary}
    >
      <span className="cause-name">
        <b>{kindText(finding.id)}</b>
        {more > 1 && (
          <span
            className="muted num"
            title={`${more} findings of this kind; the numbers are the worst one's`}
          >
            {" "}
            × {more}
          </span>
        )}
      </span>
      <span className="cost num">{impactText(finding.impact_ms)}</span>
      <span className="cause-place muted">
        {[whoText(live, finding), `worst at ${formatAbs(at, 3)} s, ${formatDuration(length)}`]
          .filter((text) => text !== "")
          .join("\u00a0· ")}
      </span>
    </button>
  );
}

/** The sentences that name what the worst wait of the place, and the longest of all, were spent on. */
function Waits({ live, incident }: Pick<Props, "live" | "incident">) {
  const { place, worst, longest, whole, loading } = incident;
  const same = worst?.wait.waking_ns === longest?.wait.waking_ns && worst?.wait.pid === longest?.wait.pid;
  if (!worst && !longest && !loading) return null;
  return (
    <div className="wait-sentences">
      {!worst && !longest && <p className="muted">Looking for the longest wait…</p>}
      {worst && place && (
        <WaitSentence
          live={live}
          explained={worst}
          window={place.window}
          name={same ? "Longest wait" : "Worst wait here"}
          testId="worst-wait"
        />
      )}
      {longest && whole && !(worst && same) && (
        <WaitSentence
          live={live}
          explained={longest}
          window={whole}
          name={worst ? "Longest of all" : "Longest wait"}
          testId="longest-wait"
        />
      )}
    </div>
  );
}

interface SentenceProps extends Pick<Props, "live"> {
  readonly explained: ExplainedWait;
  /** Of the list that it is in. */
  readonly window: TimeWindow;
  readonly name: string;
  readonly testId: string;
}

function WaitSentence({ live, explained: { wait, story, loading }, window, name, testId }: SentenceProps) {
  return (
    <p>
      <span className="muted">{name}:</span>{" "}
      <span data-testid={testId} aria-busy={loading}>
        {story?.verdict ??
          `${wait.comm} (${wait.pid}) waited ${formatDuration(wait.wait_ns)} on CPU ${wait.cpu}.`}
      </span>{" "}
      <button
        type="button"
        className="inline"
        onClick={() => live.openWait(wait, window)}
        title="Its causes part by part, who ran meanwhile, idle CPUs, and the wakeup chain"
      >
        open this wait
      </button>
    </p>
  );
}

/** Whom it cost: `busy-1 (793) and 255 more`, else where. */
function whoText(live: LiveAnalysis, finding: Finding): string {
  const [pid] = finding.pids;
  if (pid === undefined) return aboutText(finding);
  const name = taskName(live.stage.scene.tasks, pid);
  const others = finding.tasks - 1;
  return `${name === null ? pid : `${name} (${pid})`}${others > 0 ? ` and ${formatCount(others)} more` : ""}`;
}
