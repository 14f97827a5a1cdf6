import { Fragment, lazy, Suspense, useCallback, useMemo, useState, useSyncExternalStore } from "react";
import { placeOf, useIncident } from "../../analysis/incident.ts";
import { type LiveAnalysis, useDrawer } from "../../analysis/live-analysis.ts";
import { type PerfettoUi, perfettoSentence } from "../../analysis/perfetto-ui.ts";
import { useSection } from "../../analysis/use-section.ts";
import type { Api } from "../../api/routes/service.ts";
import type { AnalysisDetail, Finding, FindingsSection, TimelineInfo } from "../../api/types.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyFindings } from "../../lib/findings.ts";
import type { NavView } from "../../lib/navigator.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import { type Span, toAbs } from "../../lib/time.ts";
import { IncidentView } from "../../tabs/findings/incident-view.tsx";
import { CLOCK_MENU, ClockMenu } from "../../timeline/frame/clock-menu.tsx";
import { MarkKeys } from "../../timeline/frame/panel-heading.tsx";
import { Timeline } from "../../timeline/frame/timeline.tsx";
import { useKeys } from "../../timeline/input/use-keys.ts";
import { type Command, KEY_ROWS, type KeyRow, POINTER_ROWS } from "../../timeline/keys.ts";
import { NOTES } from "../../timeline/plot/draw-notes.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { toggleTheme } from "../../ui/canvas/theme.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Button } from "../../ui/fields.tsx";
import { PictureDialog } from "../../ui/picture/picture-buttons.tsx";
import type { Rereading } from "../../ui/stage-progress.tsx";
import { SaveDialog } from "../share/save-dialog.tsx";
import { ShareDialog } from "../share/share-dialog.tsx";
import { Finder, type FinderMode } from "./finder-dialog.tsx";
import { Inspector } from "./inspector.tsx";
import { Navigator } from "./navigator/navigator.tsx";
import { Tour } from "./tour.tsx";
import "./analysis.css";
import { ContextMenu } from "./context-menu.tsx";
import { Drawer } from "./drawer.tsx";

/** Loaded when needed: few users write, so other first views do not wait for it. */
const ReportDialog = lazy(() => import("../report/report-dialog.tsx"));

export type OpenDialog = "share" | "keys" | "picture" | "report" | "save" | FinderMode | null;

interface Props {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly live: LiveAnalysis;
  readonly dialog: OpenDialog;
  readonly onDialog: (dialog: OpenDialog) => void;
  /** Only an owner can make links. */
  readonly canShare: boolean;
  readonly rereading: Rereading;
}

const STEPS = {
  "next-occurrence": "stepOccurrence",
  "previous-occurrence": "stepOccurrence",
  "next-finding": "stepFinding",
  "previous-finding": "stepFinding",
} as const;

/** Handles keys and the palette; false for commands without a handler, or without an effect. */
function useCommands(
  live: LiveAnalysis,
  onDialog: Props["onDialog"],
  onTour: () => void,
  canShare: boolean,
  lacks: ReadonlySet<string>,
) {
  const { stage } = live;
  return useCallback(
    (command: Command): boolean => {
      switch (command) {
        case "sheet":
          onDialog("keys");
          return true;
        case "tour":
          onTour();
          return true;
        case "share":
          if (canShare) onDialog("share");
          return canShare;
        case "theme":
          toggleTheme();
          return true;
        case "search":
        case "palette":
        case "picture":
          onDialog(command);
          return true;
        case "report":
          if (!lacks.has("reports")) onDialog("report");
          return !lacks.has("reports");
        case "evidence": {
          const { finding } = live.drawer();
          if (finding !== null) live.showEvidence();
          return finding !== null;
        }
        case "critical-path":
          return live.togglePath();
        case "navigator":
          toggleNavigator(live);
          return true;
        case "mark":
          live.mark();
          return true;
        case "drawer":
          live.setDrawer({ tab: live.drawer().tab === null ? "findings" : null });
          return true;
        case "next-occurrence":
        case "next-finding":
          live[STEPS[command]]("next");
          return true;
        case "previous-occurrence":
        case "previous-finding":
          live[STEPS[command]]("previous");
          return true;
        case "escape":
          if (live.closePath() || stage.command("escape")) return true;
          if (live.drawer().finding !== null) {
            live.setDrawer({ finding: null });
            return true;
          }
          if (live.drawer().tab === null) return false;
          live.setDrawer({ tab: null });
          return true;
        default:
          return stage.command(command);
      }
    },
    [stage, live, onDialog, onTour, canShare, lacks],
  );
}

