/** The tasks of a recording, by the CPU time that they took in all of it. */

import type { TaskTable } from "../../lib/rank-tasks.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

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
