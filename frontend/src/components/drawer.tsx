import type { KeyboardEvent } from "react";
import type { Api } from "../data/api/api.ts";
import type { SectionState } from "../data/section-source.ts";
import type { AnalysisDetail, FindingsSection, MissingPart, TimelineInfo } from "../data/types.ts";
import { toAbs } from "../logic/time.ts";
import { DRAWER_TABS } from "../logic/view-state.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { BalancersTab } from "./balancers-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { FindingsTab } from "./findings-tab.tsx";
import { InputsTab } from "./inputs-tab.tsx";
import { LatencyTab } from "./latency-tab.tsx";
import { NodesTab } from "./nodes-tab.tsx";
import { NotesTab } from "./notes-tab.tsx";
import { PressureTab } from "./pressure-tab.tsx";
import { SamplesTab } from "./samples-tab.tsx";
import { SqlTab } from "./sql-tab.tsx";
import { SumsTab } from "./sums-tab.tsx";
import { TAB_WORDS } from "./tab-words.ts";
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
  readonly findings: SectionState<FindingsSection | MissingPart>;
  readonly rereading: Rereading;
}

/** Arrows, Home and End among tabs, as in every program. */
function walkTabs(event: KeyboardEvent<HTMLElement>): void {
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: (at + tabs.length - 1) % tabs.length,
    ArrowRight: (at + 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  };
  const next = tabs[places[event.key] ?? -1];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
  if (next.getAttribute("aria-selected") !== "true") next.click();
}

export function Drawer(props: Props) {
  const { state, live, api, analysis, timeline, snapshot, findings, rereading } = props;
  const { stage, setDrawer: onState } = live;
  const { tab } = state;
  return (
    <section className={tab === null ? "drawer" : "drawer open"} aria-label="Drawer">
      <div className="tabs">
        <div role="tablist" aria-label="Tables" onKeyDown={walkTabs}>
          {DRAWER_TABS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              // One stop for all tabs; arrows go through them.
              tabIndex={name === (tab ?? DRAWER_TABS[0]) ? 0 : -1}
              {...(tab === name ? { "aria-controls": "drawer-panel" } : {})}
              onClick={() => onState({ tab: tab === name ? null : name })}
            >
              {TAB_WORDS[name]}
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
      {tab !== null && <h2 className="off-screen">{TAB_WORDS[tab]}</h2>}
      {tab !== null && (
        <div className="tab-panel" role="tabpanel" id="drawer-panel" aria-labelledby={`tab-${tab}`}>
          {tab === "findings" && (
            <FindingsTab
              live={live}
              state={findings}
              chosen={state.finding}
              found={state.found}
              ranged={snapshot.ranges.length > 0}
              rereading={rereading}
            />
          )}
          {tab === "latency" && (
            <LatencyTab
              live={live}
              stage={stage}
              snapshot={snapshot}
              shown={state.waits}
              opened={state.wait}
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
          {tab === "sums" && <SumsTab live={live} snapshot={snapshot} shown={state.sums} />}
          {tab === "balancers" && (
            <BalancersTab live={live} snapshot={snapshot} drawer={state} rereading={rereading} />
          )}
          {tab === "tasks" && <TasksTab stage={stage} snapshot={snapshot} />}
          {tab === "events" && (
            <EventsTab
              api={api}
              id={analysis.id}
              live={live}
              snapshot={snapshot}
              counts={timeline.event_counts}
              filter={state.events}
            />
          )}
          {tab === "sql" && <SqlTab api={api} id={analysis.id} live={live} drawer={state} />}
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
          {tab === "notes" && <NotesTab live={live} snapshot={snapshot} finding={state.finding} />}
        </div>
      )}
    </section>
  );
}
