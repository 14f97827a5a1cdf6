import { useMemo } from "react";
import { kindWords } from "../../analysis/finding-words.ts";
import type { FindingPlace } from "../../analysis/incident.ts";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { useOptionalSection } from "../../analysis/use-section.ts";
import { isAboutWaits } from "../../analysis/waits.ts";
import type { Attempt, IlbEvent } from "../../api/types.ts";
import { formatAbs, formatCount } from "../../lib/format.ts";
import { kickFact } from "../../panels/ilb/describe-ilb.ts";
import { KICKS_LANE } from "../../panels/ilb/ilb-panel.ts";
import { attemptFact } from "../../panels/nodes/mark-facts.ts";
import type { EventFact } from "../../timeline/event-fact.ts";

interface Props {
  readonly live: LiveAnalysis;
  readonly place: FindingPlace;
}

/** An event that a finding was found in, and the lane that it stands on. */
interface PlacedEvent {
  readonly lane: string;
  readonly words: EventFact;
  readonly task: string;
}

/** So many are listed; the timeline and the table of the evidence have all. */
const MOST_EVENTS = 20;

/** The very attempts or kicks of an occurrence, by time: each is picked on its lane. */
export function PlaceEvents({ live, place }: Props) {
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
      <ol className="occurrences" aria-labelledby="finding-events" data-testid="finding-events">
        {events.slice(0, MOST_EVENTS).map(({ lane, words, task }) => (
          <li key={`${lane}@${words.fact.at}`}>
            <button
              type="button"
              className="inline num"
              onClick={() => live.stage.pick(lane, words)}
              title="All that is known of it, and its mark on the timeline"
            >
              {formatAbs(words.fact.at, 6)} s
            </button>{" "}
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
  return tab === "balancers" && panel !== "memory" ? "attempts" : null;
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

/** Those of the finding's tasks, where it names any that tried. */
function attemptEvents(attempts: readonly Attempt[], pids: readonly number[]): readonly PlacedEvent[] {
  const own = attempts.filter(({ pid }) => pids.includes(pid));
  return (own.length > 0 ? own : attempts).map((attempt) => ({
    lane: `cpu:${attempt.src_cpu >= 0 ? attempt.src_cpu : attempt.cpu}`,
    words: attemptFact(attempt),
    task: `${attempt.comm} ${attempt.pid}`,
  }));
}
