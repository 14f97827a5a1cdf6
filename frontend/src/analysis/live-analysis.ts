import { useEffect, useState, useSyncExternalStore } from "react";
import { isAbort, sentenceOf } from "../api/client.ts";
import type { SectionSource, SectionSources } from "../api/routes/section-source.ts";
import type { SectionAnswer, SectionName, SectionQuery } from "../api/routes/sections.ts";
import type { Finding, FindingsSection, MissingPart, TimelineInfo, TimeWindow, Wait } from "../api/types.ts";
import { type Clocks, showClock } from "../lib/clock.ts";
import { findingSpan, type Keyed, keyFindings, placesOf, stepFinding, stepPlace } from "../lib/findings.ts";
import { parseWindow } from "../lib/ranges.ts";
import { parseNs, toAbs, toRel } from "../lib/time.ts";
import { panel as clingKind } from "../subjects/cling/lanes/index.tsx";
import { taskOfLane, tasksKind } from "../subjects/machine/lanes/index.ts";
import { panel as psiKind } from "../subjects/psi/lanes/index.tsx";
import type { PathKey } from "../subjects/waits/lanes/index.ts";
import { addMark } from "../timeline/marks.ts";
import type { Stage } from "../timeline/stage/stage.ts";
import { Address } from "../view-state/address.ts";
import { NO_FILTER, passes } from "../view-state/finding-filter.ts";
import { type DrawerViewName, drawerTabOf, waitKey, waitOfSlice } from "../view-state/tab-views.ts";
import { type DrawerState, EMPTY_VIEW, parseView, type ViewState } from "../view-state/view-state.ts";
import { kindWords } from "./finding-words.ts";
import {
  claimedWaits,
  type FindingPlace,
  isAboutSleeps,
  isAboutWaits,
  isWide,
  placeOf,
  waitSpan,
} from "./incident.ts";
import { browserStore, type LiveSql, liveSql } from "./live-sql.ts";
import { type MadeStage, makeStage, type StageWish } from "./make-stage.ts";
import { NoteSource, placeSpan } from "./note-source.ts";
import { PerfettoUi, type TracePart, usualPart } from "./perfetto-ui.ts";
import { SqlSource } from "./sql-source.ts";
import { shownWindow } from "./use-section.ts";

/** An open analysis: its stage, what its drawer shows, and the address that follows both. */

/** Answer first. */
const FIRST_TAB: DrawerViewName = "findings";

/** Limit of tasks whose lanes a finding about sleep pins. */
const MOST_VICTIMS = 2;

/** Findings do not follow the window: the list would lose what one came from. Only a committed range narrows them. */
const ALL_FINDINGS: SectionQuery = { window: null };

export interface AnalysisSource extends Omit<StageWish, "tasks" | "hooks" | "worker" | "ratio"> {
  /** The page's address for a view. */
  readonly path: (query: string) => string;
}

export class LiveAnalysis {
  readonly stage: Stage;
  readonly address: Address;
  readonly sections: SectionSources;
  readonly notes: NoteSource;
  readonly perfetto: LivePerfetto;
  /** The query of the drawer, and its rows on the time axis. */
  readonly sql: LiveSql;
  readonly clocks: Clocks;
  /** True if a log of requests is among the inputs. */
  readonly hasRequests: boolean;
  readonly #made: MadeStage;
  readonly #notes: NoteKeeper;
  readonly #home = window.location.pathname;
  readonly #listeners = new Set<() => void>();
  #drawer: DrawerState = { ...EMPTY_VIEW, tab: null };
  /** The mark that has just been made: it requests its name. */
  #freshMark: bigint | null = null;
  #opening = false;

