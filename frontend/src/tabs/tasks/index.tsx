import { useMemo, useState } from "react";
import type { Tab, TabProps } from "../../analysis/tab.ts";
import { plural } from "../../lib/format.ts";
import { rankTasks, type TaskTable } from "../../lib/rank-tasks.ts";
import { spanLength } from "../../lib/time.ts";
import { pinCells } from "../../timeline/frame/pinned-lanes.tsx";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { FilterTools } from "../../ui/table/table-tools.tsx";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";

export const tab: Tab = {
  id: "tasks",
  title: "Tasks",
  Body: TasksTab,
};

/** Every task of the recording, the busiest first. */
function TasksTab({ live, snapshot }: TabProps) {
  const { stage } = live;
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
  const table = useMemo(() => taskTable(tasks, ranked, whole), [tasks, ranked, whole]);
  const pinned = pinCells(table, stage);
  const picked = selected === null ? -1 : ranked.findIndex((row) => tasks.pid[row] === selected);
  const pick = (place: number) => {
    const row = ranked[place];
    if (row !== undefined) go(row);
  };
  return (
    <div className="sums-tab">
      <FilterTools
        placeholder="Name or pid"
        label="Filter tasks by name or pid"
        filter={filter}
        onFilter={setFilter}
        onEnter={() => pick(0)}
        problem={missing}
      >
        {plural(ranked.length, "task")}; a name selects the task's first slice in the window
      </FilterTools>
      <VirtualTable
        label="Tasks"
        table={table}
        name="tasks"
        testId="tasks-table"
        onPick={pick}
        picked={picked < 0 ? null : picked}
        cell={(place, column) => {
          const row = ranked[place];
          if (row === undefined || (column > 1 && column !== SHARE)) return undefined;
          const backgroundColor = stage.taskFill(row) ?? "transparent";
          const text = table.rows[place]?.[column];
          if (column === 0) {
            return (
              <>
                <span className="swatch" style={{ backgroundColor }} />
                {text}
              </>
            );
          }
          if (column === 1) return pinned(place, column);
          const width = `${Math.min(1, (tasks.runNs[row] ?? 0) / whole) * BAR_WIDTH}ch`;
          return (
            <>
              <span className="bar in-cell" style={{ width, backgroundColor }} />
              {text}
            </>
          );
        }}
      />
    </div>
  );
}

/** The column of shares, and how wide the bar of a whole CPU is there. */
const SHARE = 3;
const BAR_WIDTH = 6;

/** The tasks of a recording, by the CPU time that they took in all of it. */

/**
 * @param ranked rows of the task table
 * @param wholeNs length of the recording
 */
export function taskTable(tasks: TaskTable, ranked: readonly number[], wholeNs: number): TextTable {
  const run = (row: number) => tasks.runNs[row] ?? 0;
  return describeTable<number>(
    [
      { name: "task", exact: "comm", value: (row) => tasks.comm[row] ?? "" },
      { name: "pid", exact: "pid", unit: "id", value: (row) => tasks.pid[row] ?? 0 },
      { name: "time on CPU", exact: "run_ns", unit: "ns", value: run },
      {
        name: "of one CPU",
        exact: "share",
        unit: "share",
        value: (row) => (wholeNs === 0 ? null : run(row) / wholeNs),
        title: "Of one CPU over the whole trace",
      },
    ],
    ranked,
  );
}
