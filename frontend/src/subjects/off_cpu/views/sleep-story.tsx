import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { TaskSleep } from "../../../api/types.ts";
import { asSentence } from "../../../lib/terms.ts";
import { nsOf } from "../../../lib/time.ts";
import { SectionStatus } from "../../../ui/section-parts.tsx";
import { pathQuery } from "../../machine/lanes/index.ts";
import type { PathKey } from "../../waits/lanes/index.ts";
import { PathSteps } from "./path-facts.tsx";
import "./off_cpu.css";

interface Props {
  readonly live: LiveAnalysis;
  readonly pid: number;
  readonly sleep: TaskSleep;
  /** The critical path that is open: its steps are not shown twice. */
  readonly path: PathKey | null;
}

/** The story of a sleep: one sentence, then who ended it and what that one had done since its own wakeup, and so on. */
export function SleepStory({ live, pid, sleep, path }: Props) {
  const at = nsOf(sleep.from_ns);
  const state = useSection(live.section("critical_path", "sleep"), pathQuery({ pid, at }));
  const { answer, query } = state;
  const own = query?.pid === pid && query.window?.from === at ? answer : null;
  const isShown = path?.pid === pid && path.at === at;
  return (
    <section className="sleep-story" aria-label="The sleep" data-testid="sleep-story">
      <p>{sleep.summary}</p>
      {own?.available ? !isShown && <PathSteps path={own} live={live} /> : <SectionStatus state={state} />}
      {own && !own.available && <p className="muted">{asSentence(own.reason)}</p>}
    </section>
  );
}