  constructor({ path, ...source }: AnalysisSource, tasks: ArrayBuffer) {
    const { api, id, timeline, inputs } = source;
    this.hasRequests = inputs.some(({ kind }) => kind === "requests");
    const hooks = {
      follow: () => this.address.follow(this.#view()),
      step: () => this.#step(),
      rest: () => {
        this.address.follow(this.#view());
        this.address.flush();
      },
    };
    this.address = new Address(path, window.location.search.slice(1), window.history);
    this.#made = makeStage({ ...source, tasks, hooks, worker: true });
    this.stage = this.#made.stage;
    const { origin, bounds } = this.stage.scene;
    this.clocks = {
      origin,
      end: toAbs(origin, bounds.to),
      wallOffset: parseNs(timeline.wall_offset_ns ?? ""),
    };
    this.sections = this.#made.sections;
    this.stage.panel(tasksKind).onWait = (wait) => this.#change({ tab: "latency", wait });
    this.stage.panel(clingKind).onDegree = (degree) => this.setDrawer({ degree });
    this.notes = new NoteSource(api, id, window.localStorage);
    this.#notes = new NoteKeeper(this.stage, this.section("findings"), this.notes, this.drawer, (ids) =>
      this.#openThreads(ids),
    );
    this.sql = liveSql({
      source: new SqlSource((query, signal) => api.sql.rows(id, query, signal), browserStore()),
      stage: this.stage,
      drawer: this.drawer,
      set: this.setDrawer,
    });
    this.perfetto = livePerfetto(new PerfettoUi(api.downloads, id), timeline, this.stage);
    void this.notes.load();
    window.addEventListener("popstate", this.#onPop);
    this.#show(false);
    if (isOpening(this.address.view, window.location.search.slice(1))) {
      this.#opening = true;
      void this.#openWorst().finally(() => {
        this.#opening = false;
        this.#change({});
      });
    }
  }

  /** True if the worst finding is still to be opened. */
  get opening(): boolean {
    return this.#opening;
  }

  /** A section of the analysis; the caller passes the window. */
  section<N extends SectionName>(name: N, variant?: string): SectionSource<SectionAnswer<N>> {
    return this.sections.of(name, variant);
  }

  readonly drawer = (): DrawerState => this.#drawer;

  readonly subscribeDrawer = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Changes the drawer, as a step of the history. */
  readonly setDrawer = (change: Partial<DrawerState>): void => {
    this.#change(change);
    this.#step();
  };