/** Width from which screens have space for it next to all other parts. */
const NAVIGATOR_FROM = 1600;

function isNavigatorOpen({ open }: NavView): boolean {
  return open ?? window.innerWidth >= NAVIGATOR_FROM;
}

/** Opens it with the focus on its filter, or folds it. */
function toggleNavigator(live: LiveAnalysis): void {
  const { navigator } = live.drawer();
  const open = !isNavigatorOpen(navigator);
  live.setDrawer({ navigator: { ...navigator, open } });
  if (open)
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>('[data-testid="navigator-filter"]')?.focus(),
    );
}

/** Rebuilds all parts with a time; then the focus returns to the menu. */
function chooseClock(live: LiveAnalysis, clock: Clock): void {
  live.setDrawer({ clock });
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[title="${CLOCK_MENU}"]`)?.focus({ preventScroll: true }),
  );
}

const NONE: readonly Finding[] = [];
/** In an address it shows the way of an incident. */
const TOUR = /[?&]tour=1(&|$)/;

/** The timeline with its columns: what the engineer looks at. */
export function AnalysisView(props: Props) {
  const { api, analysis, timeline, live, onDialog, canShare, rereading } = props;
  const { stage } = live;
  const snapshot = useSyncExternalStore(stage.subscribe, stage.getSnapshot);
  const drawer = useDrawer(live);
  const latency = live.section("latency");
  const { answer: waits } = useSyncExternalStore(latency.subscribe, latency.getSnapshot);
  // Requested whatever tab is open: their ticks are on the minimap, and keys go through them.
  const findings = useSection(live.section("findings"), live.findingsQuery());
  const answer = findings.answer?.available ? findings.answer : null;
  const found = answer?.findings ?? NONE;
  const ranked = useMemo(() => keyFindings(found), [found]);
  const place = useMemo(
    () => placeOf(ranked, drawer.finding, drawer.occurrence),
    [ranked, drawer.finding, drawer.occurrence],
  );
  const incident = useIncident(live.sections, findings.answer, place);
  const navigating = isNavigatorOpen(drawer.navigator);
  const [touring, setTouring] = useState(TOUR.test(window.location.search));
  const startTour = useCallback(() => setTouring(true), []);
  const down = useCommands(live, onDialog, startTour, canShare, api.lacks);
  const handlers = useMemo(
    () => ({ down, up: (command: Command) => stage.release(command), blur: () => stage.releaseAll() }),
    [down, stage],
  );
  useKeys(handlers);
  const pidFields = useMemo(() => pidFieldsOf(timeline.event_counts), [timeline]);

  return (
    <main className="analysis">
      <h1 className="off-screen">{analysis.title}</h1>
      <Fragment key={drawer.clock}>
        <IncidentView live={live} state={findings} ranked={ranked} incident={incident} />
        {navigating && <Navigator live={live} snapshot={snapshot} view={drawer.navigator} />}
        <div className="main-column">
          <Timeline
            tools={<ThreadsButton live={live} pressed={navigating} />}
            stage={stage}
            snapshot={snapshot}
            noted={{ findings: found.length, marks: drawer.marks.length }}
            clock={
              <ClockMenu
                clock={drawer.clock}
                wall={live.clocks.wallOffset !== null}
                onClock={(clock) => chooseClock(live, clock)}
              />
            }
            onInputs={() => live.setDrawer({ tab: "inputs" })}
          />
          <Drawer
            drawer={drawer}
            live={live}
            api={api}
            analysis={analysis}
            timeline={timeline}
            snapshot={snapshot}
            findings={findings}
            place={place}
            rereading={rereading}
          />
        </div>
        <Inspector
          live={live}
          snapshot={snapshot}
          latency={waits?.available ? waits : null}
          incident={incident}
          marks={drawer.marks}
          onReport={canShare ? () => onDialog("report") : null}
        />
      </Fragment>
      {touring && <Tour live={live} incident={incident} onClose={() => setTouring(false)} />}
      <ContextMenu live={live} pidFields={pidFields} />
      <PerfettoLine ui={live.perfetto.ui} />
      <Dialogs {...props} snapshot={snapshot} run={down} answer={answer} />
    </main>
  );
}

function ThreadsButton({ live, pressed }: { readonly live: LiveAnalysis; readonly pressed: boolean }) {
  return (
    <Button
      aria-pressed={pressed}
      title="Threads on the left: find one, pin it as a lane (n)"
      onClick={() => toggleNavigator(live)}
    >
      threads
    </Button>
  );
}

/** Fields that name a task, of the kinds of events in the recording. */
function pidFieldsOf(counts: Readonly<Record<string, number>>): ReadonlySet<string> {
  const has = (name: string) => (counts[name] ?? 0) > 0;
  return new Set([
    ...(has("sched_switch") ? ["prev_pid", "next_pid"] : []),
    ...(has("sched_waking") || has("sched_wakeup") ? ["pid"] : []),
  ]);
}

interface DialogProps extends Props {
  readonly snapshot: StageSnapshot;
  readonly run: (command: Command) => boolean;
  readonly answer: FindingsSection | null;
}

/** The dialog that is open, if one is. */
function Dialogs({ api, analysis, live, dialog, onDialog, snapshot, run, answer }: DialogProps) {
  const { stage } = live;
  const close = () => onDialog(null);
  const given = {
    api,
    analysis,
    view: live.address.view,
    window: absWindow(stage.scene.origin, snapshot.view),
    task: selectedTask(snapshot),
    onClose: close,
  };
  return (
    <>
      {dialog === "keys" && <ShortcutsDialog onClose={close} />}
      {(dialog === "search" || dialog === "palette") && (
        <Finder mode={dialog} api={api} id={analysis.id} live={live} run={run} onClose={close} />
      )}
      {dialog === "picture" && <PictureDialog title={analysis.title} onClose={close} />}
      {dialog === "report" && (
        <Suspense>
          <ReportDialog
            api={api}
            analysis={analysis}
            view={live.address.view}
            headline={answer?.headline.summary ?? null}
            findings={answer?.findings ?? NONE}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog === "save" && <SaveDialog {...given} />}
      {dialog === "share" && <ShareDialog {...given} />}
    </>
  );
}

function absWindow(origin: bigint, { from, to }: Span): AbsWindow {
  return { from: toAbs(origin, from), to: toAbs(origin, to) };
}

function selectedTask({ selection }: StageSnapshot): { pid: number; name: string } | null {
  const slice = selection?.slice;
  return slice ? { pid: slice.pid, name: slice.comm } : null;
}

/** Progress of opening in Perfetto; it lies over the timeline, so that nothing moves. */
export function PerfettoLine({ ui }: { readonly ui: PerfettoUi }) {
  const state = useSyncExternalStore(ui.subscribe, ui.getSnapshot);
  const failed = state.kind === "failed";
  const under = state.kind === "preparing" || state.kind === "starting" || state.kind === "reading";
  return (
    <div
      className={failed ? "perfetto-line problem" : "perfetto-line"}
      role={failed ? "alert" : "status"}
      hidden={state.kind === "idle"}
      data-testid="perfetto-line"
      data-state={state.kind}
    >
      <span>{perfettoSentence(state)}</span>
      {state.kind !== "idle" && (
        <Button className="quiet" onClick={() => ui.dismiss()}>
          {under ? "Stop" : "Close"}
        </Button>
      )}
    </div>
  );
}

/** Two columns of keys, so that all of them are seen at once. */
const WITH_KEYS = KEY_ROWS.filter(({ keys }) => keys.length > 0);
const HALF = Math.ceil(WITH_KEYS.length / 2);

export function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Shortcuts and pointer" onClose={onClose} className="key-sheet">
      <div className="key-columns">
        <Keys rows={WITH_KEYS.slice(0, HALF)} />
        <Keys rows={WITH_KEYS.slice(HALF)} />
        <dl className="pointer-rows">
          {POINTER_ROWS.map((row) => (
            <div key={row.keys}>
              <dt>{row.keys}</dt>
              <dd>{row.does}</dd>
            </div>
          ))}
        </dl>
        <p className="mark-keys" data-testid="mark-keys">
          Over the lanes: <MarkKeys marks={[NOTES]} />
        </p>
      </div>
    </Dialog>
  );
}

function Keys({ rows }: { readonly rows: readonly KeyRow[] }) {
  return (
    <dl>
      {rows.map((row) => (
        <div key={row.command}>
          <dt>
            {row.keys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>
          <dd>{row.does}</dd>
        </div>
      ))}
    </dl>
  );
}
