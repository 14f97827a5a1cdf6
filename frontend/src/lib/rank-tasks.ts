/** Tasks that match a filter, the busiest first. */

export interface TaskTable {
  readonly length: number;
  readonly pid: ArrayLike<number>;
  readonly comm: ArrayLike<string>;
  readonly runNs: ArrayLike<number>;
}

/**
 * Rows of the table, by CPU time. A filter of digits matches pids that begin with them or names that contain them;
 * other text matches names, ignoring case. PID 0, the idle loop, does not count as a task.
 */
export function rankTasks(tasks: TaskTable, filter: string): number[] {
  const wanted = filter.trim().toLowerCase();
  const rows: number[] = [];
  for (let row = 0; row < tasks.length; row += 1) {
    const pid = tasks.pid[row] ?? 0;
    if (pid === 0) continue;
    const named = (tasks.comm[row] ?? "").toLowerCase().includes(wanted);
    if (wanted === "" || named || (/^\d+$/.test(wanted) && String(pid).startsWith(wanted))) rows.push(row);
  }
  return rows.sort((a, b) => (tasks.runNs[b] ?? 0) - (tasks.runNs[a] ?? 0) || a - b);
}

/** The name under which a task ran longest: a fork has its parent's until it takes its own. Null when it is not known. */
export function taskName(tasks: TaskTable, pid: number): string | null {
  let best = -1;
  for (let row = 0; row < tasks.length; row += 1) {
    if (tasks.pid[row] !== pid) continue;
    if (best < 0 || (tasks.runNs[row] ?? 0) > (tasks.runNs[best] ?? 0)) best = row;
  }
  return tasks.comm[best] ?? null;
}