  /** The same without a step, for what changes with every key. */
  readonly followDrawer = (change: Partial<DrawerState>): void => {
    this.#change(change);
    this.address.follow(this.#view());
  };

  /** Window of the findings: all, or the committed range. */
  readonly findingsQuery = (): SectionQuery => {
    const range = this.stage.getSnapshot().ranges.at(-1);
    const { origin } = this.stage.scene;
    return range
      ? { window: { from: toAbs(origin, range.from), to: toAbs(origin, range.to) } }
      : ALL_FINDINGS;
  };

  /** Shows an occurrence of a finding, the worst unless another is named, where its evidence is drawn. */
  readonly openFinding = (keyed: Keyed<Finding>, index = 0): void => {
    const place = placeOf([keyed], keyed.key, index);
    if (!place) return;
    this.#change({ finding: keyed.key, occurrence: place.index, held: null });
    const { stage } = this;
    const { panel } = kindWords(place.id).evidence;
    const [cpu] = place.cpus;
    if (isAboutWaits(place.id) && cpu !== undefined) {
      void stage.show(findingSpan(place.occurrence, stage.scene.origin));
      stage.bringUp(`cpu:${cpu}`);
      return;
    }
    if (isAboutSleeps(place.id)) this.#pinVictims(place);
    stage.arrange({ kind: "reveal", id: panel }, false);
    void stage.show(findingSpan(place.occurrence, stage.scene.origin)).then(() => stage.bringUpPanel(panel));
  };

  /** Goes to the occurrence after or before the present one, and on to the next finding of the list as it is filtered. */
  readonly stepOccurrence = (direction: "next" | "previous"): void => {
    void this.#listed().then((listed) => {
      const { finding: key, occurrence: place } = this.#drawer;
      const next = stepPlace(listed, { key, place }, direction);
      if (next) this.openFinding(next.keyed, next.place);
    });
  };

  /** Goes to the finding after or before the present one. */
  readonly stepFinding = (direction: "next" | "previous"): void => {
    void this.#listed().then((listed) => {
      const next = stepFinding(listed, this.#drawer.finding, direction);
      if (next) this.openFinding(next);
    });
  };

  async #listed(): Promise<readonly Keyed<Finding>[]> {
    const answer = await this.section("findings").answerTo(this.findingsQuery());
    const filter = this.#drawer.found ?? NO_FILTER;
    const found = answer?.available ? keyFindings(answer.findings) : [];
    return found.filter(({ finding }) => passes(finding, filter));
  }

  /** Opens the tab with the evidence of the present occurrence. */
  readonly showEvidence = (): void => {
    void this.#listed().then((listed) => {
      const place = placeOf(listed, this.#drawer.finding, this.#drawer.occurrence);
      if (!place) return;
      const { tab, waits } = kindWords(place.id).evidence;
      this.setDrawer({
        tab,
        wait: null,
        held: place.window,
        ...(waits ? { waits: "finding" } : {}),
      });
    });
  };

  /** Opens a wait below the timeline, which shows it with what then ran; `held` is the window of the list that it is in. */
  readonly openWait = (wait: Wait, held: TimeWindow): void => {
    this.#change({ tab: "latency", waits: "finding", wait: waitKey(wait), held });
    const { origin } = this.stage.scene;
    void this.stage.show(waitSpan(wait, origin), { cpu: wait.cpu, at: BigInt(wait.switch_in_ns) });
  };

  /** Shows who held a task up at a moment, as a step of the history; null closes it. */
  readonly showPath = (path: PathKey | null): void => {
    this.stage.panel(tasksKind).path = path;
    if (path) this.stage.arrange({ kind: "reveal", id: tasksKind.id }, false);
    this.#step();
  };

  /** Closes the critical path; returns whether there was one. */
  readonly closePath = (): boolean => {
    const shown = this.stage.panel(tasksKind).path !== null;
    if (shown) this.showPath(null);
    return shown;
  };

  /** Shows the critical path of the selected wait or sleep, or closes it if shown; false without either. */
  readonly togglePath = (): boolean => {
    const path = this.#heldUp();
    const shown = this.stage.panel(tasksKind).path;
    if (path === null || (shown?.pid === path.pid && shown.at === path.at)) return this.closePath();
    this.showPath(path);
    return true;
  };

  /** The wait or sleep that the reader looks at: the picked state of a task, the wait before the slice, or the opened wait. */
  #heldUp(): PathKey | null {
    const { picked, selection } = this.stage.getSnapshot();
    const pid = picked && taskOfLane(picked.lane);
    if (picked && pid !== null) return { pid, at: picked.at };
    const before = selection?.slice && waitOfSlice(selection.slice);
    const wait = before ?? this.#drawer.wait;
    return wait && { pid: wait.pid, at: wait.from };
  }

  /** Keeps the window of what tables show while the timeline moves on; null has them follow it again. */
  readonly hold = (held: TimeWindow | null): void => {
    this.#change({ held });
    if (held === null) this.#step();
  };

  readonly mark = (): void => {
    const at = this.stage.cursorTime();
    this.#change({ marks: addMark(this.#drawer.marks, at) }, at);
    this.#step();
  };

  /** The mark that was made last, until something else is done. */
  readonly freshMark = (): bigint | null => this.#freshMark;

  readonly goToMark = (at: bigint): void => this.stage.centre(toRel(this.stage.scene.origin, at));

  close(): void {
    showClock("trace", this.clocks);
    // The address may belong to another page by now.
    this.address.drop();
    this.#notes.close();
    this.notes.close();
    window.removeEventListener("popstate", this.#onPop);
    this.perfetto.ui.close();
    this.sql.close();
    this.#made.close();
  }

  #view(): ViewState {
    const { tab, ...drawer } = this.#drawer;
    return { ...drawer, ...this.stage.viewState(), drawer: tab ?? "none" };
  }

  #step(): void {
    this.address.step(this.#view());
  }

  /** A link that names nothing to look at opens with the worst of what was found; nothing that the reader did is undone. */
  async #openWorst(): Promise<void> {
    const { stage } = this;
    const before = this.#looking();
    const listed = await this.#listed();
    const { finding: key, occurrence } = this.#drawer;
    const place = placeOf(listed, key ?? listed[0]?.key ?? null, occurrence);
    if (!place || this.#looking() !== before) return;
    this.#change({ finding: place.keyed.key, occurrence: place.index });
    const { origin, bounds } = stage.scene;
    let span = findingSpan(place.occurrence, origin);
    let [cpu] = place.cpus;
    if (isAboutSleeps(place.id)) this.#pinVictims(place);
    else if (isWide(span, bounds)) {
      const latency = await this.section("latency", "opening").answerTo({ window: place.window });
      const [worst] = latency?.available ? claimedWaits(latency, place) : [];
      if (worst) {
        span = waitSpan(worst.wait, origin);
        ({ cpu } = worst.wait);
      }
    }
    if (this.#looking() !== before) return;
    stage.jump(span, cpu === undefined ? null : `cpu:${cpu}`);
  }

  /** Pins the victims, whose lanes show what they slept for. */
  #pinVictims({ pids }: Pick<FindingPlace, "pids">): void {
    this.stage.pin(pids.slice(0, MOST_VICTIMS).map((pid) => `task:${pid}`));
  }

  /** Changes when the reader moves the timeline or chooses something on it. */
  #looking(): string {
    const { ranges, window, glyph, selection } = this.stage.viewState();
    const named = [...ranges, window].map((span) => `${span?.from}~${span?.to}`);
    return [...named, glyph?.at, selection?.at].join();
  }

  #change(change: Partial<DrawerState>, freshMark: bigint | null = null): void {
    const { tab: shown } = this.#drawer;
    const moved = change.tab !== undefined && tabTitle(change.tab) !== tabTitle(shown);
    // What another tab was held at means nothing in this one.
    this.#drawer = { ...this.#drawer, ...(moved ? { held: null } : {}), ...change };
    this.#freshMark = freshMark;
    showClock(this.#drawer.clock, this.clocks);
    this.stage.panel(psiKind).rules = this.#drawer.rules;
    this.stage.panel(clingKind).degree = this.#drawer.degree;
    this.#notes.update();
    for (const listener of this.#listeners) listener();
  }

  #openThreads([first]: readonly string[]): void {
    this.setDrawer({ tab: "notes" });
    if (first) this.notes.point(first);
  }

  readonly #onPop = (): void => {
    if (window.location.pathname === this.#home) this.#show(true);
  };

  /** Shows what the address says. */
  #show(glide: boolean): void {
    const text = window.location.search.slice(1);
    const parsed = parseView(text);
    if (parsed.kind !== "view") return;
    const { drawer, ...view } = parsed.view;
    this.#change({ ...view, tab: drawer === "none" ? null : (drawer ?? FIRST_TAB) });
    this.stage.apply(parsed.view, glide);
    this.sql.adopt();
    this.address.adopt({ ...this.#view(), selection: parsed.view.selection }, text);
  }
}

