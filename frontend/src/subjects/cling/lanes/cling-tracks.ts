/** The lanes of cling as columns: counters by node, busy intervals, flips and decisions of each group, made once per answer. */

import { bisectRight } from "d3-array";
import type { Annotation, ClingGroup, ClingSection, ClingWhatIf, Reproduced } from "../../../api/types.ts";
import { formatAbs, formatCount, formatDuration, plural } from "../../../lib/format.ts";
import type { Label } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type RelNs, type Span, toRel } from "../../../lib/time.ts";
import { GlyphTrack, glyphsOf } from "../../../timeline/draw/glyphs.ts";

/** Counters of the attempts to reach a node, each from `t` on until the next. */
export interface NodeTrack {
  readonly nid: number;
  readonly t: Float64Array;
  readonly ratio: Float32Array;
  readonly failures: Float64Array;
  readonly total: Float64Array;
}

/** Time ranges in which a node was busy for the group, ascending by start. */
export interface BusyTrack {
  readonly nid: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** Kind of a mark; merged ones show the highest. */
export const Decided = { Other: 0, Clings: 1, Released: 2 } as const;
export const Flipped = { NotBusy: 0, Busy: 1 } as const;

export interface GroupTrack {
  readonly number: number;
  readonly name: string;
  readonly label: Label;
  readonly missing: readonly string[];
  readonly known: Span;
  readonly attempts: number;
  readonly failures: number;
  readonly nodes: readonly NodeTrack[];
  readonly busy: readonly BusyTrack[];
  readonly flips: GlyphTrack;
  readonly flip: (i: number) => ClingGroup["flips"][number] | null;
  readonly decisions: GlyphTrack;
  readonly decision: (i: number) => Annotation | null;
}

export interface ClingTracks {
  readonly span: Span;
  readonly degree: number;
  readonly knownBy: ClingSection["known_by"];
  /** Most attempts first. */
  readonly groups: readonly GroupTrack[];
  /** From here on decisions would have gone otherwise; null where none would, and of what was recorded. */
  readonly parts: RelNs | null;
  readonly whatIf: boolean;
  /** Decisions that are not listed: all of them are later than the last one that is. */
  readonly more: number;
  readonly listedTo: RelNs;
}

function rel(ns: string, origin: AbsNs): RelNs {
  return toRel(origin, parseNs(ns) ?? origin);
}

export function clingTracks(section: ClingSection, origin: AbsNs, span: Span): ClingTracks {
  const groups = section.groups
    .map((group) =>
      groupTrack(
        group,
        section.decisions.filter((note) => note.group === group.number),
        origin,
      ),
    )
    .sort((a, b) => b.attempts - a.attempts || a.number - b.number);
  const last = section.decisions.at(-1);
  const parts = section.what_if?.parts;
  return {
    span,
    degree: section.degree,
    knownBy: section.known_by,
    groups,
    parts: parts ? rel(parts.t_ns, origin) : null,
    whatIf: section.what_if !== null,
    more: section.decisions_more,
    listedTo: section.decisions_more > 0 && last ? rel(last.t_ns, origin) : span.to,
  };
}

function groupTrack(group: ClingGroup, notes: readonly Annotation[], origin: AbsNs): GroupTrack {
  const flips = glyphsOf(
    group.flips,
    ({ t_ns }) => rel(t_ns, origin),
    ({ busy }) => (busy ? Flipped.Busy : Flipped.NotBusy),
  );
  const decisions = glyphsOf(
    notes,
    ({ t_ns }) => rel(t_ns, origin),
    ({ outcome }) =>
      outcome === "released" ? Decided.Released : outcome === "clings" ? Decided.Clings : Decided.Other,
  );
  return {
    number: group.number,
    name: groupName(group),
    label: group.label,
    missing: group.missing,
    known: { from: rel(group.from_ns, origin), to: rel(group.to_ns, origin) },
    attempts: group.nodes.reduce((sum, { attempts }) => sum + attempts, 0),
    failures: group.nodes.reduce((sum, { failures }) => sum + failures, 0),
    nodes: nodeLines(group, origin),
    busy: group.nodes.map(({ nid }) => busyTrack(group, nid, origin)),
    flips: new GlyphTrack(flips.glyphs),
    flip: (i) => group.flips[flips.order[i] ?? -1] ?? null,
    decisions: new GlyphTrack(decisions.glyphs),
    decision: (i) => notes[decisions.order[i] ?? -1] ?? null,
  };
}

function nodeTrack({ series }: Pick<ClingGroup, "series">, nid: number, origin: AbsNs): NodeTrack {
  const steps = series.filter((step) => step.nid === nid);
  return {
    nid,
    t: Float64Array.from(steps, ({ t_ns }) => rel(t_ns, origin)),
    ratio: Float32Array.from(steps, ({ ratio_percent }) => ratio_percent),
    failures: Float64Array.from(steps, ({ failure_scaled }) => failure_scaled),
    total: Float64Array.from(steps, ({ total_scaled }) => total_scaled),
  };
}

function busyTrack({ busy }: ClingGroup, nid: number, origin: AbsNs): BusyTrack {
  const own = busy
    .filter((span) => span.nid === nid)
    .map(({ from_ns, to_ns }) => ({ from: rel(from_ns, origin), to: rel(to_ns, origin) }))
    .sort((a, b) => a.from - b.from);
  return {
    nid,
    from: Float64Array.from(own, ({ from }) => from),
    to: Float64Array.from(own, ({ to }) => to),
  };
}

/** Index of the counters that hold at a moment; -1 before the first. */
export function holdsAt(t: ArrayLike<number>, at: RelNs): number {
  return bisectRight(t, at) - 1;
}

/** The interval around a time, or one within `reach`; -1 for none. */
export function intervalNear({ from, to }: BusyTrack, at: RelNs, reach: number): number {
  const before = holdsAt(from, at);
  if (before >= 0 && at - (to[before] ?? 0) <= reach) return before;
  const next = before + 1;
  return next < from.length && (from[next] ?? 0) - at <= reach ? next : -1;
}

/** As many groups as a screen has room for, those that tried most; all others can be requested. */
export const TOP_GROUPS = 4;

/**
 * Groups in the order that the first answer gave them, new ones at the end: another window must not shuffle the lanes.
 * @param known numbers, in order
 */
export function rankGroups(known: readonly number[], tracks: Pick<ClingTracks, "groups">): readonly number[] {
  const fresh = tracks.groups.map(({ number }) => number).filter((number) => !known.includes(number));
  return fresh.length === 0 ? known : [...known, ...fresh];
}

/** @param chosen numbers of groups; null leaves it to the page */
export function shownGroups(
  tracks: Pick<ClingTracks, "groups"> | null,
  ranking: readonly number[],
  chosen: readonly number[] | null,
): readonly GroupTrack[] {
  const wanted =
    chosen === null ? ranking.slice(0, TOP_GROUPS) : ranking.filter((one) => chosen.includes(one));
  return wanted.flatMap((wished) => tracks?.groups.find(({ number }) => number === wished) ?? []);
}

// A numa group's failures of migrations over time: lines to draw, busy intervals, words.

export interface BusySpan extends Span {
  readonly nid: number;
}

export interface FlipMark {
  readonly t: RelNs;
  readonly nid: number;
  readonly busy: boolean;
}

type Series = Pick<ClingGroup, "series" | "nodes">;

export function nodeLines(group: Series, origin: AbsNs): readonly NodeTrack[] {
  return group.nodes.map(({ nid }) => nodeTrack(group, nid, origin));
}

/** Busy times of nodes with the degree of the engine's answer; only the engine decides when a node is busy. */
export function recordedSpans(group: Pick<ClingGroup, "busy">, origin: AbsNs): BusySpan[] {
  return group.busy.map(({ nid, from_ns, to_ns }) => ({
    nid,
    from: rel(from_ns, origin),
    to: rel(to_ns, origin),
  }));
}

export function recordedFlips(group: Pick<ClingGroup, "flips">, origin: AbsNs): FlipMark[] {
  return group.flips.map(({ nid, t_ns, busy }) => ({ nid, t: rel(t_ns, origin), busy }));
}

export function groupName({ cgroup, gid, number }: Pick<ClingGroup, "cgroup" | "gid" | "number">): string {
  return cgroup ?? (gid > 0 ? `numa group ${gid}` : `group ${number}`);
}

export function busyTime(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The chart in one sentence, for screen readers; without `spans` the engine has not answered for the degree yet. */
export function groupSentence(group: ClingGroup, spans: readonly BusySpan[] | null, degree: number): string {
  const nodes = group.nodes.map(({ nid, attempts, failures }) => {
    const own = spans?.filter((span) => span.nid === nid);
    if (!own) return `node ${nid}: ${failures} of ${plural(attempts, "attempt")} failed`;
    const busy =
      own.length === 0 ? "never busy" : `busy ${times(own.length)}, ${formatDuration(busyTime(own))} in all`;
    return `node ${nid}: ${failures} of ${plural(attempts, "attempt")} failed, ${busy}`;
  });
  return `${groupName(group)}, degree ${degree} %: ${nodes.join("; ")}.`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${formatCount(count)} times`;
}

/** Up to where what-if is what would have happened. */
export function partsText(whatIf: Pick<ClingWhatIf, "parts" | "groups">): string {
  const { parts, groups } = whatIf;
  if (!parts) return "No recorded decision would differ: the result is exact up to the window's end.";
  const differing = groups.reduce((sum, group) => sum + group.differing, 0);
  const points = groups.reduce((sum, group) => sum + group.points, 0);
  const at = formatAbs(parseNs(parts.t_ns) ?? 0n, 3);
  const word = SITES[parts.site] ?? parts.site;
  return `Differs from ${at} s on: there ${word} would have differed. After that it is a what-if with the recorded attempts; ${formatCount(differing)} of ${formatCount(points)} decisions differ.`;
}

const SITES: Readonly<Record<string, string>> = {
  wake_affine: "a wakeup",
  load_balance: "a load balance",
  swap: "a NUMA swap",
  elect: "the choice of a preferred node",
  retry: "a retry",
  memory: "a migration of memory",
};

const REASONS: Readonly<Record<string, string>> = {
  lost: "events lost",
  silent: "failed without an event",
  not_seen: "no event found",
  not_joined: "no group in its events",
  other_group: "another group in its events",
  wrong_target: "attributed to another node",
  unknown_target: "node not known",
  wrong_verdict: "another outcome assumed",
  unknown_verdict: "end not known",
  late_accounting: "counted later than its events",
  timer_order: "timer at another time",
  resampled: "state taken from a sample",
  group_unknown: "group not known",
  not_counted: "not counted by the kernel",
  other: "other",
};

/** `1,587 of 1,590 (99.8 %); missed 3: timer at another time`. */
export function reproducedText({ printed, reproduced, percent, missed, extra }: Reproduced): string {
  if (printed === 0) return "nothing was printed";
  const list = (word: string, misses: Reproduced["missed"]) =>
    misses.length === 0
      ? ""
      : `; ${word} ${misses.map(({ reason, count }) => `${count}: ${REASONS[reason] ?? reason}`).join(", ")}`;
  const share = percent === null ? "" : ` (${shareText(percent)})`;
  return `${formatCount(reproduced)} of ${formatCount(printed)}${share}${list("missed", missed)}${list("beyond it", extra)}`;
}

/** Whole only when it is: 99.96 % is not all. */
export function shareText(percent: number): string {
  return percent >= 100 ? "100 %" : `${(Math.floor(percent * 10) / 10).toFixed(1)} %`;
}

export const CHECKS: Readonly<Record<string, string>> = {
  attempt: "counters after an attempt",
  timer: "counters while the timer runs",
  timer_end: "end of a timer",
  show: "counters as the file was read",
  sample: "samples of the file",
  decision: "decisions",
  pause: "nodes not preferred because they are busy",
  memory: "verdicts on memory",
  members: "members of a group",
  reset: "preferred node after a failure",
  invariant: "invariants of the counters",
};
