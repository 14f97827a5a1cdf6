import { useMemo, useState } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { SqlState } from "../../analysis/sql-source.ts";
import { sentenceOf } from "../../api/client.ts";
import type { ExportFormat } from "../../api/routes/downloads.ts";
import type { Api } from "../../api/routes/service.ts";
import type { SqlQuery } from "../../api/routes/sql.ts";
import type { SqlAnswer } from "../../api/types.ts";
import { formatCount } from "../../lib/format.ts";
import { toRel } from "../../lib/time.ts";
import { answerText, rowPlaces, sqlTable, traceText } from "../../panels/sql/sql-table.ts";
import { whyNoTrack } from "../../panels/sql/sql-track.ts";
import { saveBlob } from "../../ui/downloads.tsx";
import { Button } from "../../ui/fields.tsx";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly live: LiveAnalysis;
  readonly state: SqlState;
  /** True if its rows are on the time axis. */
  readonly track: boolean;
}

/** Result of a query: its rows, their source, and the exports to the timeline and to files. */
export function SqlResult({ api, id, live, state, track }: Props) {
  const { query, answer, since } = state;
  if (!query || !answer) return null;
  const why = whyNoTrack(answer);
  return (
    <>
      <div className="tab-tools sql-summary">
        <span role="status" data-testid="sql-summary" title={traceText(answer)}>
          {answerText(answer)}
        </span>
        <Button
          className="quiet"
          aria-pressed={track}
          disabled={why !== null && !track}
          title={why ?? "Draws the rows as a panel of the timeline"}
          onClick={() => live.sql.setTrack(!track)}
        >
          {track ? "Hide track" : "Show as track"}
        </Button>
        {answer.truncated && <AllRows api={api} id={id} query={query} />}
        {answer.notes.map((note) => (
          <span key={note} className="muted sql-note" title={note}>
            {note}
          </span>
        ))}
      </div>
      <div className={since === null ? "sql-rows" : "sql-rows stale"}>
        {/* Another query has other columns: how those of before were sorted says nothing of them. */}
        <Rows key={query.sql} live={live} answer={answer} />
      </div>
    </>
  );
}

function Rows({ live, answer }: { readonly live: LiveAnalysis; readonly answer: SqlAnswer }) {
  const [picked, setPicked] = useState<number | null>(null);
  const { stage } = live;
  const table = useMemo(() => sqlTable(answer), [answer]);
  const placeOf = useMemo(() => rowPlaces(answer), [answer]);
  if (answer.columns.length === 0) return <p className="tab-empty muted">The query returned no rows.</p>;
  if (answer.rows.length === 0) return <p className="tab-empty muted">No row matches the query.</p>;
  const jump = (row: number) => {
    const place = placeOf?.(row);
    if (!place) return;
    setPicked(row);
    const { origin } = stage.scene;
    const from = toRel(origin, place.ts);
    const at = place.cpu === null ? null : { cpu: place.cpu, at: place.ts };
    if (place.dur !== null) void stage.show({ from, to: from + Number(place.dur) }, at);
    else if (at) void stage.visit(from, at);
    else stage.centre(from);
  };
  return (
    <VirtualTable
      label="Rows of the query"
      table={table}
      name="query"
      testId="sql-rows"
      most={64}
      {...(placeOf ? { onPick: jump } : {})}
      picked={picked}
      cell={(row, column) => fieldOf(answer, row, column)}
    />
  );
}

/** NULL is distinguished from a text of that name; an empty text still is something to press. */
function fieldOf({ rows }: SqlAnswer, row: number, column: number) {
  const cell = rows[row]?.[column];
  if (cell === null || cell === undefined) return <span className="sql-null">NULL</span>;
  return column === 0 && cell === "" ? <span className="sql-null">empty</span> : undefined;
}

const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ["csv", "CSV"],
  ["ndjson", "NDJSON"],
  ["arrow", "Arrow"],
];

/** More rows than a page shows are written by the service. */
function AllRows({ api, id, query }: { readonly api: Api; readonly id: string; readonly query: SqlQuery }) {
  const [said, setNote] = useState<{ readonly text: string; readonly failed: boolean } | null>(null);
  const save = (format: ExportFormat) => {
    setNote({ text: "loading all rows…", failed: false });
    api.sql.file(id, query, format).then(
      ({ blob, truncated }) => {
        saveBlob(blob, `query-all.${format}`);
        setNote(
          truncated ? { text: "More rows exist than this server returns at once.", failed: true } : null,
        );
      },
      (error: unknown) => setNote({ text: sentenceOf(error), failed: true }),
    );
  };
  return (
    <span className="downloads">
      <span className="muted">all rows:</span>
      {FORMATS.map(([format, word]) => (
        <Button key={format} className="inline" onClick={() => save(format)}>
          {word}
        </Button>
      ))}
      {said && (
        <span role={said.failed ? "alert" : "status"} className={said.failed ? "problem" : "muted"}>
          {said.text}
        </span>
      )}
    </span>
  );
}

/** Run time of a query, s. */
export function elapsedText(ms: number): string {
  return `${formatCount(Math.floor(ms / 1000))} s`;
}
