import { Fragment, useState } from "react";
import type { ExplainedWait, Incident } from "../../analysis/incident.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type { Finding, FindingsSection, MissingPart, TimeWindow, Wait } from "../../api/types.ts";
import {
  aboutText,
  costliest,
  type FindingGroup,
  groupFindings,
  impactText,
  type Keyed,
  kindText,
  placesOf,
} from "../../lib/findings.ts";
import { formatCount, formatDuration, formatTime, plural } from "../../lib/format.ts";
import { taskName } from "../../lib/rank-tasks.ts";
import { asSentence } from "../../lib/terms.ts";
import { nsOf } from "../../lib/time.ts";
import { Button } from "../../ui/fields.tsx";
import { oneStop } from "../../ui/one-stop.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly state: SectionState<FindingsSection | MissingPart>;
  /** Worst first. */
  readonly ranked: readonly Keyed<Finding>[];
  readonly incident: Incident;
}

/** Number of causes above the timeline; the others are listed below it. */
const MOST_CAUSES = 3;

/**
 * The verdict in one line over the worst kinds of findings as chips. Their causes are below on demand: the
 * timeline has the space.
 */
export function IncidentView({ live, state, ranked, incident }: Props) {
  const [open, setOpen] = useState(false);
  const { answer, problem } = state;
  const costly = ranked.filter(({ finding }) => finding.impact_ms > 0);
  const groups = groupFindings(costly.length > 0 ? costly : ranked).slice(0, MOST_CAUSES);
  const worst = costliest(groups.map(({ findings: [first] }) => first));
  const quality = answer?.available ? answer.quality : [];
  const text =
    problem ??
    (answer ? (answer.available ? answer.headline.summary : asSentence(answer.reason)) : "Computing…");
  return (
    <section
      className={open ? "incident open" : "incident"}
      aria-label="What happened"
      aria-busy={!answer && problem === null}
    >
      <Headline text={text} />
      <div className="cause-line">
        {groups.length > 0 && (
          <ol className="causes" aria-label="Worst findings" data-testid="causes" ref={oneStop}>
            {groups.map((group) => (
              <li key={group.id}>
                <Cause
                  live={live}
                  group={group}
                  costliest={worst !== null && group.findings.includes(worst)}
                  chosen={incident.place?.keyed.key ?? null}
                  open={open}
                />
              </li>
            ))}
          </ol>
        )}
        <WorstWait live={live} incident={incident} />
        {quality.length > 0 && (
          <Button
            className="badge"
            data-testid="quality"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            title="Checks of the replay that failed, and what the recording lacks"
          >
            Data quality: {plural(quality.length, "note")}
          </Button>
        )}
        {answer?.available && (
          <Button
            className="quiet"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            title="Places of the worst findings, and causes of the longest waits"
          >
            {open ? "Less" : "Details"}
          </Button>
        )}
      </div>
      {open && <Waits live={live} incident={incident} />}
      {open && quality.length > 0 && (
        <ul className="quality" aria-label="Data quality">
          {quality.map(({ id, summary }) => (
            <li key={`${id} ${summary}`}>{summary}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The verdict by sentences, so that none is cut. */
function Headline({ text }: { readonly text: string }) {
  const [first, ...more] = text.split(/(?<=\.) /);
  return (
    <p className="headline" data-testid="headline" title={text}>
      {first}
      {more.length > 0 && (
        <span>
          {more.map((sentence) => (
            <Fragment key={sentence}>
              {" "}
              <b>{sentence}</b>
            </Fragment>
          ))}
        </span>
      )}
    </p>
  );
}

/** Goes to the worst wait of the place, else to the longest of all. */
function WorstWait({ live, incident: { place, worst, longest, whole } }: Pick<Props, "live" | "incident">) {
  const explained = worst ?? longest;
  const window = worst ? place?.window : whole;
  if (!explained || !window) return null;
  const { wait, story, loading } = explained;
  return (
    <Button
      className="cause worst-wait"
      data-testid="worst-wait-chip"
      aria-busy={loading}
      onClick={() => live.openWait(wait, window)}
      title={story?.verdict ?? waitText(wait)}
    >
      <span className="cause-name">
        {worst ? "Worst wait here" : "Longest wait"}: {wait.comm} ({wait.pid})
      </span>
      <span className="num">{formatDuration(wait.wait_ns)}</span>
    </Button>
  );
}

interface CauseProps {
  readonly live: LiveAnalysis;
  readonly group: FindingGroup<Finding>;
  /** Key of the opened finding. */
  readonly chosen: string | null;
  /** True for the most expensive of those that are shown. */
  readonly costliest: boolean;
  /** If true, also shows the worst place. */
  readonly open: boolean;
}

/** A kind of finding and its cost; a click goes to its worst occurrence. */
function Cause({ live, group, chosen, costliest, open }: CauseProps) {
  const [worst] = group.findings;
  const { finding } = worst;
  const [place] = placesOf(finding);
  const at = nsOf(place?.from_ns ?? finding.from_ns);
  const length = nsOf(place?.to_ns ?? finding.to_ns) - at;
  const more = group.findings.length;
  return (
    <Button
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
      <span className={costliest ? "cost num" : "num"}>{impactText(finding.impact_ms)}</span>
      {open && (
        <span className="cause-place muted">
          {[whoText(live, finding), `worst at ${formatTime(at, 3)}, ${formatDuration(length)}`]
            .filter((text) => text !== "")
            .join("\u00a0· ")}
        </span>
      )}
    </Button>
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
        {story?.verdict ?? waitText(wait)}
      </span>{" "}
      <Button
        className="inline"
        onClick={() => live.openWait(wait, window)}
        title="Its causes part by part, the tasks that ran, idle CPUs, and the wakeup chain"
      >
        open this wait
      </Button>
    </p>
  );
}

function waitText({ comm, pid, wait_ns, cpu }: Wait): string {
  return `${comm} (${pid}) waited ${formatDuration(wait_ns)} on CPU ${cpu}.`;
}

/** Affected tasks: `busy-1 (793) and 255 more`, otherwise the place. */
function whoText(live: LiveAnalysis, finding: Finding): string {
  const [pid] = finding.pids;
  if (pid === undefined) return aboutText(finding);
  const name = taskName(live.stage.scene.tasks, pid);
  const others = finding.tasks - 1;
  return `${name === null ? pid : `${name} (${pid})`}${others > 0 ? ` and ${formatCount(others)} more` : ""}`;
}
