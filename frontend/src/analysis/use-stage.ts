/** Brings one analysis to life: its tasks, its tiles, its stage, and the address that follows it. */

import { useEffect, useState, useSyncExternalStore } from "react";
import { isAbort, sentenceOf } from "../api/errors.ts";
import { inTurn, SectionSource } from "../api/routes/section-source.ts";
import type { SectionQuery } from "../api/routes/sections.ts";
import type { Api } from "../api/routes/service.ts";
import type {
  AnalysisInput,
  BalancingSection,
  ClingSection,
  Finding,
  FindingsSection,
  LatencySection,
  MigrationSection,
  MissingPart,
  PlacementSection,
  PressureSection,
  ResidencySection,
  TimelineInfo,
  UtilisationSection,
  VmstatSection,
  WaitHeatSection,
  WaitSection,
  WaitsSection,
  WasteSection,
} from "../api/types.ts";
import { findingSpan, type Keyed, rankFindings, stepFinding } from "../lib/findings.ts";
import { toAbs, toRel } from "../lib/time.ts";
import { DegreePreview } from "../panels/cling/degree-preview.ts";
import { panelSources } from "../panels/panel-sources.ts";
import { ReplaySource } from "../panels/psi/replay-source.ts";
import { SqlTracks } from "../panels/sql/sql-panel.ts";
import { addMark } from "../timeline/marks.ts";
import { Stage } from "../timeline/stage/stage.ts";
import { makeDecoder } from "../timeline/tiles/decoder.ts";
import { TimelineSource } from "../timeline/tiles/timeline-source.ts";
import { currentTheme, subscribeTheme } from "../ui/canvas/theme.ts";
import { Address } from "../view-state/address.ts";
import { NO_FILTER, passes } from "../view-state/finding-filter.ts";
import { type DrawerTab, parseView, type ViewState } from "../view-state/view-state.ts";
import { kindWords } from "./finding-words.ts";
import { browserStore, type LiveSql, liveSql } from "./live-sql.ts";
import { NoteKeeper } from "./note-keeper.ts";
import { TalkSource } from "./note-source.ts";
import { type TracePart, usualPart } from "./perfetto.ts";
import { PerfettoUi } from "./perfetto-ui.ts";
import { SqlSource } from "./sql-source.ts";
import { pressureInput, sceneOf } from "./stage-inputs.ts";
import { shownWindow } from "./use-section.ts";

export interface LiveStage {
  readonly stage: Stage;
  readonly address: Address;
  readonly sections: Sections;
  /** What people said. */
  readonly talk: TalkSource;
  /** The degree under the reader's hand, in the drawer as on the lanes. */
  readonly preview: DegreePreview;
  /** Shows the moment that a finding is about. */
  readonly openFinding: (finding: Keyed<Finding>) => void;
  /** Goes to the finding after or before the present one, in the order of the list and as it is filtered. */
  readonly stepFinding: (direction: "next" | "previous") => void;
  /** Opens the tab that shows what a finding was found in. */
  readonly showEvidence: (id: string) => void;
  /** Perfetto's own page with this recording. */
  readonly perfetto: LivePerfetto;
  /** The query of the drawer, and its rows on the time axis. */
  readonly sql: LiveSql;
  /** What findings are asked for: all, or those of the committed range. */
  readonly findingsQuery: () => SectionQuery;
  /** Marks the time of the cursor. */
  readonly mark: () => void;
  /** The mark that was made last, until something else is done. */
  readonly freshMark: () => bigint | null;
  readonly goToMark: (at: bigint) => void;
  /** The drawer is part of the view but not of the stage. */
  readonly setDrawer: (change: Partial<DrawerState>) => void;
  /** The same without a step of the history, for what changes with every key. */
  readonly followDrawer: (change: Partial<DrawerState>) => void;
  readonly subscribeDrawer: (listener: () => void) => () => void;
  readonly drawer: () => DrawerState;
}

export interface LivePerfetto {
  readonly ui: PerfettoUi;
  readonly events: number;
  /** By a click or a key of the reader; without a part as much as a browser can bear. */
  readonly open: (part?: TracePart) => void;
}

