import { useMemo, useState } from "react";
import type { Api, TimeWindow } from "../data/api.ts";
import type { AnalysisDetail, SampleTable, TimelineInfo } from "../data/types.ts";
import { formatCount, plural } from "../logic/format.ts";
import {
  columnName,
  fieldText,
  shownColumns,
  shownText,
  tableSentence,
  tableSpan,
  unplacedText,
} from "../logic/sample-words.ts";
import { toAbs } from "../logic/time.ts";
import type { Stage } from "../view/stage.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { Downloads } from "./downloads.tsx";
import { GridTable } from "./grid-table.tsx";
import { useSampleRows } from "./use-sample-rows.ts";
import { VirtualTable } from "./virtual-table.tsx";

interface Props {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  /** The table that the address names. */
  readonly table: string | null;
  readonly onTable: (table: string) => void;
}

const COLUMNS = [
  { name: "table" },
  { name: "rows", right: true },
  { name: "from – to, s", right: true },
  { name: "all rows, as" },
];

/** What was sampled: every table, and the rows of one inside the window. */
export function SamplesTab({ api, analysis, timeline, stage, snapshot, table, onTable }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const { samples } = timeline;
  const chosen = samples.find((one) => one.table === table) ?? samples[0];
  if (!chosen) {
    return (
      <p className="tab-empty muted">
        This analysis has no samples. Add PSI, vmstat or cgroup files beside the recording;{" "}
        <code>numalens record</code> takes them all.
      </p>
    );
  }
  return (
    <div className="samples-tab">
      <div className="sample-tables">
        <p className="tab-tools">
          <span className="muted">{plural(samples.length, "table")}</span>
          {problem !== null && <span className="problem">{problem}</span>}
        </p>
        <GridTable columns={COLUMNS} testId="samples-table">
          {samples.map((one) => (
            <tr key={one.table} className={one === chosen ? "selected" : ""}>
              <td className="mono" title={tableSentence(one.table)}>
                <button
                  type="button"
                  className="inline"
                  aria-pressed={one === chosen}
                  onClick={() => onTable(one.table)}
                >
                  {one.table}
                </button>
              </td>
              <td className="num right">{formatCount(one.rows)}</td>
              <td className="num right" title={unplacedText(one)}>
                {tableSpan(one) || <span className="warn">{unplacedText(one)}</span>}
              </td>
              <td>
                <Downloads
                  api={api}
                  name={one.table}
                  url={(format) => api.samplesUrl(analysis.id, one.table, format)}
                  onProblem={setProblem}
                />
              </td>
            </tr>
          ))}
        </GridTable>
      </div>
      <SampleRowsPane api={api} analysis={analysis} table={chosen} stage={stage} snapshot={snapshot} />
    </div>
  );
}

interface PaneProps {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly table: SampleTable;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

function SampleRowsPane({ api, analysis, table, stage, snapshot }: PaneProps) {
  const [saveProblem, setSaveProblem] = useState<string | null>(null);
  const { origin } = stage.scene;
  const { view } = snapshot;
  // Rows without a time are in no window: they are shown as they come.
  const window: TimeWindow | null =
    table.placed === 0 ? null : { from: toAbs(origin, view.from), to: toAbs(origin, view.to) + 1n };
  const { rows, loading, problem } = useSampleRows(
    api,
    api.samplesUrl(analysis.id, table.table, "csv", window),
  );
  const names = useMemo(() => analysis.inputs.map(({ name }) => name), [analysis.inputs]);
  const shown = useMemo(() => {
    if (!rows) return null;
    const used = shownColumns(rows.head, rows.rows);
    return {
      head: used.map((column) => columnName(rows.head[column] ?? "")),
      rows: rows.rows.map((row) =>
        used.map((column) => fieldText(rows.head[column] ?? "", row[column] ?? "", names)),
      ),
    };
  }, [rows, names]);
  const said = problem ?? saveProblem;
  return (
    <section className="sample-rows" aria-label={`Rows of ${table.table}`}>
      <p className="tab-tools">
        <b className="mono">{table.table}</b>
        <span className="muted" role="status" data-testid="sample-count">
          {rows === null || loading ? "reading…" : shownText(rows.rows.length, rows.more, window !== null)}
        </span>
        {table.placed > 0 && unplacedText(table) !== "" && (
          <span className="warn">{unplacedText(table)}</span>
        )}
        {window !== null && (
          <Downloads
            api={api}
            name={`${table.table}-window`}
            url={(format) => api.samplesUrl(analysis.id, table.table, format, window)}
            onProblem={setSaveProblem}
          />
        )}
        {said !== null && <span className="problem">{said}</span>}
      </p>
      {shown !== null && (
        <VirtualTable
          label={`Rows of ${table.table}`}
          head={shown.head}
          rows={shown.rows}
          testId="sample-rows"
        />
      )}
    </section>
  );
}