function tabTitle(view: DrawerViewName | null): string | null {
  return view && drawerTabOf(view).title;
}

/** Returns whether a link leaves the place to the page: the findings, and no place. */
export function isOpening(view: ViewState, query: string): boolean {
  const { ranges, glyph, selection, drawer } = view;
  const named = parseWindow(new URLSearchParams(query).get("w") ?? undefined);
  return drawer === FIRST_TAB && named === null && ranges.length === 0 && !glyph && !selection;
}

/** Connection between Perfetto's own page and the timeline. */

export interface LivePerfetto {
  readonly ui: PerfettoUi;
  /** Of the whole recording. */
  readonly events: number;
  /** By a click or a key of the reader; without a part as much as a browser can bear. */
  readonly open: (part?: TracePart) => void;
}

export function livePerfetto(ui: PerfettoUi, timeline: TimelineInfo, stage: Stage): LivePerfetto {
  const events = Object.values(timeline.event_counts).reduce((sum, count) => sum + count, 0);
  return {
    ui,
    events,
    open: (part = usualPart(events)) => {
      const view = shownWindow(stage, stage.getSnapshot());
      const title = document.title.replace(/ · NumaLens$/, "");
      void ui.open({ part, window: part === "window" ? view : null, view, title });
    },
  };
}