/** What is computed over a window, each asked for by whoever shows it. */
export interface Sections {
  readonly findings: SectionSource<FindingsSection | MissingPart>;
  readonly latency: SectionSource<LatencySection | MissingPart>;
  readonly waitHeat: SectionSource<WaitHeatSection | MissingPart>;
  readonly waits: SectionSource<WaitsSection | MissingPart>;
  readonly wait: SectionSource<WaitSection | MissingPart>;
  readonly pressure: SectionSource<PressureSection | MissingPart>;
  readonly utilisation: SectionSource<UtilisationSection | MissingPart>;
  readonly residency: SectionSource<ResidencySection | MissingPart>;
  readonly waste: SectionSource<WasteSection | MissingPart>;
  readonly balancing: SectionSource<BalancingSection | MissingPart>;
  readonly cling: SectionSource<ClingSection | MissingPart>;
  /** The same with another degree, beside what was recorded. */
  readonly clingWhatIf: SectionSource<ClingSection | MissingPart>;
  readonly migration: SectionSource<MigrationSection | MissingPart>;
  readonly placement: SectionSource<PlacementSection | MissingPart>;
  readonly vmstat: SectionSource<VmstatSection | MissingPart>;
}

/** Findings do not follow the window: the list would lose what one came from. Only a committed range narrows them. */
const ALL_FINDINGS: SectionQuery = { window: null };

export interface DrawerState
  extends Pick<
    ViewState,
    | "marks"
    | "table"
    | "events"
    | "query"
    | "queryTrack"
    | "queryWindow"
    | "finding"
    | "found"
    | "rules"
    | "waits"
    | "wait"
    | "sums"
    | "step"
    | "balancers"
    | "degree"
  > {
  /** null when it is folded. */
  readonly tab: DrawerTab | null;
}

/** Answer first. */
const FIRST_TAB: DrawerTab = "findings";

export type StageState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly sentence: string }
  /** The link was made by a later version of this page. */
  | { readonly kind: "newer" }
  | { readonly kind: "live"; readonly live: LiveStage };

export interface StageSource {
  readonly api: Api;
  readonly id: string;
  readonly timeline: TimelineInfo;
  readonly inputs: readonly AnalysisInput[];
  readonly limits: { readonly maxLanes: number; readonly maxPx: number };
  /** The page's address for a view. */
  readonly path: (query: string) => string;
}

export function useStage(source: StageSource): StageState {
  const [state, setState] = useState<StageState>({ kind: "loading" });
  const { api, id, timeline, inputs, limits, path } = source;
  useEffect(() => {
    const stop = new AbortController();
    let close = () => {};
    setState({ kind: "loading" });
    api.timeline.tasks(id, stop.signal).then(
      (bytes) => {
        if (stop.signal.aborted) return;
        if (parseView(window.location.search.slice(1)).kind === "newer") {
          setState({ kind: "newer" });
          return;
        }
        const made = build({ api, id, timeline, inputs, limits, path }, bytes);
        close = made.close;
        setState({ kind: "live", live: made.live });
      },
      (error: unknown) => {
        if (!isAbort(error)) setState({ kind: "failed", sentence: sentenceOf(error) });
      },
    );
    return () => {
      stop.abort();
      close();
    };
  }, [api, id, timeline, inputs, limits, path]);
  return state;
}

export function useDrawer(live: LiveStage): DrawerState {
  return useSyncExternalStore(live.subscribeDrawer, live.drawer);
}

