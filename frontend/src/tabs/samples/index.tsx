import { useMemo, useState } from "react";
import { readSampleRows, type SampleRows } from "../../analysis/sample-rows.ts";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import type { Api } from "../../api/routes/service.ts";
import type { SampleTable, TimeWindow } from "../../api/types.ts";
import { formatAbs, formatCount, plural } from "../../lib/format.ts";
import { parseNs, toAbs } from "../../lib/time.ts";
import { Downloads } from "../../ui/downloads.tsx";
import { Button } from "../../ui/fields.tsx";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";
import { useAnswer } from "../../ui/use-load.ts";
import "./samples.css";

export const view: DrawerView = {
  id: "samples",
  title: "Samples",
  Body: SamplesTab,
};

function tablesTable(samples: readonly SampleTable[]): TextTable {
  return describeTable<SampleTable>(
    [
      { name: "table", exact: "table" },
      { name: "rows", exact: "rows", unit: "count" },
      { name: "from – to, s", exact: "from_ns", unit: "time", show: tableSpan },
      { name: null, exact: "to_ns", unit: "time" },
      { name: null, exact: "placed", unit: "count" },
      { name: "all rows, as", exact: null, value: () => null },
    ],
    samples,
  );
}

/** Samples: every table, and the rows of one inside the window. */
function SamplesTab(props: TabProps) {
  const { api, analysis, live, drawer } = props;
  const [problem, setProblem] = useState<string | null>(null);
  const { samples } = props.timeline;
  const tables = useMemo(() => tablesTable(samples), [samples]);
  const chosen = samples.find((one) => one.table === drawer.table) ?? samples[0];
  if (!chosen) {
    return (
      <p className="tab-empty muted">
        This analysis has no samples. Add PSI, vmstat or cgroup files to the recording;{" "}
        <code>numalens record</code> includes all of them.
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
                <Button
                  className="inline mono"
                  aria-pressed={one === chosen}
                  title={tableSentence(one.table)}
                  onClick={() => live.setDrawer({ table: one.table })}
                >
                  {one.table}
                </Button>
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
      <SampleRowsPane {...props} table={chosen} />
    </div>
  );
}

function SampleRowsPane(props: TabProps & { readonly table: SampleTable }) {
  const { api, analysis, table, live, snapshot } = props;
  const [saveProblem, setSaveProblem] = useState<string | null>(null);
  const { origin } = live.stage.scene;
  const { view } = snapshot;
  // Rows without a time are in no window: they are shown as they come.
  const window: TimeWindow | null =
    table.placed === 0 ? null : { from: toAbs(origin, view.from), to: toAbs(origin, view.to) + 1n };
  const url = api.downloads.samples(analysis.id, table.table, "csv", window);
  const read = useAnswer(url, (signal) => load(api, url, signal), { restMs: REST_MS });
  const { answer: rows, loading, problem } = read;
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

/** Rows of a table of samples, described by their content. */

type Row = readonly string[];

/** Numbers as they were recorded; what does not fit a float64 stays whole. */
function numberOf(text: string): number | bigint | null {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }
  return /^-?\d+\.\d+$/.test(text) ? Number(text) : null;
}

/** @param inputs names of the analysis' inputs: rows have its number */
export function sampleTable(head: Row, rows: readonly Row[], inputs: readonly string[]): TextTable {
  const columns = shownColumns(head, rows).map((at): Column<Row> => {
    const exact = head[at] ?? "";
    const textAt = (row: Row) => row[at] ?? "";
    const shown = (row: Row) => fieldText(exact, textAt(row), inputs);
    const name = columnName(exact);
    const numeric =
      exact !== "input" && rows.every((row) => textAt(row) === "" || numberOf(textAt(row)) !== null);
    if (!numeric) return { name, exact, value: textAt, show: shown };
    const unit = exact === "ts_ns" ? "time" : "id";
    return {
      name,
      exact,
      unit,
      value: (row) => numberOf(textAt(row)),
      show: shown,
    };
  });
  return describeTable(columns, rows);
}

/** More rows than this are left to the download. */
export const MOST_ROWS = 5000;
/** A window that moves is requested when it has been still for this long. */
const REST_MS = 250;

async function load(api: Api, url: string, signal: AbortSignal): Promise<SampleRows> {
  const { body } = await api.downloads.open(url, signal);
  return body ? readSampleRows(body, MOST_ROWS) : { head: [], rows: [], more: false };
}

// Tables of samples as they are on the page.

const WHAT: Readonly<Record<string, string>> = {
  psi: "pressure stall times, system and cgroups (/proc/pressure, *.pressure)",
  vmstat: "counters of the memory management (/proc/vmstat)",
  stat: "CPU time by use (/proc/stat)",
  loadavg: "load averages (/proc/loadavg)",
  numa_group: "NUMA groups of cgroups (cpu.numa_group)",
  automig: "statistics of the automatic migration",
  numa_maps: "pages of each mapping by node (/proc/PID/numa_maps)",
  proc_sched: "scheduler counters of tasks (/proc/PID/sched)",
  proc_sched_faults: "NUMA faults of tasks by node (/proc/PID/sched)",
  cgroup_tasks: "which task is in which cgroup",
  benchmarks: "results of benchmarks: sysbench, pgbench, hackbench, schbench, mmtests, NAS",
  cgroup_stat: "counters of cgroups (cpu.stat, memory.numa_stat)",
};

export function tableSentence(table: string): string {
  return WHAT[table] ?? "samples";
}

/** The interval that the placed rows cover, in s of the trace clock. */
export function tableSpan({ from_ns, to_ns }: Pick<SampleTable, "from_ns" | "to_ns">): string {
  if (from_ns === null || to_ns === null) return "";
  return `${formatAbs(BigInt(from_ns), 3)} – ${formatAbs(BigInt(to_ns), 3)}`;
}

/** Rows that no time is known of, in words; empty when there are none. */
export function unplacedText({ rows, placed }: Pick<SampleTable, "rows" | "placed">): string {
  if (placed >= rows) return "";
  return placed === 0 ? "none aligned in time" : `${plural(rows - placed, "row")} not aligned in time`;
}

/** Text of the line above a table's rows. */
export function shownText(shown: number, more: boolean, inWindow: boolean): string {
  const where = inWindow ? " in the window" : "";
  if (!more) return `${plural(shown, "row")}${where}`;
  const rest = inWindow ? "zoom in, or download all of them" : "download all of them";
  return `the first ${formatCount(shown)} rows${where}; ${rest}`;
}

const STAMPS = ["idx", "mono_ns", "boot_ns", "real_ns", "trace_ns", "end_mono_ns"];

/**
 * The columns to show, in order: when, what, and the sample's own stamps last. Columns that nothing was recorded for would
 * only push the others out of sight.
 */
export function shownColumns(head: readonly string[], rows: readonly (readonly string[])[]): number[] {
  const rank = (column: number) => {
    const name = head[column] ?? "";
    return name === "ts_ns" ? 0 : name === "input" ? 1 : STAMPS.includes(name) ? 3 : 2;
  };
  return head
    .map((_, column) => column)
    .filter((column) => rows.some((row) => row[column]))
    .sort((a, b) => rank(a) - rank(b) || a - b);
}

export function columnName(name: string): string {
  return name === "ts_ns" ? "time, s" : name;
}

/** A field as it is shown: times in s of the trace clock, inputs by name; all else as it was recorded. */
export function fieldText(column: string, text: string, inputs: readonly string[]): string {
  if (column === "input") return inputs[Number(text)] ?? text;
  if (column !== "ts_ns") return text;
  const ns = parseNs(text);
  return ns === null ? text : formatAbs(ns);
}
