/** Idle load balancing as columns: who was in the idle mask, kicks as arrows, marks of stale balancing; made once per answer. */

import type { IlbEvent, IlbSection } from "../../../api/types.ts";
import { causeTitle } from "../../../lib/causes.ts";
import { formatDuration, formatTime } from "../../../lib/format.ts";
import type { Label } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type RelNs, type Span, toRel } from "../../../lib/time.ts";
import { type Glyphs, GlyphTrack, glyphsOf } from "../../../timeline/draw/glyphs.ts";
import type { EventFact } from "../../../timeline/event-fact.ts";
import { eventFact } from "../../../timeline/event-fact.ts";

/** Outcome of a kick. Merged ones show the highest: lost kicks must not hide behind served ones. */
export const FATES = ["not_seen", "handled", "latched", "aborted", "dropped"] as const;
export type Fate = (typeof FATES)[number];
export const Fates: Readonly<Record<Fate, number>> = {
  not_seen: 0,
  handled: 1,
  latched: 2,
  aborted: 3,
  dropped: 4,
};

/** From here on a fate is a cost. */
export const COSTLY = Fates.aborted;

/** Arrows in the order in which they were sent. All arrays have the same length. */
export interface Kicks extends Glyphs {
  /** Time of arrival, or of sending if the arrival is not recorded. */
  readonly arrived: Float64Array;
  /** Rows of the lane, -1 where the CPU is not known. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly label: readonly Label[];
}

/** A CPU's intervals in the idle mask, ascending. */
export interface MaskRow {
  readonly cpu: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

export interface IlbTracks {
  readonly section: IlbSection;
  /** CPUs in the order of the lane's rows. */
  readonly rows: readonly MaskRow[];
  readonly thinned: boolean;
  /** True if the idle mask was empty, and nothing happened. */
  readonly empty: boolean;
  readonly kicks: Kicks;
  /** Kicks that are a cost, and all others: each has a row of marks of its own. */
  readonly lost: GlyphTrack;
  readonly served: GlyphTrack;
  readonly stale: GlyphTrack;
  /** Of a kick. */
  readonly eventOf: (kick: number) => IlbEvent | null;
  readonly lostEvent: (i: number) => IlbEvent | null;
  readonly servedEvent: (i: number) => IlbEvent | null;
  readonly staleEvent: (i: number) => IlbEvent | null;
  /** Index in `kicks` of a mark's event. */
  readonly lostKick: (i: number) => number;
  readonly servedKick: (i: number) => number;
  readonly more: number;
  readonly listedTo: RelNs;
}

const rel = (ns: string | null | undefined, origin: AbsNs): RelNs | null => {
  const abs = parseNs(ns ?? "");
  return abs === null ? null : toRel(origin, abs);
};

/** A fate that this page does not know yet counts as not seen. */
export function fateOf({ fate }: Pick<IlbEvent, "fate">): Fate {
  return FATES.find((known) => known === fate) ?? "not_seen";
}

/** @param cpus in the order of the lanes above */
export function ilbTracks(
  section: IlbSection,
  cpus: readonly number[],
  origin: AbsNs,
  span: Span,
): IlbTracks {
  const rowOf = new Map(cpus.map((cpu, row) => [cpu, row]));
  const timeOf = (event: IlbEvent) => rel(event.t_ns, origin) ?? 0;
  // What became of a kick is in its own row.
  const sent = section.events.filter(({ kind }) => kind === "kick_sent");
  const { glyphs, order } = glyphsOf(sent, timeOf, (event) => Fates[fateOf(event)]);
  const eventAt = (i: number) => sent[order[i] ?? -1];
  const row = (cpu: number | null | undefined) => rowOf.get(cpu ?? -1) ?? -1;
  const kicks: Kicks = {
    ...glyphs,
    arrived: Float64Array.from(
      glyphs.t,
      (t, i) => rel(eventAt(i)?.arrived_ns ?? eventAt(i)?.handled_ns, origin) ?? t,
    ),
    from: Int32Array.from(glyphs.t, (_t, i) => row(eventAt(i)?.cpu)),
    to: Int32Array.from(glyphs.t, (_t, i) => row(eventAt(i)?.target)),
    label: Array.from(glyphs.t, (_t, i) => eventAt(i)?.label ?? "inferred"),
  };
  const lost = split(kicks, (kind) => kind >= COSTLY);
  const served = split(kicks, (kind) => kind < COSTLY);
  const late = section.events.filter(({ kind }) => kind === "stale_next_balance");
  const stale = glyphsOf(late, timeOf, () => 0);
  const last = section.events.at(-1);
  const all = section.events_all ?? section.events.length;
  const more = Math.max(0, all - section.events.length);
  const rows = maskRows(section, cpus, origin);
  return {
    section,
    rows,
    empty: all === 0 && rows.every(({ from }) => from.length === 0),
    thinned: section.thinned ?? false,
    kicks,
    lost: new GlyphTrack(lost.glyphs),
    served: new GlyphTrack(served.glyphs),
    stale: new GlyphTrack(stale.glyphs),
    eventOf: (kick) => eventAt(kick) ?? null,
    lostEvent: (i) => eventAt(lost.index[i] ?? -1) ?? null,
    servedEvent: (i) => eventAt(served.index[i] ?? -1) ?? null,
    staleEvent: (i) => late[stale.order[i] ?? -1] ?? null,
    lostKick: (i) => lost.index[i] ?? -1,
    servedKick: (i) => served.index[i] ?? -1,
    more,
    listedTo: more > 0 && last ? timeOf(last) : span.to,
  };
}

function split(
  { t, kind }: Glyphs,
  wanted: (kind: number) => boolean,
): { readonly glyphs: Glyphs; readonly index: Uint32Array } {
  const index = Uint32Array.from([...kind.keys()].filter((i) => wanted(kind[i] ?? 0)));
  return {
    glyphs: {
      length: index.length,
      t: Float64Array.from(index, (i) => t[i] ?? 0),
      kind: Uint8Array.from(index, (i) => kind[i] ?? 0),
    },
    index,
  };
}

function maskRows({ idle_mask }: IlbSection, cpus: readonly number[], origin: AbsNs): MaskRow[] {
  const spans = new Map(idle_mask.map((row) => [row.cpu, row.spans]));
  return cpus.map((cpu) => {
    const own = spans.get(cpu) ?? [];
    return {
      cpu,
      from: Float64Array.from(own, ([from]) => rel(from, origin) ?? 0),
      to: Float64Array.from(own, ([, to]) => rel(to, origin) ?? 0),
    };
  });
}

export interface Arrow {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/**
 * A kick's arrow between the middles of two rows; null where one of both CPUs is not known. A way that is too short to be seen
 * is drawn where it ended.
 * @param xOf CSS pixels of a time
 */
export function arrowOf(
  { t, arrived, from, to }: Kicks,
  i: number,
  xOf: (t: RelNs) => number,
  rowY: (row: number) => number,
): Arrow | null {
  const [a, b] = [from[i] ?? -1, to[i] ?? -1];
  if (a < 0 || b < 0) return null;
  return { x0: xOf(t[i] ?? 0), y0: rowY(a), x1: xOf(arrived[i] ?? 0), y1: rowY(b) };
}

// What kicks and overdue balancing say under the pointer and in the inspector.

type Row = readonly [string, string];

export const FATE_WORDS: Readonly<Record<Fate, string>> = {
  handled: "kick handled",
  dropped: causeTitle("kick_dropped"),
  latched: "kick latched",
  aborted: "kick aborted",
  not_seen: "kick, outcome unknown",
};

const FATE_MEANS: Readonly<Record<Fate, string>> = {
  handled: "It arrived and raised the softirq that balances for all idle CPUs.",
  dropped: "It arrived but no softirq was raised: no CPU balanced for the idle CPUs until the next kick.",
  latched: "It was dropped, because an older one counted as in progress.",
  aborted: "It arrived, but its pass stopped before all idle CPUs were served.",
  not_seen: "Its outcome was not recorded.",
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
    rows.push(["arrived", `${formatTime(arrived)}, ${formatDuration(arrived - at)} later`]);
  if (handled !== null)
    rows.push(["handled", `${formatTime(handled)}, ${formatDuration(handled - at)} later`]);
  if (typeof event.flags === "number") rows.push(["flags", `0x${event.flags.toString(16)}`]);
  if (event.why) rows.push(["because of", event.why]);
  const title = FATE_WORDS[fate];
  const note = FATE_MEANS[fate];
  const end = handled ?? arrived ?? at;
  const fn = FUNCTIONS[fate];
  return eventFact({ title, label: event.label, rows, note, fn, from: at - AROUND, to: end + AROUND, at });
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
  const note = "Balancing of this CPU's domains is overdue by this time.";
  const fn = "update_next_balance, nohz.next_balance";
  return eventFact({ title, label: event.label, rows, note, fn, from: at - AROUND, to: at + AROUND, at });
}
