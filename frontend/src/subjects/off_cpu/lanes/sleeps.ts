/** Sleeps of a task as columns of its lane, and what each says under the pointer. */

import type { TaskSleep } from "../../../api/types.ts";
import { bothDurations, formatDuration } from "../../../lib/format.ts";
import type { Label } from "../../../lib/terms.ts";
import { type AbsNs, nsOf, type RelNs, toRel } from "../../../lib/time.ts";
import { type EventFact, eventFact, type Row } from "../../../timeline/event-fact.ts";
import { ledgerRow } from "./ledger.ts";

/** In ascending order, without overlaps. */
export interface SleepTrack {
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  readonly sleeps: readonly TaskSleep[];
}

export function sleepTrack(sleeps: readonly TaskSleep[], origin: AbsNs): SleepTrack {
  const t0 = Float64Array.from(sleeps, ({ from_ns }) => toRel(origin, nsOf(from_ns)));
  const t1 = Float64Array.from(sleeps, ({ to_ns }) => toRel(origin, nsOf(to_ns)));
  return { t0, t1, sleeps };
}

/** Returns the sleep at a time; null where none is listed. */
export function sleepAt({ t0, t1, sleeps }: SleepTrack, at: RelNs): TaskSleep | null {
  let low = 0;
  let high = t1.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((t1[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return (t0[low] ?? Number.POSITIVE_INFINITY) <= at ? (sleeps[low] ?? null) : null;
}

/** Task that held the lock longest, otherwise the one that ended the sleep; null if unknown or already in the title. */
export function behindOf({
  holders,
  waker,
  title,
}: Pick<TaskSleep, "holders" | "waker" | "title">): string | null {
  const behind = holders[0]?.comm ?? waker?.comm ?? null;
  return behind === title ? null : behind;
}

/** `249 ms another thread, compactor`. */
export function sleepLabel(sleep: TaskSleep): string {
  const behind = behindOf(sleep);
  const length = formatDuration(nsOf(sleep.to_ns) - nsOf(sleep.from_ns));
  return `${length} ${sleep.title}${behind === null ? "" : `, ${behind}`}`;
}

const LABELS: Readonly<Record<string, Label>> = { observed: "observed", replayed: "replayed" };

/** @param task name and pid, as `ng_A 774` */
export function sleepFact(sleep: TaskSleep, task: string): EventFact {
  const [from, to] = [nsOf(sleep.from_ns), nsOf(sleep.to_ns)];
  const row = ledgerRow("asleep", sleep.cause);
  return eventFact({
    title: `${task}: asleep, ${sleep.title}`,
    label: LABELS[sleep.provenance] ?? "inferred",
    rows: sleepRows(sleep, Number(to - from)),
    note: sleep.summary,
    fn: row?.kernel ?? null,
    from,
    to,
  });
}

function sleepRows(sleep: TaskSleep, length: number): Row[] {
  const { state, title, resource, waker, holders } = sleep;
  const held = holders.map(({ comm, pid, ns }) => `${who(comm, pid)} ${formatDuration(ns)}`);
  return [
    ["duration", bothDurations(length)],
    ...(state ? [["state", state] as const] : []),
    ["cause", title],
    ...(resource ? [["resource", resource] as const] : []),
    ...(held.length > 0 ? [["held by", held.join(", ")] as const] : []),
    ["woken by", waker ? who(waker.comm, waker.pid) : "not recorded"],
  ];
}

/** An interrupt or a timer has no pid. */
function who(comm: string, pid: number): string {
  return pid > 0 ? `${comm} (${pid})` : comm;
}
