import type { KeyboardEvent } from "react";
import type { DrawerState, LiveAnalysis } from "../../analysis/live-analysis.ts";
import { TAB_WORDS } from "../../analysis/tab-words.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type { Api } from "../../api/routes/service.ts";
import type { AnalysisDetail, FindingsSection, MissingPart, TimelineInfo } from "../../api/types.ts";
import { toAbs } from "../../lib/time.ts";
import { SumsTab } from "../../tabs/aggregate/aggregate-tab.tsx";
import { BalancersTab } from "../../tabs/balancers/balancers-tab.tsx";
import { EventsTab } from "../../tabs/events/events-tab.tsx";
import { FindingsTab } from "../../tabs/findings/findings-tab.tsx";
import { InputsTab } from "../../tabs/inputs/inputs-tab.tsx";
import { LatencyTab } from "../../tabs/latency/latency-tab.tsx";
import { NodesTab } from "../../tabs/nodes/nodes-tab.tsx";
import { NotesTab } from "../../tabs/notes/notes-tab.tsx";
import { PressureTab } from "../../tabs/pressure/pressure-tab.tsx";
import { SamplesTab } from "../../tabs/samples/samples-tab.tsx";
import { SqlTab } from "../../tabs/sql/sql-tab.tsx";
import { TasksTab } from "../../tabs/tasks/tasks-tab.tsx";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import type { Rereading } from "../../ui/use-reread.ts";
import { DRAWER_TABS } from "../../view-state/tab-views.ts";

import "./drawer.css";

interface Props {
  readonly state: DrawerState;
  readonly live: LiveAnalysis;
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
