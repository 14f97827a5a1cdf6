/** The stage of an analysis without a page around it: for a view in a report. It has no address, no drawer and no keys. */

import { makeStage } from "../../../analysis/make-stage.ts";
import type { Api } from "../../../api/routes/service.ts";
import { formatWindow } from "../../../lib/ranges.ts";
import { toRel } from "../../../lib/time.ts";
import { panel as clingKind } from "../../../panels/cling/index.tsx";
import { panel as psiKind } from "../../../panels/psi/index.tsx";
import { panel as sqlKind } from "../../../panels/sql/index.tsx";
import { sqlTrack } from "../../../panels/sql/sql-track.ts";
import { NO_NOTES } from "../../../timeline/notes.ts";
import type { Stage } from "../../../timeline/stage/stage.ts";
import type { ViewState } from "../../../view-state/view-state.ts";
import type { World } from "./report-world.ts";

export interface ReportStage {
  readonly stage: Stage;
  /** Of the link, as far as there is a trace. */
  readonly first: string;
  /** As it was given. */
  readonly reset: () => void;
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

export function reportStage({ api, id, world, view, ratio }: Parts): ReportStage {
  const { timeline, analysis, limits, tasks } = world;
  const { inputs } = analysis;
  const made = makeStage({ api, id, timeline, inputs, limits, tasks, hooks: STILL, worker: false, ratio });
  const { stage } = made;
  const { origin, bounds } = stage.scene;
  const cling = stage.panel(clingKind);
  cling.onDegree = (degree) => {
    cling.degree = degree;
  };
  cling.degree = view.degree;
  stage.panel(psiKind).rules = view.rules;
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
        stage.panel(sqlKind).track = sqlTrack(answer, origin, bounds);
      },
      // Without its rows the view is still one; the query's own error stands where it was run.
      () => {},
    );
  }
  return {
    stage,
    first: windowKey(stage.viewState().window),
    reset: () => stage.apply(view, true),
    close: () => {
      stop.abort();
      made.close();
    },
  };
}

/** Tells windows apart. */
export function windowKey(window: ViewState["window"]): string {
  return window === null ? "" : formatWindow(window);
}
