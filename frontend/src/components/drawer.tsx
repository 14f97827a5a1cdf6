import type { Api } from "../data/api.ts";
import type { AnalysisDetail, TimelineInfo } from "../data/types.ts";
import type { DrawerTab } from "../logic/view-state.ts";
import type { Stage, StageSnapshot } from "../view/stage.ts";
import { EventsTab } from "./events-tab.tsx";
import { InputsTab } from "./inputs-tab.tsx";
import { TasksTab } from "./tasks-tab.tsx";

interface Props {
  readonly tab: DrawerTab | null;
  readonly onTab: (tab: DrawerTab | null) => void;
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  /** Counts up when the reader asks for the search field. */
  readonly searches: number;
}

const TABS: readonly (readonly [DrawerTab, string])[] = [
  ["tasks", "Tasks"],
  ["events", "Events"],
  ["inputs", "Inputs"],
];

export function Drawer({ tab, onTab, api, analysis, timeline, stage, snapshot, searches }: Props) {
  return (
    <section className={tab === null ? "drawer" : "drawer open"} aria-label="Drawer">
      <div className="tabs">
        <div role="tablist" aria-label="Tables">
          {TABS.map(([name, word]) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              {...(tab === name ? { "aria-controls": "drawer-panel" } : {})}
              onClick={() => onTab(tab === name ? null : name)}
            >
              {word}
            </button>
          ))}
        </div>
        {tab !== null && (
          <button
            type="button"
            className="quiet fold"
            onClick={() => onTab(null)}
            title="Fold the drawer (q)"
          >
            Fold
          </button>
        )}
      </div>
      {tab !== null && (
        <div className="tab-panel" role="tabpanel" id="drawer-panel" aria-labelledby={`tab-${tab}`}>
          {tab === "tasks" && <TasksTab stage={stage} snapshot={snapshot} searches={searches} />}
          {tab === "events" && <EventsTab api={api} id={analysis.id} counts={timeline.event_counts} />}
          {tab === "inputs" && <InputsTab analysis={analysis} timeline={timeline} />}
        </div>
      )}
    </section>
  );
}
