import { type ReactNode, useCallback, useEffect, useRef } from "react";
import type { FindingPlace } from "../../analysis/incident.ts";
import type { DrawerState, LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { Tab } from "../../analysis/tab.ts";
import { shownWindow, useOptionalSection, useSection } from "../../analysis/use-section.ts";
import type { SectionState } from "../../api/routes/section-source.ts";
import type { MissingPart } from "../../api/types.ts";
import type { TimeWindow } from "../../api/window.ts";
import { type SectionWord, windowText } from "../../lib/section-words.ts";
import type { Span } from "../../lib/time.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { AbsentSection, SectionStatus, ToggleGroup } from "../../ui/section-parts.tsx";
import type { Rereading } from "../../ui/use-reread.ts";
import { BALANCERS_VIEWS } from "../../view-state/tab-views.ts";
import { BALANCERS_WORDS } from "./balancers.ts";
import { ClingView } from "./cling/cling-view.tsx";
import { MemoryView } from "./memory/memory-view.tsx";
import { OpsView, VmstatView } from "./ops-view.tsx";
import "./balancers.css";

export const tab: Tab = {
  id: "balancers",
  title: "Balancers",
  Body: BalancersTab,
};

interface Props {
  readonly live: LiveAnalysis;
  readonly snapshot: StageSnapshot;
  readonly drawer: DrawerState;
  /** The occurrence of a finding that was gone to. */
  readonly place: FindingPlace | null;
  readonly rereading: Rereading;
}

/** What the NUMA balancers did: attempts, cling, memory, counters. */
function BalancersTab({ live, snapshot, drawer, place, rereading }: Props) {
  const { stage } = live;
  // Going to a moment moves the window; what it was taken from stays until the reader lets it go.
  const { held } = drawer;
  const window = held ?? shownWindow(stage, snapshot);
  const view = drawer.balancers ?? "ops";
  const go = (span: Span) => {
    live.hold(window);
    void stage.show(span);
  };
  // The evidence of an occurrence is that of its tasks.
  const pids = held && place && held.from === place.window.from ? place.pids : [];
  const parts: PartProps = { live, window, held: held !== null, rereading, onGo: useLatest(go) };
  return (
    <>
      <p className="tab-tools">
        <ToggleGroup
          label="Balancers"
          choices={BALANCERS_VIEWS}
          chosen={view}
          words={BALANCERS_WORDS}
          onChoose={(balancers) => live.setDrawer({ balancers })}
        />
        <span className="muted held">
          {windowText(window)}{" "}
          {held && (
            <button type="button" className="inline" onClick={() => live.hold(null)}>
              follow the window
            </button>
          )}
        </span>
      </p>
      {view === "ops" && <OpsPart {...parts} pids={pids} />}
      {view === "cling" && <ClingPart {...parts} degree={drawer.degree} />}
      {view === "memory" && <MemoryPart {...parts} />}
      {view === "vmstat" && <VmstatPart {...parts} />}
    </>
  );
}

/** The same function for as long as the tab is there: charts must not be drawn anew for it. */
function useLatest(go: (span: Span) => void): (span: Span) => void {
  const latest = useRef(go);
  useEffect(() => {
    latest.current = go;
  });
  return useCallback((span: Span) => latest.current(span), []);
}

interface PartProps {
  readonly live: LiveAnalysis;
  readonly window: TimeWindow;
  readonly held: boolean;
  readonly rereading: Rereading;
  readonly onGo: (span: Span) => void;
}

interface ShownProps<A> {
  readonly state: SectionState<A | MissingPart>;
  readonly section: SectionWord;
  readonly rereading: Rereading;
  readonly children: (answer: A) => ReactNode;
}

/** A section's answer, or why there is none. */
function Shown<A extends { readonly available: true }>({
  state,
  section,
  rereading,
  children,
}: ShownProps<A>) {
  const { answer } = state;
  if (!answer || state.problem !== null) {
    return (
      <p className="tab-tools">
        <SectionStatus state={state} />
      </p>
    );
  }
  if (!answer.available)
    return <AbsentSection section={section} reason={answer.reason} rereading={rereading} />;
  return children(answer);
}

function OpsPart({ live, window, rereading, onGo, pids }: PartProps & { readonly pids: readonly number[] }) {
  const state = useSection(live.section("numa_balancing"), { window });
  return (
    <Shown state={state} section="attempts" rereading={rereading}>
      {(section) => <OpsView section={section} pids={pids} origin={live.stage.scene.origin} onGo={onGo} />}
    </Shown>
  );
}

function ClingPart({
  live,
  window,
  held,
  rereading,
  onGo,
  degree,
}: PartProps & { readonly degree: number | null }) {
  const state = useSection(live.section("cling"), { window });
  const section = state.answer?.available ? state.answer : null;
  const none = section?.known_by === "what_if";
  const tried =
    section && (none || (degree !== null && degree !== section.degree)) ? (degree ?? section.degree) : null;
  const whatIf = useOptionalSection(
    live.section("cling", "what-if"),
    tried === null ? null : { window, degree: tried },
  );
  return (
    <Shown state={state} section="cling" rereading={rereading}>
      {(answer) => (
        <ClingView
          section={answer}
          whatIf={whatIf}
          stage={live.stage}
          degree={degree}
          held={held}
          onDegree={(chosen) => live.setDrawer({ degree: chosen })}
          onGo={onGo}
        />
      )}
    </Shown>
  );
}

function MemoryPart({ live, window, rereading }: PartProps) {
  const state = useSection(live.section("page_migration"), { window });
  const placement = useSection(live.section("placement"), { window });
  return (
    <Shown state={state} section="memory" rereading={rereading}>
      {(section) => <MemoryView section={section} origin={live.stage.scene.origin} placement={placement} />}
    </Shown>
  );
}

function VmstatPart({ live, window, rereading }: PartProps) {
  const state = useSection(live.section("vmstat"), { window });
  return (
    <Shown state={state} section="vmstat" rereading={rereading}>
      {(section) => <VmstatView section={section} />}
    </Shown>
  );
}