function build(source: StageSource, taskBytes: ArrayBuffer): { live: LiveStage; close: () => void } {
  const { api, id, timeline, limits, path } = source;
  const scene = sceneOf(timeline, taskBytes);
  const { origin } = scene;
  const decoder = makeDecoder();
  const tiles = new TimelineSource(
    (query, signal) => api.timeline.columns(id, query, signal),
    origin,
    scene.bounds,
    limits,
    decoder.decode,
  );

  const query = window.location.search.slice(1);
  const address = new Address(path, query, window.history);
  const listeners = new Set<() => void>();
  let drawer: DrawerState = {
    tab: null,
    marks: [],
    table: null,
    events: null,
    query: null,
    queryTrack: false,
    queryWindow: null,
    finding: null,
    found: null,
    rules: null,
    waits: null,
    wait: null,
    sums: null,
    step: null,
    balancers: null,
    degree: null,
  };
  const whole = (): ViewState => {
    const { tab, ...rest } = drawer;
    return { ...stage.viewState(), ...rest, drawer: tab ?? "none" };
  };
  const lookup = {
    at: (cpu: number, at: bigint, signal: AbortSignal) => api.timeline.slice(id, cpu, at, signal),
    neighbour: (pid: number, at: bigint, dir: "next" | "prev", signal: AbortSignal) =>
      api.timeline.neighbour(id, pid, at, dir, signal),
  };
  const hooks = {
    follow: () => address.follow(whole()),
    step: () => address.step(whole()),
    rest: () => {
      address.follow(whole());
      address.flush();
    },
  };
  const askPressure = inTurn<PressureSection | MissingPart>((query, signal) =>
    api.sections.pressure(id, query, signal),
  );
  const sections: Sections = {
    findings: new SectionSource((query, signal) => api.sections.findings(id, query, signal)),
    latency: new SectionSource((query, signal) => api.sections.latency(id, query, signal)),
    waitHeat: new SectionSource((query, signal) => api.sections.waitHeat(id, query, signal)),
    waits: new SectionSource((query, signal) => api.sections.waits(id, query, signal)),
    wait: new SectionSource((query, signal) => api.sections.wait(id, query, signal)),
    pressure: new SectionSource(askPressure),
    utilisation: new SectionSource((query, signal) => api.sections.utilisation(id, query, signal)),
    residency: new SectionSource((query, signal) => api.sections.residency(id, query, signal)),
    waste: new SectionSource((query, signal) => api.sections.waste(id, query, signal)),
    balancing: new SectionSource((query, signal) => api.sections.balancing(id, query, signal)),
    cling: new SectionSource((query, signal) => api.sections.cling(id, query, signal)),
    clingWhatIf: new SectionSource((query, signal) => api.sections.cling(id, query, signal)),
    migration: new SectionSource((query, signal) => api.sections.migration(id, query, signal)),
    placement: new SectionSource((query, signal) => api.sections.placement(id, query, signal)),
    vmstat: new SectionSource((query, signal) => api.sections.vmstat(id, query, signal)),
  };
  const replay = new ReplaySource(askPressure, origin, scene.bounds);
  const pressure = pressureInput(source, origin, scene.bounds, replay);
  const { recorded, tried, ...others } = panelSources(api, id, scene);
  const preview = new DegreePreview((degree) => {
    const told = recorded.tracks;
    const own = told && told.knownBy !== "what_if" && told.degree === degree;
    setDrawer({ degree: own ? null : degree });
    address.step(whole());
  });
  const sqlTracks = new SqlTracks();
  const panels = { ...others, cling: { recorded, tried, preview }, pressure, sql: sqlTracks };
  const stage = new Stage({ scene, source: tiles, lookup, panels, hooks, theme: currentTheme() });

  /** The mark that has just been made: it asks for its name. */
  let fresh: bigint | null = null;
  const setDrawer = (change: Partial<DrawerState>, freshMark: bigint | null = null) => {
    drawer = { ...drawer, ...change };
    fresh = freshMark;
    replay.rules = drawer.rules;
    stage.setDegree(drawer.degree);
    if (drawer.degree === null || drawer.degree === preview.value) preview.settle();
    notes.update();
    for (const listener of listeners) listener();
  };
  const findingsQuery = (): SectionQuery => {
    const range = stage.getSnapshot().ranges.at(-1);
    return range
      ? { window: { from: toAbs(origin, range.from), to: toAbs(origin, range.to) } }
      : ALL_FINDINGS;
  };
  const talk = new TalkSource(api, id, window.localStorage);
  const openSaid = ([first]: readonly string[]) => {
    setDrawer({ tab: "notes" });
    address.step(whole());
    if (first) talk.point(first);
  };
  const notes = new NoteKeeper(stage, sections.findings, talk, () => drawer, openSaid);
  void talk.load();
  const openFinding = ({ key, finding }: Keyed<Finding>) => {
    setDrawer({ finding: key });
    const { panel } = kindWords(finding.id).evidence;
    stage.arrange({ kind: "reveal", id: panel }, false);
    void stage.show(findingSpan(finding, origin)).then(() => stage.bringUpPanel(panel));
  };
  const show = (glide: boolean) => {
    const text = window.location.search.slice(1);
    const parsed = parseView(text);
    if (parsed.kind !== "view") return;
    // What the stage does not keep is the drawer's.
    const { drawer: tab, marks, table, events, finding, found, rules, ...more } = parsed.view;
    const { waits, wait, sums, step, balancers, degree, query, queryTrack, queryWindow } = more;
    const shown = tab === "none" ? null : (tab ?? FIRST_TAB);
    const asked = { waits, wait, sums, step, balancers, degree, query, queryTrack, queryWindow };
    setDrawer({ tab: shown, marks, table, events, finding, found, rules, ...asked });
    stage.apply(parsed.view, glide);
    sql.adopt();
    address.adopt({ ...whole(), selection: parsed.view.selection }, text);
  };
  const home = window.location.pathname;
  const onPop = () => {
    if (window.location.pathname === home) show(true);
  };
  window.addEventListener("popstate", onPop);
  const endTheme = subscribeTheme(() => stage.setTheme(currentTheme()));

  const sql = liveSql({
    source: new SqlSource((wanted, signal) => api.sql.rows(id, wanted, signal), browserStore()),
    tracks: sqlTracks,
    stage,
    drawer: () => drawer,
    set: (change) => {
      setDrawer(change);
      address.step(whole());
    },
  });

  const ui = new PerfettoUi(api.downloads, id);
  const events = Object.values(timeline.event_counts).reduce((sum, count) => sum + count, 0);
  const perfetto: LivePerfetto = {
    ui,
    events,
    open: (part = usualPart(events)) => {
      const view = shownWindow(stage, stage.getSnapshot());
      void ui.open({
        part,
        window: part === "window" ? view : null,
        view,
        title: document.title.replace(/ · NumaLens$/, ""),
      });
    },
  };

  const live: LiveStage = {
    stage,
    address,
    perfetto,
    sql,
    sections,
    talk,
    preview,
    openFinding,
    stepFinding: (direction) => {
      void sections.findings.answerTo(findingsQuery()).then((answer) => {
        if (!answer?.available) return;
        const filter = drawer.found ?? NO_FILTER;
        const listed = rankFindings(answer.findings).filter(({ finding }) => passes(finding, filter));
        const next = stepFinding(listed, drawer.finding, direction);
        if (next) openFinding(next);
      });
    },
    showEvidence: (findingId) => {
      const { tab, balancers, waits } = kindWords(findingId).evidence;
      setDrawer({ tab, ...(balancers ? { balancers } : {}), ...(waits ? { waits } : {}) });
      address.step(whole());
    },
    findingsQuery,
    mark: () => {
      const at = stage.cursorTime();
      setDrawer({ marks: addMark(drawer.marks, at) }, at);
      address.step(whole());
    },
    freshMark: () => fresh,
    goToMark: (at) => stage.centre(toRel(origin, at)),
    setDrawer: (change) => {
      setDrawer(change);
      address.step(whole());
    },
    followDrawer: (change) => {
      setDrawer(change);
      address.follow(whole());
    },
    subscribeDrawer: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    drawer: () => drawer,
  };
  show(false);
  const close = () => {
    // The address may belong to another page by now.
    address.drop();
    notes.close();
    talk.close();
    window.removeEventListener("popstate", onPop);
    endTheme();
    tiles.close();
    decoder.close();
    preview.settle();
    ui.close();
    sql.close();
    stage.close();
    for (const section of Object.values(sections)) section.close();
  };
  return { live, close };
}
