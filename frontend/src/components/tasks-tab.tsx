import { useMemo, useState } from "react";
import { formatDuration, formatShare, plural } from "../logic/format.ts";
import { rankTasks } from "../logic/rank-tasks.ts";
import { spanLength } from "../logic/time.ts";
import type { Stage } from "../view/stage.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { FilterTools } from "./filter-tools.tsx";
import { BarCell, GridTable } from "./grid-table.tsx";

interface Props {
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
}

/** More rows than this are found by the filter, not by scrolling. */
const MOST_ROWS = 200;
const COLUMNS = [
  { name: "task" },
  { name: "pid", right: true },
  { name: "time on CPU", right: true },
  { name: "of one CPU", right: true, title: "Of one CPU over the whole trace" },
  { name: "" },
];

export function TasksTab({ stage, snapshot }: Props) {
  const [filter, setFilter] = useState("");
  const [missing, setMissing] = useState<string | null>(null);

  const { tasks, bounds } = stage.scene;
  const ranked = useMemo(() => rankTasks(tasks, filter), [tasks, filter]);
  const whole = spanLength(bounds);
  const selected = snapshot.selection?.slice?.pid ?? null;
  const go = (row: number) => {
    const pid = tasks.pid[row] ?? 0;
    setMissing(null);
    void stage.findTask(pid).then((found) => {
      if (!found) setMissing(`${tasks.comm[row] ?? ""} (${pid}) has no slice that could be shown.`);
    });
  };
  return (
    <>
      <FilterTools
        placeholder="Name or pid"
        label="Filter tasks by name or pid"
        filter={filter}
        onFilter={setFilter}
        onEnter={() => {
          const [first] = ranked;
          if (first !== undefined) go(first);
        }}
        problem={missing}
      >
        {ranked.length > MOST_ROWS
          ? `${MOST_ROWS} of ${plural(ranked.length, "task")}, the busiest; filter to find others`
          : plural(ranked.length, "task")}
      </FilterTools>
      <GridTable columns={COLUMNS} testId="tasks-table">
        {ranked.slice(0, MOST_ROWS).map((row) => {
          const pid = tasks.pid[row] ?? 0;
          const run = tasks.runNs[row] ?? 0;
          const fill = stage.taskFill(row);
          return (
            <tr key={row} className={pid === selected ? "selected" : ""}>
              <td>
                <button
                  type="button"
                  className="inline"
                  onClick={() => go(row)}
                  title="Select its first slice in the window"
                >
                  <span className="swatch" style={{ backgroundColor: fill ?? "transparent" }} />
                  {tasks.comm[row] ?? ""}
                </button>
              </td>
              <td className="num right">{pid}</td>
              <td className="num right">{formatDuration(run)}</td>
              <td className="num right">{formatShare(run / whole)}</td>
              <BarCell share={run / whole} colour={fill} />
            </tr>
          );
        })}
      </GridTable>
    </>
  );
}
