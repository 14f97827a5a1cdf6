/** What kicks and overdue balancing say under the pointer and in the inspector. */

import type { IlbEvent } from "../../api/types.ts";
import { formatAbs, formatDuration } from "../../lib/format.ts";
import { parseNs } from "../../lib/time.ts";
import type { EventFact } from "../../timeline/event-fact.ts";
import { type Fate, fateOf } from "./ilb-tracks.ts";

type Row = readonly [string, string];

export const FATE_WORDS: Readonly<Record<Fate, string>> = {
  handled: "kick handled",
  dropped: "kick dropped",
  latched: "kick latched",
  aborted: "kick aborted",
  not_seen: "kick, end not seen",
};

const FATE_MEANS: Readonly<Record<Fate, string>> = {
  handled: "It arrived and raised the softirq that balances for all idle CPUs.",
  dropped: "It arrived and no softirq was raised: nobody balanced for the idle CPUs until the next kick.",
  latched: "It was swallowed, because an older one counted as under way.",
  aborted: "It arrived, and its pass gave up before all idle CPUs were served.",
  not_seen: "Nothing recorded tells what became of it.",
};

const FUNCTIONS: Readonly<Record<Fate, string>> = {
  handled: "nohz_csd_func, nohz_idle_balance",
  dropped: "nohz_csd_func (2011: scheduler_ipi)",
  latched: "nohz_balancer_kick",
  aborted: "_nohz_idle_balance",
  not_seen: "nohz_balancer_kick",
};

const cpuText = (cpu: number | null | undefined) =>
  cpu === null || cpu === undefined || cpu < 0 ? "not known" : String(cpu);

/** Around a moment without a length, ns. */
const AROUND = 1_000_000n;

export function kickFact(event: IlbEvent): EventFact {
  const at = parseNs(event.t_ns) ?? 0n;
  const fate = fateOf(event);
  const arrived = parseNs(event.arrived_ns ?? "");
  const handled = parseNs(event.handled_ns ?? "");
  const rows: Row[] = [
    ["kicker", `CPU ${cpuText(event.cpu)}`],
    ["target", `CPU ${cpuText(event.target)}`],
  ];
  if (arrived !== null)
    rows.push(["arrived", `${formatAbs(arrived)} s, ${formatDuration(arrived - at)} later`]);
  if (handled !== null)
    rows.push(["handled", `${formatAbs(handled)} s, ${formatDuration(handled - at)} later`]);
  if (typeof event.flags === "number") rows.push(["flags", `0x${event.flags.toString(16)}`]);
  if (event.why) rows.push(["because of", event.why]);
  const title = FATE_WORDS[fate];
  const note = FATE_MEANS[fate];
  const end = handled ?? arrived ?? at;
  const fn = FUNCTIONS[fate];
  return words({ at, title, label: event.label, rows, note, fn }, end);
}

export function staleFact(event: IlbEvent, hz: number | null): EventFact {
  const at = parseNs(event.t_ns) ?? 0n;
  const jiffies = event.jiffies ?? null;
  const time = jiffies !== null && hz ? `, ${formatDuration((jiffies * 1e9) / hz)}` : "";
  const rows: Row[] = [
    ["CPU", cpuText(event.cpu)],
    ...(jiffies === null ? [] : [["overdue by", `${jiffies} jiffies${time}`] as const]),
  ];
  const title = "next_balance is overdue";
  const note = "When this CPU's domains should have been balanced lay this far back.";
  const fn = "update_next_balance, nohz.next_balance";
  return words({ at, title, label: event.label, rows, note, fn }, at);
}

/** @param end of what the fact is about */
function words(fact: EventFact["fact"] & { readonly fn: string }, end: bigint): EventFact {
  const { at, title, label, rows, note, fn } = fact;
  return {
    what: {
      title,
      task: null,
      rows: [["start", `${formatAbs(at)} s`], ...rows, ["kernel", fn]],
      label,
      note,
    },
    fact,
    from: at - AROUND,
    to: end + AROUND,
  };
}

/** How many of each: those that were lost first. */
export function fateCounts(words: readonly EventFact[]): Row[] {
  const counts = new Map<string, number>();
  for (const { fact } of words) counts.set(fact.title, (counts.get(fact.title) ?? 0) + 1);
  return [...counts].map(([title, count]) => [title, String(count)] as const);
}
