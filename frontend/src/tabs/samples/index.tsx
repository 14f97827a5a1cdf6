import { useMemo, useState } from "react";
import type { Tab } from "../../analysis/tab.ts";
import type { Api } from "../../api/routes/service.ts";
import type { AnalysisDetail, SampleTable, TimelineInfo } from "../../api/types.ts";
import type { TimeWindow } from "../../api/window.ts";
import { plural } from "../../lib/format.ts";
import { parseNs, toAbs } from "../../lib/time.ts";
import type { Stage } from "../../timeline/stage/stage.ts";
import type { StageSnapshot } from "../../timeline/stage/stage-parts.ts";
import { Downloads } from "../../ui/downloads.tsx";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";
import { sampleTable } from "./sample-table.ts";
import { shownText, tableSentence, tableSpan, unplacedText } from "./sample-words.ts";
import { useSampleRows } from "./use-sample-rows.ts";
import "./samples.css";

export const tab: Tab = {
  id: "samples",
  title: "Samples",
  Body: ({ api, analysis, timeline, live, snapshot, drawer }) => (
    <SamplesTab
      api={api}
      analysis={analysis}
      timeline={timeline}
      stage={live.stage}
      snapshot={snapshot}
      table={drawer.table}
      onTable={(table) => live.setDrawer({ table })}
    />
  ),
};

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

function tablesTable(samples: readonly SampleTable[]): TextTable {
  return describeTable<SampleTable>(
    [
      { name: "table", exact: "table", value: ({ table }) => table },
      { name: "rows", exact: "rows", unit: "count", value: ({ rows }) => rows },
      {
        name: "from – to, s",
        exact: "from_ns",
        unit: "time",
        value: ({ from_ns }) => (from_ns === null ? null : parseNs(from_ns)),
        show: tableSpan,
      },
      {
        name: null,
        exact: "to_ns",
        unit: "time",
        value: ({ to_ns }) => (to_ns === null ? null : parseNs(to_ns)),
      },
      { name: null, exact: "placed", unit: "count", value: ({ placed }) => placed },
      { name: "all rows, as", exact: null, value: () => null },
    ],
    samples,
  );
}

/** What was sampled: every table, and the rows of one inside the window. */
function SamplesTab({ api, analysis, timeline, stage, snapshot, table, onTable }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const { samples } = timeline;
  const tables = useMemo(() => tablesTable(samples), [samples]);
  const chosen = samples.find((one) => one.table === table) ?? samples[0];
  if (!chosen) {
    return (
      <p className="tab-empty muted">
        This analysis has no samples. Add PSI, vmstat or cgroup files to the recording;{" "}
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
        <DataGrid
          label="Tables of samples"
          table={tables}
          name="samples"
          testId="samples-table"
          rowClass={(row) => (samples[row] === chosen ? "selected" : "")}
          cell={(row, column) => {
            const one = samples[row];
            if (!one) return undefined;
            if (column === 0) {
              return (
                <button
                  type="button"
                  className="inline mono"
                  aria-pressed={one === chosen}
                  title={tableSentence(one.table)}
                  onClick={() => onTable(one.table)}
                >
                  {one.table}
                </button>
              );
            }
            if (column === 2) {
              const span = tableSpan(one);
              return (
                <span title={unplacedText(one)}>
                  {span === "" ? <span className="warn">{unplacedText(one)}</span> : span}
                </span>
              );
            }
            return column === 3 ? (
              <Downloads
                api={api}
                name={one.table}
                url={(format) => api.downloads.samples(analysis.id, one.table, format)}
                onProblem={setProblem}
              />
            ) : undefined;
          }}
        />
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
    api.downloads.samples(analysis.id, table.table, "csv", window),
  );
  const names = useMemo(() => analysis.inputs.map(({ name }) => name), [analysis.inputs]);
  const shown = useMemo(() => {
    if (!rows) return null;
    return sampleTable(rows.head, rows.rows, names);
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
            url={(format) => api.downloads.samples(analysis.id, table.table, format, window)}
            onProblem={setSaveProblem}
          />
        )}
        {said !== null && <span className="problem">{said}</span>}
      </p>
      {shown !== null && (
        <VirtualTable
          label={`Rows of ${table.table}`}
          table={shown}
          name={`${table.table}-shown`}
          testId="sample-rows"
        />
      )}
    </section>
  );
}
