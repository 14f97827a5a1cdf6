/** The stage of an analysis without a page around it: for a view in a report. It has no address, no drawer and no keys. */

import { pressureInput, sceneOf } from "../../../analysis/stage-inputs.ts";
import { inTurn } from "../../../api/routes/section-source.ts";
import type { Api } from "../../../api/routes/service.ts";
import type { MissingPart, PressureSection } from "../../../api/types.ts";
import { formatWindow } from "../../../lib/ranges.ts";
import { toRel } from "../../../lib/time.ts";
import { DegreePreview } from "../../../panels/cling/degree-preview.ts";
import { panelSources } from "../../../panels/panel-sources.ts";
import { ReplaySource } from "../../../panels/psi/replay-source.ts";
import { SqlTracks } from "../../../panels/sql/sql-panel.ts";
import { sqlTrack } from "../../../panels/sql/sql-track.ts";
import { NO_NOTES } from "../../../timeline/notes.ts";
import { Stage } from "../../../timeline/stage/stage.ts";
import { TimelineSource } from "../../../timeline/tiles/timeline-source.ts";
import { currentTheme, subscribeTheme } from "../../../ui/canvas/theme.ts";
import type { ViewState } from "../../../view-state/view-state.ts";
import type { World } from "./report-world.ts";

export interface BareStage {
  readonly stage: Stage;
  readonly preview: DegreePreview;
  /** Of the link, as far as there is a trace. */
  readonly first: string;
  /** As it was given. */
  readonly reset: () => void;
  readonly setDegree: (degree: number | null) => void;
  readonly close: () => void;
}

interface Parts {
  readonly api: Api;
  readonly id: string;
  readonly world: World;
  readonly view: ViewState;
  /** Device pixels per CSS pixel; null is the screen's. */
  readonly ratio: number | null;
}

const STILL = { follow: () => {}, step: () => {}, rest: () => {} };

export function bareStage({ api, id, world, view, ratio }: Parts): BareStage {
  const { timeline, analysis, limits } = world;
  const scene = sceneOf(timeline, world.tasks);
  const { origin, bounds } = scene;
  const source = new TimelineSource(
    (query, signal) => api.timeline.columns(id, query, signal),
    origin,
    bounds,
    limits,
  );
  const replay = new ReplaySource(
    inTurn<PressureSection | MissingPart>((query, signal) => api.sections.pressure(id, query, signal)),
    origin,
    bounds,
  );
  const pressure = pressureInput({ api, id, timeline, inputs: analysis.inputs }, origin, bounds, replay);
  const { recorded, tried, ...others } = panelSources(api, id, scene);
  const preview = new DegreePreview((degree) => setDegree(degree));
  const sql = new SqlTracks();
  const stage = new Stage({
    scene,
    source,
    lookup: {
      at: (cpu, at, signal) => api.timeline.slice(id, cpu, at, signal),
      neighbour: (pid, at, dir, signal) => api.timeline.neighbour(id, pid, at, dir, signal),
    },
    panels: { ...others, cling: { recorded, tried, preview }, pressure, sql },
    hooks: STILL,
    theme: currentTheme(),
    ratio,
  });
  const setDegree = (degree: number | null) => {
    stage.setDegree(degree);
    preview.settle();
  };
  replay.rules = view.rules;
  setDegree(view.degree);
  stage.setNotes({
    ...NO_NOTES,
    marks: view.marks.map(({ at, name }) => ({ at: toRel(origin, at), name })),
  });
  stage.apply(view, false);
  const stop = new AbortController();
  if (view.queryTrack && view.query !== null) {
    const window = view.queryWindow === "shown" ? view.window : view.queryWindow;
    api.sql.rows(id, { sql: view.query, window }, stop.signal).then(
      (answer) => {
        sql.track = sqlTrack(answer, origin, bounds);
      },
      // Without its rows the view is still one; the query's own error stands where it was asked.
      () => {},
    );
  }
  const endTheme = subscribeTheme(() => stage.setTheme(currentTheme()));
  return {
    stage,
    preview,
    first: windowKey(stage.viewState().window),
    reset: () => stage.apply(view, true),
    setDegree,
    close: () => {
      stop.abort();
      endTheme();
      preview.settle();
      source.close();
      stage.close();
    },
  };
}

/** Tells windows apart. */
export function windowKey(window: ViewState["window"]): string {
  return window === null ? "" : formatWindow(window);
}
