import { useState } from "react";
import type { Api } from "../data/api.ts";
import { formatCount, plural } from "../logic/format.ts";
import { Downloads } from "./downloads.tsx";
import { FilterTools } from "./filter-tools.tsx";
import { BarCell, GridTable } from "./grid-table.tsx";

interface Props {
  readonly api: Api;
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
}

const COLUMNS = [
  { name: "event" },
  { name: "count", right: true },
  { name: "every field, as" },
  { name: "" },
];

export function EventsTab({ api, id, counts }: Props) {
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
              <td className="mono">{name}</td>
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
