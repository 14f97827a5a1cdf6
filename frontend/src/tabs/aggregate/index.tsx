import { useMemo } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Tab } from "../../analysis/tab.ts";
import { shownWindow, useSection } from "../../analysis/use-section.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type { MissingPart } from "../../api/types.ts";
import { windowText } from "../../lib/section-words.ts";
import { TERMS } from "../../lib/terms.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { LabelBadge, SectionStatus, Term, ToggleGroup } from "../../ui/section-parts.tsx";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";
import { AGGREGATE_VIEWS, type AggregateView } from "../../view-state/tab-views.ts";
import { AGGREGATE_WORDS, causeSums, nodeSums, threadSums } from "./aggregate-table.ts";

export const tab: Tab = {
  id: "sums",
  title: "Aggregate",
  Body: ({ live, snapshot, drawer }) => <AggregateTab live={live} snapshot={snapshot} shown={drawer.sums} />,
};

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  /** What the address says; null leaves it to the tab. */
  readonly shown: AggregateView | null;
}

/** Sums of the window, which a Shift drag makes of any stretch: by thread, by node and state, by cause. */
function AggregateTab({ live, snapshot, shown }: Props) {
  const { stage } = live;
  const window = shownWindow(stage, snapshot);
  const residency = useSection(live.section("residency"), { window });
  const latency = useSection(live.section("latency"), { window });
  const use = useSection(live.section("utilisation"), { window });
  const nodes = useMemo(() => stage.scene.nodes.map(({ nid }) => nid), [stage]);
  const view = shown ?? "thread";
  const ran = found(residency);
  const waited = found(latency);
  const used = found(use);
  const threads = useMemo(() => threadSums(ran, waited, nodes), [ran, waited, nodes]);
  const table = useMemo(() => {
    if (view === "thread") return threads;
    return view === "node" ? nodeSums(used, waited, nodes) : causeSums(waited);
  }, [view, threads, used, waited, nodes]);
  const absent = [residency, latency, use].flatMap(({ answer }) =>
    answer && !answer.available ? [answer.reason] : [],
  );
  return (
    <div className="sums-tab">
      <p className="tab-tools">
        <ToggleGroup
          label="Aggregate"
          choices={AGGREGATE_VIEWS}
          chosen={view}
          words={AGGREGATE_WORDS}
          onChoose={(sums) => live.setDrawer({ sums })}
        />
        <span className="muted">
          of {windowText(window)}; <kbd>Shift</kbd> drag takes a stretch
        </span>
        {waited && <LabelBadge label={waited.label} missing={waited.missing} said />}
        <SectionStatus state={latency.problem !== null ? latency : view === "node" ? use : residency} />
      </p>
      {[...new Set(absent)].map((reason) => (
        <p key={reason} className="tab-empty muted">
          {reason}
        </p>
      ))}
      {view === "cause" && (
        <p className="tab-tools muted">
          <Term means={TERMS.cause}>Each nanosecond of a wait has one cause.</Term>
        </p>
      )}
      {table.rows.length > 0 && (
        <VirtualTable
          // Filters of one table mean nothing in another.
          key={view}
          label={AGGREGATE_WORDS[view]}
          table={table}
          name={`sums-${view}`}
          testId="sums-table"
          {...(view === "thread"
            ? {
                onPick: (row: number) => {
                  const pid = threads.pids[row];
                  if (pid !== undefined) void stage.findTask(pid);
                },
              }
            : {})}
        />
      )}
    </div>
  );
}

function found<A extends { readonly available: true }>({ answer }: SectionState<A | MissingPart>): A | null {
  return answer?.available ? (answer as A) : null;
}
