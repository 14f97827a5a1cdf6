import { type ComponentType, useMemo, useState } from "react";
import { otherPart, PART_WORDS, usualPart, whyPart } from "../../analysis/perfetto-ui.ts";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import { shownWindow } from "../../analysis/use-section.ts";
import type { TimeWindow } from "../../api/types.ts";
import { plural } from "../../lib/format.ts";
import { Downloads, SaveLink } from "../../ui/downloads.tsx";
import { Button } from "../../ui/fields.tsx";
import { usePermission } from "../../ui/permissions.ts";
import { Bar, DataGrid } from "../../ui/table/data-grid.tsx";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { FilterTools } from "../../ui/table/table-tools.tsx";
import { EventRows } from "./event-rows-view.tsx";
import "./events.css";

export const view: readonly DrawerView[] = [
  { id: "types", title: "By type", Body: (props) => <EventsView {...props} Part={EventTypes} /> },
  { id: "rows", title: "One by one", Body: (props) => <EventsView {...props} Part={EventRows} /> },
];

/** Recorded events: counts by type, or a list. */
function EventsView({ Part, ...props }: TabProps & { readonly Part: ComponentType<TabProps> }) {
  const none = Object.keys(props.timeline.event_counts).length === 0;
  return (
    <div className="events-tab">
      <p className="tab-tools">
        <TraceLinks {...props} />
      </p>
      {none ? (
        <div className="tab-empty" data-testid="events-absent">
          <p>No input is a recording of events.</p>
          <p className="muted">
            Samples are under Recording, Samples. For events, record a trace as well: numalens record takes
            both.
          </p>
        </div>
      ) : (
        <Part {...props} />
      )}
    </div>
  );
}

/** The recording in Perfetto's own page, and for its other tools. */
function TraceLinks({ api, analysis, live, snapshot }: TabProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const link = (word: string, window: TimeWindow | null) => (
    <SaveLink
      api={api}
      file={window ? "window.pftrace" : "trace.pftrace"}
      url={api.downloads.trace(analysis.id, window)}
      word={word}
      title="All events with every field, and the replay results as tracks"
      onProblem={setProblem}
    />
  );
  const may = usePermission("download");
  const { events, open } = live.perfetto;
  const usual = usualPart(events);
  const other = otherPart(usual);
  if (!may) return null;
  return (
    <span className="downloads">
      <Button className="quiet" onClick={() => open(usual)} title={whyPart(events)}>
        Open in Perfetto
      </Button>
      <Button
        className="inline"
        onClick={() => open(other)}
        title={`Opens ${PART_WORDS[other]} in Perfetto instead`}
      >
        {other === "whole" ? "the whole" : "this window only"}
      </Button>
      <span className="muted">Perfetto trace as a file:</span>
      {link("this window", shownWindow(live.stage, snapshot))}
      {link("the whole", null)}
      {problem && <span role="alert">{problem}</span>}
    </span>
  );
}

type TypeRow = readonly [string, number];

function typesTable(rows: readonly TypeRow[]): TextTable {
  const most = rows.reduce((top, [, count]) => Math.max(top, count), 1);
  return describeTable<TypeRow>(
    [
      { name: "event", exact: "event_type", value: ([name]) => name },
      { name: "count", exact: "count", unit: "count", value: ([, count]) => count },
      { name: "every field, as", exact: null, value: () => null },
      { name: "of the most", exact: null, unit: "share", value: ([, count]) => count / most },
    ],
    rows,
  );
}

function EventTypes({ api, analysis, live, timeline }: TabProps) {
  const { id } = analysis;
  const counts = timeline.event_counts;
  const onType = (type: string) => live.setDrawer({ tab: "rows", events: `event == ${type}` });
  const [filter, setFilter] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const all = useMemo(
    () => Object.entries(counts).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    [counts],
  );
  const shown = useMemo(() => all.filter(([name]) => name.includes(filter.trim())), [all, filter]);
  const table = useMemo(() => typesTable(shown), [shown]);
  const most = shown[0]?.[1] ?? 1;
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <FilterTools
        placeholder="Event name"
        label="Filter events by name"
        filter={filter}
        onFilter={setFilter}
        problem={problem}
      >
        {plural(total, "event")} of {plural(all.length, "type")}, as recorded
      </FilterTools>
      <DataGrid
        label="Events by type"
        table={table}
        name="event-types"
        testId="events-table"
        cell={(row, column) => {
          const name = shown[row]?.[0] ?? "";
          if (column === 0) {
            return (
              <Button className="inline mono" onClick={() => onType(name)} title="List them">
                {name}
              </Button>
            );
          }
          if (column === 2) {
            return (
              <Downloads
                api={api}
                name={name}
                url={(format) => api.downloads.events(id, name, format)}
                onProblem={setProblem}
              />
            );
          }
          return column === 3 ? <Bar share={(shown[row]?.[1] ?? 0) / most} /> : undefined;
        }}
        cellClass={(_, column) => (column === 3 ? "bar-cell" : "")}
      />
    </>
  );
}
