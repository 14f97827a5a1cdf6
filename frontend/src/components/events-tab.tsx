import { useState } from "react";
import type { Api } from "../data/api.ts";
import { formatCount, plural } from "../logic/format.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { Downloads } from "./downloads.tsx";
import { EventRows } from "./event-rows.tsx";
import { FilterTools } from "./filter-tools.tsx";
import { BarCell, GridTable } from "./grid-table.tsx";
import { Choice } from "./section-parts.tsx";
import type { LiveStage } from "./use-stage.ts";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly live: LiveStage;
  readonly snapshot: StageSnapshot;
  readonly counts: Readonly<Record<string, number>>;
  /** The filter that the address says; null lists the types. */
  readonly filter: string | null;
}

const VIEWS = ["types", "rows"] as const;
const VIEW_WORDS = { types: "By type", rows: "One by one" };

/** What was recorded: how much of each type, or event by event. */
export function EventsTab({ api, id, live, snapshot, counts, filter }: Props) {
  return (
    <div className="events-tab">
      <p className="tab-tools">
        <Choice
          label="Events"
          choices={VIEWS}
          chosen={filter === null ? "types" : "rows"}
          words={VIEW_WORDS}
          onChoose={(view) => live.setDrawer({ events: view === "rows" ? (filter ?? "") : null })}
        />
      </p>
      {filter === null ? (
        <EventTypes
          api={api}
          id={id}
          counts={counts}
          onType={(type) => live.setDrawer({ events: `event == ${type}` })}
        />
      ) : (
        <EventRows api={api} id={id} live={live} snapshot={snapshot} filter={filter} />
      )}
    </div>
  );
}

interface TypesProps {
  readonly api: Api;
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly onType: (type: string) => void;
}

const COLUMNS = [
  { name: "event" },
  { name: "count", right: true },
  { name: "every field, as" },
  { name: "" },
];

function EventTypes({ api, id, counts, onType }: TypesProps) {
  const [filter, setFilter] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const all = Object.entries(counts).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const most = all[0]?.[1] ?? 1;
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
      <GridTable columns={COLUMNS} testId="events-table">
        {all
          .filter(([name]) => name.includes(filter.trim()))
          .map(([name, count]) => (
            <tr key={name}>
              <td className="mono">
                <button type="button" className="inline" onClick={() => onType(name)} title="List them">
                  {name}
                </button>
              </td>
              <td className="num right">{formatCount(count)}</td>
              <td>
                <Downloads
                  api={api}
                  name={name}
                  url={(format) => api.eventsUrl(id, name, format)}
                  onProblem={setProblem}
                />
              </td>
              <BarCell share={count / most} />
            </tr>
          ))}
      </GridTable>
    </>
  );
}
