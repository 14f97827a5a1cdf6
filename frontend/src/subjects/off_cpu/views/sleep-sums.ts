/** Sums over the sleeps of a task, by their parts inside the window. */

import type { TaskSleep, TimeWindow } from "../../../api/types.ts";
import { nsOf } from "../../../lib/time.ts";

export interface SleepPart {
  readonly sleep: TaskSleep;
  /** Time inside the window. */
  readonly ns: number;
}

function partOf(sleep: TaskSleep, window: TimeWindow): SleepPart {
  const [from, to] = [nsOf(sleep.from_ns), nsOf(sleep.to_ns)];
  const before = from < window.from ? window.from - from : 0n;
  const after = to > window.to ? to - window.to : 0n;
  return { sleep, ns: Math.max(0, Number(to - from - before - after)) };
}

export function longestSleeps(
  sleeps: readonly TaskSleep[],
  window: TimeWindow,
  most: number,
): readonly SleepPart[] {
  return sleeps
    .map((sleep) => partOf(sleep, window))
    .toSorted((a, b) => b.ns - a.ns)
    .slice(0, most);
}

/** Sleep time of a task by the pid of the waker that ended the sleep; 0 for wakers without a pid. */
export function sleptUntil(sleeps: readonly TaskSleep[], window: TimeWindow): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const sleep of sleeps) {
    const pid = sleep.waker?.pid;
    if (pid !== undefined) sums.set(pid, (sums.get(pid) ?? 0) + partOf(sleep, window).ns);
  }
  return sums;
}
