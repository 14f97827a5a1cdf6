/** Raw events as rows, and filters for what is selected. */

import type { EventRow } from "../../api/types.ts";
import { formatAbs } from "../../lib/format.ts";
import { parseNs } from "../../lib/time.ts";

export const EVENT_HEAD = ["time, s", "CPU", "event", "fields"] as const;
/** Columns of numbers. */
export const EVENT_RIGHT: ReadonlySet<number> = new Set([0, 1]);

export function eventCells({ ts_ns, cpu, event, fields }: EventRow): readonly string[] {
  // What every event has comes last: it tells least.
  const common = ([name]: readonly [string, string]) => name.startsWith("common_");
  const section = [...fields.filter((field) => !common(field)), ...fields.filter(common)]
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
  return [formatAbs(parseNs(ts_ns) ?? 0n), String(cpu), event, section];
}

interface SelectedSlice {
  readonly pid: number;
  readonly cpu: number;
  readonly start_ns: string;
  readonly end_ns: string;
}

/** The first event on the CPU of a slice while it ran; null when none is among the rows. */
export function rowInSlice(rows: readonly EventRow[], slice: SelectedSlice | null): number | null {
  if (!slice) return null;
  const [from, to] = [BigInt(slice.start_ns), BigInt(slice.end_ns)];
  const at = rows.findIndex(({ cpu, ts_ns }) => {
    const ts = BigInt(ts_ns);
    return cpu === slice.cpu && ts >= from && ts <= to;
  });
  return at < 0 ? null : at;
}

/** Fields in which an event names a task. */
const PID_FIELDS = ["pid", "prev_pid", "next_pid", "src_pid", "dst_pid"];

/** Events that name a task, as far as the recording has such fields. */
export function taskFilter(pid: number, known: ReadonlySet<string>): string {
  return PID_FIELDS.filter((field) => known.has(field))
    .map((field) => `${field} == ${pid}`)
    .join(" || ");
}

/** What a reader may begin with. */
export const EXAMPLES: readonly string[] = [
  "event == sched_switch && prev_state == 0",
  "event ~ numa",
  "cpu in 0-3 && event in sched_waking, sched_wakeup",
];

export const FILTER_RULES: readonly (readonly [string, string])[] = [
  [
    "event == sched_switch",
    "also !=, <, <=, >, >=; fields are event, system, cpu, ts_ns and those of the events",
  ],
  ["prev_comm ~ stress", "has it somewhere; with * or ? the whole must fit; !~ is the contrary"],
  ["cpu in 0-3,7", "one of these, or in between"],
  ["a && b, a || b, !a, (a)", "or: and, or, not"],
  ["ts_ns >= 23.48s", "ns, us, ms and s; 0x for hexadecimal"],
  ['next_comm == "my task"', "quotes around what is no single word"],
];
