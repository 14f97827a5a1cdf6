import type { TaskSection } from "../../../api/types.ts";
import { formatCount, formatDuration, formatTime, plural } from "../../../lib/format.ts";
import { missingText } from "../../../lib/terms.ts";
import { toRel } from "../../../lib/time.ts";
import { TaskButton } from "../../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { Button } from "../../../ui/fields.tsx";
import { oneStop } from "../../../ui/one-stop.ts";
import { verdictWord } from "../../numa_balancing/lanes/index.ts";

/** Rows of a list that are seen at first. */
const MOST = 8;

interface WakeupsProps {
  readonly section: TaskSection;
  readonly stage: Stage;
  /** Opens the wait that follows a wakeup. */
  readonly onWait: (wakeup: TaskSection["wakeups"][number]) => void;
}

/** Wakeups of a task in the window, ascending in time. */
export function TaskWakeups({ section: { wakeups, wakeup_count: count }, stage, onWait }: WakeupsProps) {
  if (count === 0) return null;
  return (
    <details className="task-history" data-testid="task-wakeups" open={count <= MOST}>
      <summary>Its {plural(count, "wakeup")}</summary>
      <ol ref={oneStop}>
        {wakeups.map((wakeup) => (
          <li key={`${wakeup.waking_ns} ${wakeup.switch_in_ns}`}>
            <Button
              className="inline num"
              onClick={() => onWait(wakeup)}
              title={`Open the wait after this wakeup, on CPU ${wakeup.cpu}`}
            >
              {formatTime(BigInt(wakeup.waking_ns), 6)}
            </Button>{" "}
            by <TaskButton pid={wakeup.waker_pid} comm={wakeup.waker_comm} stage={stage} />{" "}
            <span className="num muted" title="Wait from the wakeup until it ran">
              {formatDuration(wakeup.wait_ns)}
            </span>
          </li>
        ))}
      </ol>
      <More all={count} listed={wakeups.length} />
    </details>
  );
}

function More({ all, listed }: { readonly all: number; readonly listed: number }) {
  if (all <= listed) return null;
  return <p className="muted">and {formatCount(all - listed)} more: select a shorter range to list them</p>;
}

type Decisions = TaskSection["decisions"];
type Decision = Decisions["listed"][number];

/** Decisions of the balancers about a task in the window: attempts, cling, migrations. */
export function TaskDecisions({
  decisions,
  stage,
}: {
  readonly decisions: Decisions;
  readonly stage: Stage;
}) {
  const { listed, missing } = decisions;
  const all = decisions.attempts + decisions.cling + decisions.migrations;
  const lacks = missingText(missing);
  return (
    <section aria-label="Balancer decisions about it" data-testid="task-decisions">
      <h3>Balancer decisions about it</h3>
      <p className="muted">{decisionsText(decisions)}</p>
      {lacks !== "" && <p className="muted">{lacks}</p>}
      {all > 0 && (
        <details className="task-history" open={all <= MOST}>
          <summary>{plural(all, "decision")}</summary>
          <ol ref={oneStop}>
            {listed.map((decision, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: several may have one time, and none changes places
              <li key={place}>
                <Button
                  className="inline num"
                  onClick={() => stage.centre(toRel(stage.scene.origin, BigInt(decision.at_ns)))}
                  title="Go to this moment"
                >
                  {formatTime(BigInt(decision.at_ns), 6)}
                </Button>{" "}
                {decisionText(decision)}
              </li>
            ))}
          </ol>
          <More all={all} listed={listed.length} />
        </details>
      )}
    </section>
  );
}

/** `5 attempts of NUMA balancing, 2 failed; 7 migrations, 1 to another node.` */
export function decisionsText({
  attempts,
  failed,
  cling,
  clung,
  migrations,
  node_changes,
}: Omit<Decisions, "listed" | "missing">): string {
  const parts = [
    attempts > 0 && `${plural(attempts, "attempt")} of NUMA balancing, ${formatCount(failed)} failed`,
    cling > 0 && `${plural(cling, "cling decision")}, ${formatCount(clung)} kept it on its node`,
    migrations > 0 && `${plural(migrations, "migration")}, ${formatCount(node_changes)} to another node`,
  ].filter((part) => part !== false);
  return parts.length === 0
    ? "No attempt, cling decision or migration was recorded."
    : `${parts.join("; ")}.`;
}

const HOW: Readonly<Record<string, string>> = {
  waking: "placed by its wakeup",
  runnable: "moved while runnable",
  asleep: "moved while asleep",
};

/** `node 0 → 1: move failed` */
export function decisionText(decision: Decision): string {
  const node = (nid: number) => (nid < 0 ? "?" : nid);
  const way = `node ${node(decision.from_nid)} → ${node(decision.to_nid)}`;
  switch (decision.by) {
    case "attempt":
      return `${way}: ${verdictWord(decision.verdict)}`;
    case "cling":
      return `${way}: ${decision.busy ? "node busy, may leave" : "clings"}`;
    case "migration": {
      const crossed = decision.from_nid !== decision.to_nid ? `, ${way}` : "";
      return `CPU ${decision.from_cpu} → ${decision.to_cpu}${crossed}: ${HOW[decision.how] ?? "moved"}`;
    }
  }
}
