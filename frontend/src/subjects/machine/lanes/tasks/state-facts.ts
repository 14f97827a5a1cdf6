/** Texts of a task's states, for the tooltip and the inspector. */

import { causeTitle } from "../../../../lib/causes.ts";
import { bothDurations, formatShare, plural } from "../../../../lib/format.ts";
import type { Label } from "../../../../lib/terms.ts";
import { type AbsNs, toAbs } from "../../../../lib/time.ts";
import { type EventFact, eventFact, type Row } from "../../../../timeline/event-fact.ts";
import { Kind, NO_CPU } from "../../../../timeline/tiles/tiles.ts";
import { causeOf, isWait, type StateHit } from "./state-lane.ts";

export interface TaskNames {
  readonly origin: AbsNs;
  readonly nodeOf: (cpu: number) => number | null;
  readonly has: (pid: number) => boolean;
  /** Name and pid, as `ng_A 774`. */
  readonly taskOf: (pid: number) => string;
}

interface StateWords {
  readonly name: string;
  readonly label: Label;
  readonly note: string | null;
  readonly fn: string | null;
}

const STATES: Readonly<Record<number, StateWords>> = {
  [Kind.Slice]: { name: "running", label: "observed", note: null, fn: "__schedule" },
  [Kind.Woken]: {
    name: "runnable since a wakeup",
    label: "replayed",
    note: "Woken or new; waiting for a CPU.",
    fn: "try_to_wake_up to __schedule",
  },
  [Kind.Preempted]: {
    name: "runnable since a preemption",
    label: "replayed",
    note: "Preempted; waiting for a CPU.",
    fn: "__schedule",
  },
  [Kind.Resumed]: {
    name: "runnable since lost events",
    label: "inferred",
    note: "Events were lost during the wait: it waited at least this long, or ran unseen before.",
    fn: null,
  },
  [Kind.Sleeping]: {
    name: "sleeping",
    label: "replayed",
    note: "Asleep or stopped; not woken yet.",
    fn: "__schedule to try_to_wake_up",
  },
  [Kind.Blocked]: {
    name: "uninterruptible sleep (D)",
    label: "replayed",
    note: "Waiting for I/O or a lock, not interruptible by signals.",
    fn: "__schedule to try_to_wake_up",
  },
  [Kind.Merged]: {
    name: "merged",
    label: "replayed",
    note: "Zoom in to see each state.",
    fn: null,
  },
  [Kind.Lost]: {
    name: "not known, events were lost",
    label: "inferred",
    note: "It may have been woken and have run here unseen.",
    fn: null,
  },
  [Kind.Unknown]: { name: "not recorded", label: "inferred", note: "No event shows what it did.", fn: null },
};

/** @param pid whose lane it is */
export function stateFact(hit: StateHit, pid: number, names: TaskNames): EventFact {
  const { kind, from, to } = hit;
  const words = STATES[kind] ?? STATES[Kind.Unknown];
  return eventFact({
    title: `${names.taskOf(pid)}: ${words?.name ?? "not recorded"}`,
    label: words?.label ?? "inferred",
    rows: [["duration", bothDurations(to - from)], ...rowsOf(hit, names)],
    note: words?.note ?? null,
    fn: words?.fn ?? null,
    from: toAbs(names.origin, from),
    to: toAbs(names.origin, to),
  });
}

function rowsOf({ items, index, kind }: StateHit, names: TaskNames): Row[] {
  const cpu = items.ofTask?.cpu[index] ?? NO_CPU;
  const waker = items.ofTask?.wakerPid[index] ?? -1;
  const nid = names.nodeOf(cpu);
  const where = nid === null ? `CPU ${cpu}` : `CPU ${cpu}, node ${nid}`;
  if (kind === Kind.Merged) {
    return [
      ["ran", `${formatShare(items.busy[index] ?? 0)}, ${plural(items.count[index] ?? 0, "time")}`],
      ["waited", formatShare(items.wait[index] ?? 0)],
      ...(cpu === NO_CPU ? [] : [["longest run", where] as const]),
    ];
  }
  if (kind === Kind.Slice) return [["on", where]];
  if (!isWait(kind)) return [];
  const cause = causeOf(items, index);
  return [
    ...(waker > 0 ? [["woken by", names.taskOf(waker)] as const] : []),
    ...(waker === 0 ? [["woken by", "an interrupt on an idle CPU"] as const] : []),
    ...(cause === null ? [] : [["main cause", causeTitle(cause)] as const]),
    ["got CPU", where],
  ];
}
