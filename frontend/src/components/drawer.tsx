import type { Api } from "../data/api.ts";
import type { AnalysisDetail, TimelineInfo } from "../data/types.ts";
import { toAbs } from "../logic/time.ts";
import { DRAWER_TABS, type DrawerTab } from "../logic/view-state.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { BalancersTab } from "./balancers-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FindingsTab } from "./findings-tab.tsx";
import { InputsTab } from "./inputs-tab.tsx";
import { LatencyTab } from "./latency-tab.tsx";
import { NodesTab } from "./nodes-tab.tsx";
import { PressureTab } from "./pressure-tab.tsx";
import { SamplesTab } from "./samples-tab.tsx";
import { TasksTab } from "./tasks-tab.tsx";
import type { Rereading } from "./use-reread.ts";
import type { DrawerState, LiveStage } from "./use-stage.ts";

interface Props {
  readonly state: DrawerState;
  readonly live: LiveStage;
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly snapshot: StageSnapshot;
  /** Counts up when the reader asks for the search field. */
  readonly searches: number;
  readonly rereading: Rereading;
}

const WORDS: Record<DrawerTab, string> = {
  findings: "Findings",
  latency: "Latency",
  pressure: "Pressure",
  nodes: "Nodes",
  balancers: "Balancers",
  tasks: "Tasks",
  events: "Events",
  samples: "Samples",
  inputs: "Inputs",
};

export function Drawer(props: Props) {
  const { state, live, api, analysis, timeline, snapshot, searches, rereading } = props;
  const { stage, setDrawer: onState } = live;
  const { tab } = state;
  return (
    <section className={tab === null ? "drawer" : "drawer open"} aria-label="Drawer">
      <div className="tabs">
        <div role="tablist" aria-label="Tables">
          {DRAWER_TABS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              {...(tab === name ? { "aria-controls": "drawer-panel" } : {})}
              onClick={() => onState({ tab: tab === name ? null : name })}
            >
              {WORDS[name]}
            </button>
          ))}
        </div>
        {tab !== null && (
          <button
            type="button"
            className="quiet fold"
            onClick={() => onState({ tab: null })}
            title="Fold the drawer (q)"
          >
            Fold
          </button>
        )}
      </div>
      {tab !== null && (
        <div className="tab-panel" role="tabpanel" id="drawer-panel" aria-labelledby={`tab-${tab}`}>
          {tab === "findings" && <FindingsTab live={live} chosen={state.finding} rereading={rereading} />}
          {tab === "latency" && (
            <LatencyTab
              live={live}
              stage={stage}
              snapshot={snapshot}
              shown={state.waits}
              rereading={rereading}
            />
          )}
          {tab === "pressure" && (
            <PressureTab
              live={live}
              stage={stage}
              snapshot={snapshot}
              rules={state.rules}
              rereading={rereading}
            />
          )}
          {tab === "nodes" && (
            <NodesTab live={live} stage={stage} snapshot={snapshot} step={state.step} rereading={rereading} />
          )}
          {tab === "balancers" && (
            <BalancersTab live={live} snapshot={snapshot} drawer={state} rereading={rereading} />
          )}
          {tab === "tasks" && <TasksTab stage={stage} snapshot={snapshot} searches={searches} />}
          {tab === "events" && <EventsTab api={api} id={analysis.id} counts={timeline.event_counts} />}
          {tab === "samples" && (
            <SamplesTab
              api={api}
              analysis={analysis}
              timeline={timeline}
              stage={stage}
              snapshot={snapshot}
              table={state.table}
              onTable={(table) => onState({ table })}
            />
          )}
          {tab === "inputs" && (
            <InputsTab
              api={api}
              analysis={analysis}
              timeline={timeline}
              rereading={rereading}
              moment={toAbs(stage.scene.origin, snapshot.view.from)}
            />
          )}
        </div>
      )}
    </section>
  );
}
