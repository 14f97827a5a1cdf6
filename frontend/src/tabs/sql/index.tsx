import { lazy, Suspense, useCallback, useEffect, useState, useSyncExternalStore } from "react";
import type { PastQuery } from "../../analysis/sql-source.ts";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import type { SqlSchema } from "../../api/types.ts";
import { formatCount } from "../../lib/format.ts";
import { windowText } from "../../lib/terms.ts";
import { Button } from "../../ui/fields.tsx";
import { Menu, type MenuItem } from "../../ui/menu.tsx";
import { useLoad } from "../../ui/use-load.ts";
import { isLinked } from "../../view-state/tab-views.ts";
import { elapsedText, SqlResult } from "./sql-result.tsx";
import "./sql.css";

export const view: DrawerView = {
  id: "sql",
  title: "SQL",
  Body: SqlTab,
};

// Larger than the rest of the page together: it is loaded on demand.
const SqlEditor = lazy(() => import("./sql-editor.tsx"));

/** PerfettoSQL over the recording: the editor at the left, the rows at the right. */
function SqlTab({ api, analysis, live, drawer }: TabProps) {
  const { id } = analysis;
  const { sql } = live;
  const { source } = sql;
  const state = useSyncExternalStore(source.subscribe, source.getSnapshot);
  const [text, setText] = useState(() => drawer.query ?? source.draft);
  const load = useCallback((signal: AbortSignal) => api.sql.schema(id, null, signal), [api, id]);
  const { answer: schema, problem: schemaProblem } = useLoad(load);
  // The address's query runs when the tab is visible.
  useEffect(() => sql.adopt(), [sql]);
  const type = (next: string) => {
    source.draft = next;
    setText(next);
  };
  // Another query came by the address: Back, or a link.
  const { query } = drawer;
  useEffect(() => {
    if (query === null) return;
    source.draft = query;
    setText(query);
  }, [query, source]);
  const take = (next: string) => {
    type(next);
    sql.run(next);
  };
  const { since, problem } = state;
  const { queryWindow } = drawer;
  return (
    <div className="sql-tab">
      <div className="sql-ask">
        <div className="sql-tools">
          <RunButton text={text} since={since} onRun={sql.run} onStop={() => source.cancel()} />
          <Menu name="Examples" text="examples" items={examples(schema, take)} />
          <Menu name="Previous queries" text="history" items={history(source.past, take)} />
          <label
            className="sql-window"
            title="The trace processor is given only what the timeline shows when the query is run"
          >
            <input
              type="checkbox"
              checked={queryWindow !== null}
              onChange={(event) => sql.setWindow(event.currentTarget.checked ? "shown" : null)}
            />
            only this window
          </label>
          {queryWindow !== null && queryWindow !== "shown" && (
            <span className="muted sql-of">{windowText(queryWindow)}</span>
          )}
        </div>
        <Suspense fallback={<div className="sql-editor muted">Loading the editor…</div>}>
          <SqlEditor text={text} schema={schema} onText={type} onRun={sql.run} />
        </Suspense>
        {schemaProblem !== null && <p className="muted sql-schema">No names are offered: {schemaProblem}</p>}
        {!isLinked(text) && <p className="muted sql-schema">This query is too long for a link.</p>}
      </div>
      <section className="sql-answer" aria-label="Answer" aria-busy={since !== null}>
        {since !== null && <Running since={since} />}
        {problem !== null && (
          <p className="problem sql-problem" role="alert" data-testid="sql-problem">
            {problem}
          </p>
        )}
        <SqlResult api={api} id={id} live={live} state={state} track={drawer.queryTrack} />
        {state.query === null && (
          <p className="tab-empty muted">
            Query the recording in PerfettoSQL: tables of events, and views of the replay results. Start with
            an example.
          </p>
        )}
      </section>
    </div>
  );
}

interface RunProps {
  readonly text: string;
  readonly since: number | null;
  readonly onRun: (text: string) => void;
  readonly onStop: () => void;
}

function RunButton({ text, since, onRun, onStop }: RunProps) {
  return since === null ? (
    <Button
      className="primary"
      disabled={text.trim() === ""}
      title="Run the query (Ctrl Enter)"
      onClick={() => onRun(text)}
    >
      Run
    </Button>
  ) : (
    <Button title="Stop the running query" onClick={onStop}>
      Stop
    </Button>
  );
}

/** Progress of the first query, which waits for the trace to be loaded. */
function Running({ since }: { readonly since: number }) {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const ms = Math.max(0, now - since);
  return (
    <p className="muted sql-running" role="status" data-testid="sql-running">
      running…{ms >= 1000 ? ` ${elapsedText(ms)}` : ""}
      {ms >= 3000 ? "; the first query loads the trace, later ones are quick." : ""}
    </p>
  );
}

function examples(schema: SqlSchema | null, take: (sql: string) => void): readonly MenuItem[] {
  if (!schema) return [{ name: "loading tables and modules…", disabled: true, onPick: () => {} }];
  return schema.examples.map(({ title, sql }) => ({ name: title, onPick: () => take(sql) }));
}

/** Limit of a shown query: its start identifies it. */
const MOST_SHOWN = 72;

function history(past: readonly PastQuery[], take: (sql: string) => void): readonly MenuItem[] {
  if (past.length === 0) return [{ name: "none in this browser yet", disabled: true, onPick: () => {} }];
  return past.map(({ sql, rows, failed }, place) => {
    const line = sql.replace(/\s+/g, " ").trim();
    const short = line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
    const came = failed !== null ? "failed" : rows === null ? "" : `${formatCount(rows)} rows`;
    return { name: `${place + 1}. ${short} · ${came}`, onPick: () => take(sql) };
  });
}
