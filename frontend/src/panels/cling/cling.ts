/** A numa group's failures of migrations over time: lines to draw, busy intervals, words. */

import type { ClingGroup, ClingWhatIf, Reproduced } from "../../api/types.ts";
import { formatAbs, formatCount, formatDuration, plural } from "../../lib/format.ts";
import { type AbsNs, parseNs, type RelNs, type Span, toRel } from "../../lib/time.ts";

/** A node's counters, each from `t` on until the next. */
export interface NodeLine {
  readonly nid: number;
  readonly t: readonly RelNs[];
  readonly ratio: readonly number[];
  readonly failures: readonly number[];
  readonly total: readonly number[];
}

export interface BusySpan extends Span {
  readonly nid: number;
}

export interface FlipMark {
  readonly t: RelNs;
  readonly nid: number;
  readonly busy: boolean;
}

type Series = Pick<ClingGroup, "series" | "nodes">;

export function nodeLines({ series, nodes }: Series, origin: AbsNs): NodeLine[] {
  return nodes.map(({ nid }) => {
    const steps = series.filter((step) => step.nid === nid);
    return {
      nid,
      t: steps.map(({ t_ns }) => rel(t_ns, origin)),
      ratio: steps.map(({ ratio_percent }) => ratio_percent),
      failures: steps.map(({ failure_scaled }) => failure_scaled),
      total: steps.map(({ total_scaled }) => total_scaled),
    };
  });
}

function rel(ns: string, origin: AbsNs): RelNs {
  return toRel(origin, parseNs(ns) ?? origin);
}

/** When nodes were busy with the degree that the engine was requested; only the engine says when a node is. */
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

/** Counters that hold at a moment; -1 before the first. */
export function stepAt(line: NodeLine, t: RelNs): number {
  let low = 0;
  let high = line.t.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line.t[middle] ?? 0) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function groupName({ cgroup, gid, number }: Pick<ClingGroup, "cgroup" | "gid" | "number">): string {
  return cgroup ?? (gid > 0 ? `numa group ${gid}` : `group ${number}`);
}

export function busyTime(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** The chart in one sentence, for who does not see it; without `spans` the engine has not answered for the degree yet. */
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
  if (!parts)
    return "No recorded decision would have gone otherwise: up to the window's end this is what would have been.";
  const differing = groups.reduce((sum, group) => sum + group.differing, 0);
  const points = groups.reduce((sum, group) => sum + group.points, 0);
  const at = formatAbs(parseNs(parts.t_ns) ?? 0n, 3);
  const word = SITES[parts.site] ?? parts.site;
  return `Differs from ${at} s on: there ${word} would have gone otherwise. Behind that it is a what-if with the recorded attempts; ${formatCount(differing)} of ${formatCount(points)} decisions differ.`;
}

const SITES: Readonly<Record<string, string>> = {
  wake_affine: "a wake-up",
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
  wrong_target: "taken for another node",
  unknown_target: "node not known",
  wrong_verdict: "taken for another end",
  unknown_verdict: "end not known",
  late_accounting: "counted later than its events",
  timer_order: "a timer stands elsewhere",
  resampled: "taken over from a sample",
  group_unknown: "group not known",
  not_counted: "not counted by the kernel",
  other: "other",
};

/** `1,587 of 1,590 (99.8 %); missed 3: a timer stands elsewhere`. */
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
  sample: "readings of the file",
  decision: "decisions",
  pause: "nodes not preferred for being busy",
  memory: "verdicts on memory",
  members: "members of a group",
  reset: "preferred node after a failure",
  invariant: "what holds of any counters",
};
