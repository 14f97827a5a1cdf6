import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { shownWindow, useSection } from "../../analysis/use-section.ts";
import type { Thread, ThreadsSection } from "../../api/types.ts";
import { plural } from "../../lib/format.ts";
import { USUAL_NAV } from "../../lib/navigator.ts";
import type { Together } from "../../subjects/machine/lanes/index.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { Button } from "../../ui/fields.tsx";
import { LabelBadge, SectionStatus } from "../../ui/section-parts.tsx";
import { TaskStates } from "./task-states.tsx";

/** More are in the navigator. */
const MOST = 12;

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  readonly of: Together;
}

/** The threads of a process or a cgroup: what each waited and ran in the window, and a way to it. */
export function ThreadsFacts({ live, snapshot, of }: Props) {
  const state = useSection(live.section("threads"), { window: shownWindow(live.stage, snapshot) });
  const answer = state.answer?.available ? state.answer : null;
  if (!answer) return <SectionStatus state={state} />;
  const threads = threadsOf(answer, of);
  const filter = of.kind === "process" ? String(of.number) : (pathOf(answer, of.number) ?? "");
  return (
    <section aria-label="Its threads in the window" data-testid="threads-facts">
      <h3>
        Its threads in the window <LabelBadge label={answer.label} missing={answer.missing} />
      </h3>
      {threads.length === 0 && <p className="muted">None of its threads is in this recording.</p>}
      <TaskStates heading="thread" rows={threads.slice(0, MOST)} stage={live.stage} testId="thread-states" />
      <Button
        className="inline"
        onClick={() => live.setDrawer({ navigator: { ...USUAL_NAV, open: true, by: of.kind, filter } })}
      >
        {plural(threads.length, "thread")} in the navigator
      </Button>
    </section>
  );
}

function pathOf({ cgroups }: Pick<ThreadsSection, "cgroups">, lane: number): string | null {
  return cgroups.find((cgroup) => cgroup.lane === lane)?.path ?? null;
}

/** Threads, those that waited longest first. A cgroup also has those of the cgroups below. */
export function threadsOf(
  section: Pick<ThreadsSection, "threads" | "cgroups">,
  { kind, number }: Together,
): readonly Thread[] {
  const path = kind === "cgroup" ? pathOf(section, number) : null;
  const inside = ({ tgid, cgroup }: Thread) => {
    if (kind === "process") return tgid === number;
    const own = cgroup === null ? undefined : section.cgroups[cgroup]?.path;
    return path !== null && (own === path || own?.startsWith(`${path}/`) === true);
  };
  return section.threads
    .filter(inside)
    .toSorted((a, b) => b.wait_ns - a.wait_ns || b.run_ns - a.run_ns || a.pid - b.pid);
}
