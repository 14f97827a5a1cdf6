import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { useSection } from "../../../analysis/use-section.ts";
import { parseNs } from "../../../lib/time.ts";
import { LabelBadge } from "../../../ui/section-parts.tsx";
import {
  chosenText,
  missedText,
  type Placements,
  placementOf,
  reasonRows,
  whatIfTexts,
} from "./placement.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly pid: number;
  /** Begin of the wait that followed the wakeup. */
  readonly at: bigint;
}

/** Reasons for which a wakeup or fork placed the task on its CPU, and the idle CPU that it missed. */
export function WhyThisCpu({ live, pid, at }: Props) {
  const source = live.section("wakeup_placement", "wait");
  const { answer } = useSection(source, { window: { from: at, to: at + 1n }, pid });
  if (!answer?.available || parseNs(answer.from_ns) !== at) return null;
  return <Placement answer={answer} pid={pid} />;
}

/** The placement of a task in the answer, if there is one. */
export function Placement({ answer, pid }: { readonly answer: Placements; readonly pid: number }) {
  const row = placementOf(answer, pid);
  if (!row) return null;
  const missed = missedText(row);
  return (
    <section aria-label="Why this CPU" data-testid="why-this-cpu">
      <h3>
        Why this CPU <LabelBadge label={row.label} missing={answer.missing} />
      </h3>
      <p>{chosenText(row)}</p>
      <ul>
        {reasonRows(row.reasons).map(({ id, rule, title, meaning, kernel }) => (
          <li key={id} title={kernel}>
            <b>{title}</b> <span className="muted">{rule}</span>: {meaning}
          </li>
        ))}
      </ul>
      {missed !== null && <p className="warn">{missed}</p>}
      {whatIfTexts(answer).map(({ id, text, label }) => (
        <p key={id} className="muted">
          {text} <LabelBadge label={label} />
        </p>
      ))}
    </section>
  );
}