/** Keeps what is noted on the time axis as the drawer, the list of findings and the conversations say. */

type Noted = Pick<ViewState, "marks" | "finding" | "occurrence" | "found">;

export class NoteKeeper {
  readonly #stage: Stage;
  readonly #findings: SectionSource<FindingsSection | MissingPart>;
  readonly #noted: () => Noted;
  readonly #noteSource: NoteSource;
  readonly #openThread: (ids: readonly string[]) => void;
  readonly #ends: readonly (() => void)[];

  constructor(
    stage: Stage,
    findings: SectionSource<FindingsSection | MissingPart>,
    noteSource: NoteSource,
    noted: () => Noted,
    openThreads: (ids: readonly string[]) => void,
  ) {
    this.#stage = stage;
    this.#findings = findings;
    this.#noted = noted;
    this.#noteSource = noteSource;
    this.#openThread = openThreads;
    const update = () => this.update();
    this.#ends = [findings.subscribe(update), noteSource.subscribe(update)];
  }

  /** Findings that the filter leaves out have no tick; the opened one always has. */
  update(): void {
    const { marks, finding: chosen, occurrence, found } = this.#noted();
    const { origin } = this.#stage.scene;
    const { answer } = this.#findings.getSnapshot();
    const ranked = answer?.available ? keyFindings(answer.findings) : [];
    this.#stage.setNotes({
      marks: marks.map(({ at, name }) => ({ at: toRel(origin, at), name })),
      findings: ranked
        .filter(({ key, finding }) => key === chosen || passes(finding, found ?? NO_FILTER))
        .map(({ key, finding }) => ({
          ...findingSpan(finding, origin),
          severity: finding.severity,
          chosen: key === chosen,
        })),
      places: ranked
        .filter(({ key }) => key === chosen)
        .flatMap(({ finding }) =>
          placesOf(finding).map((place, index) => ({
            ...findingSpan(place, origin),
            cpus: place.cpus,
            nodes: finding.nodes,
            chosen: index === occurrence,
          })),
        ),
      said: (this.#noteSource.getSnapshot().notes ?? []).flatMap(({ id, parent_id, place }) => {
        const span = parent_id === null ? placeSpan(place, origin) : null;
        return span ? [{ id, at: span.from }] : [];
      }),
      openThreads: this.#openThread,
    });
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}

// Opens an analysis for as long as its page is shown.

export type AnalysisState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly sentence: string }
  /** The link was made by a later version of this page. */
  | { readonly kind: "newer" }
  | { readonly kind: "live"; readonly live: LiveAnalysis };

export function useAnalysis(source: AnalysisSource): AnalysisState {
  const [state, setState] = useState<AnalysisState>({ kind: "loading" });
  const { api, id, timeline, inputs, limits, path } = source;
  useEffect(() => {
    const stop = new AbortController();
    let close = () => {};
    setState({ kind: "loading" });
    api.timeline.tasks(id, stop.signal).then(
      (tasks) => {
        if (stop.signal.aborted) return;
        if (parseView(window.location.search.slice(1)).kind === "newer") {
          setState({ kind: "newer" });
          return;
        }
        const live = new LiveAnalysis({ api, id, timeline, inputs, limits, path }, tasks);
        close = () => live.close();
        setState({ kind: "live", live });
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

export function useDrawer(live: LiveAnalysis): DrawerState {
  return useSyncExternalStore(live.subscribeDrawer, live.drawer);
}
