/** Connection of the drawer's query with the address and its panel. */

import type { SqlQuery } from "../api/routes/sql.ts";
import { panel as sqlKind } from "../panels/sql/index.tsx";
import { type SqlTrack, sqlTrack } from "../panels/sql/sql-track.ts";
import type { Stage } from "../timeline/stage/stage.ts";
import type { QueryWindow } from "../view-state/tab-views.ts";
import type { DrawerState } from "../view-state/view-state.ts";
import type { SqlSource } from "./sql-source.ts";
import { shownWindow } from "./use-section.ts";

export interface LiveSql {
  readonly source: SqlSource;
  /** Runs a query, again too; it becomes a step of the history when it is another one. */
  readonly run: (sql: string) => void;
  /** Puts the rows on the time axis, or takes them away. */
  readonly setTrack: (shown: boolean) => void;
  readonly setWindow: (window: QueryWindow) => void;
  /** Does as the address says. */
  readonly adopt: () => void;
  readonly close: () => void;
}

interface Parts {
  readonly source: SqlSource;
  readonly stage: Stage;
  readonly drawer: () => DrawerState;
  /** Changes the drawer, as one step. */
  readonly set: (change: Partial<DrawerState>) => void;
}

export function liveSql({ source, stage, drawer, set }: Parts): LiveSql {
  const { origin, bounds } = stage.scene;
  const panel = stage.panel(sqlKind);
  const made: { answer: unknown; track: SqlTrack | null } = { answer: null, track: null };
  /** The panel follows the answer; while another one is on its way it keeps what it has. */
  const draw = () => {
    const { answer, since, query } = source.getSnapshot();
    if (!drawer().queryTrack || query === null) panel.track = null;
    else if (since === null || answer) {
      if (answer !== made.answer)
        Object.assign(made, { answer, track: answer && sqlTrack(answer, origin, bounds) });
      panel.track = made.track;
    }
  };
  const stop = source.subscribe(draw);
  const concrete = (window: QueryWindow): SqlQuery["window"] =>
    window === "shown" ? shownWindow(stage, stage.getSnapshot()) : window;
  return {
    source,
    run: (sql) => {
      const text = sql.trim() === "" ? null : sql;
      if (text === null) return;
      // By hand it runs on what is shown now, whatever it ran on before.
      const window = concrete(drawer().queryWindow === null ? null : "shown");
      void source.run({ sql: text, window });
      set({ query: text, queryWindow: window });
    },
    setTrack: (queryTrack) => {
      set({ queryTrack });
      draw();
      if (!queryTrack) return;
      stage.arrange({ kind: "reveal", id: sqlKind.id }, false);
      stage.bringUpPanel(sqlKind.id);
    },
    setWindow: (queryWindow) => set({ queryWindow }),
    adopt: () => {
      const { query, queryTrack, queryWindow, tab } = drawer();
      // A tab that is not looked at asks nothing; a track does.
      const wanted = query !== null && (tab === "sql" || queryTrack);
      if (wanted) source.want({ sql: query, window: concrete(queryWindow) });
      else if (query === null) source.want(null);
      draw();
    },
    close: () => {
      stop();
      source.close();
    },
  };
}

/** Some browsers refuse access to it. */
export function browserStore(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}
