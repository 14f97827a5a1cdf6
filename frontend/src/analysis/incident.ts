/** The occurrence of a finding that the reader went to, and its waits: the subject of headline, lists and marks. */

import { useMemo } from "react";
import type { SectionSources } from "../api/routes/section-source.ts";
import type { SectionQuery } from "../api/routes/sections.ts";
import type {
  Finding,
  FindingsSection,
  LatencySection,
  MissingPart,
  Occurrence,
  TimeWindow,
  Wait,
  WaitSection,
  WaitsOfAKind,
} from "../api/types.ts";
import { findingKind, type Keyed, placesOf } from "../lib/findings.ts";
import { nsOf, type Span, spanLength, toRel } from "../lib/time.ts";
import { WAIT_KINDS, type WaitKind, waitKey } from "../view-state/tab-views.ts";
import { useOptionalSection } from "./use-section.ts";

export interface FindingPlace extends WaitsWanted {
  readonly id: string;
  readonly keyed: Keyed<Finding>;
  /** Position among its occurrences, from 0, the worst. */
  readonly index: number;
  readonly occurrence: Occurrence;
  readonly window: TimeWindow;
}

/** An occurrence of one of these findings; of a number that it does not have, the worst. Null without the finding. */
export function placeOf(
  found: readonly Keyed<Finding>[],
  key: string | null,
  wanted: number,
): FindingPlace | null {
  const keyed = found.find((each) => each.key === key);
  if (!keyed) return null;
  const places = placesOf(keyed.finding);
  const index = places[wanted] ? wanted : 0;
  const occurrence = places[index] as Occurrence;
  const { pids, cpus } = occurrence;
  return { id: keyed.finding.id, keyed, index, occurrence, window: windowOf(occurrence), pids, cpus };
}

/** The window of queries of sections: at least a ns, for a moment has no waits. */
function windowOf({ from_ns, to_ns }: Pick<Occurrence, "from_ns" | "to_ns">): TimeWindow {
  const [from, to] = [nsOf(from_ns), nsOf(to_ns)];
  return { from, to: to > from ? to : from + 1n };
}

/** Largest share of the recording for an occurrence to be shown; a longer one shows its worst wait. */
const MOST_SHARE = 0.25;

export function isWide(span: Span, bounds: Span): boolean {
  return spanLength(span) > spanLength(bounds) * MOST_SHARE;
}

/** A wait and, once it is known, what it was spent on. */
export interface ExplainedWait extends ClaimedWait {
  readonly story: WaitSection | null;
  /** True while loading. */
  readonly loading: boolean;
}

export interface Incident {
  readonly place: FindingPlace | null;
  /** The waits of the place, the worst first; of a finding about sleeps none. */
  readonly waits: readonly ClaimedWait[];
  /** The first of them. */
  readonly worst: ExplainedWait | null;
  /** The longest wait of everything that findings were looked for in. */
  readonly longest: ExplainedWait | null;
  readonly whole: TimeWindow | null;
  readonly loading: boolean;
}

const ALL: WaitsWanted = { id: null, pids: [], cpus: [] };

/** The waits that the page's first sentences describe. */
export function useIncident(
  sections: SectionSources,
  answer: FindingsSection | MissingPart | null,
  place: FindingPlace | null,
): Incident {
  const whole = useMemo(() => (answer?.available ? windowOf(answer) : null), [answer]);
  const slept = place !== null && isAboutSleeps(place.id);
  const here = useWaits(sections, "place", slept ? null : place && { window: place.window }, place ?? ALL);
  const all = useWaits(sections, "whole", whole && { window: whole, listed: 1 }, ALL);
  const worst = useStory(sections, "place", here.waits[0] ?? null);
  const longest = useStory(sections, "whole", all.waits[0] ?? null);
  return { place, waits: here.waits, worst, longest, whole, loading: here.loading || all.loading };
}

const NONE: readonly ClaimedWait[] = [];

function useWaits(sections: SectionSources, source: string, query: SectionQuery | null, wanted: WaitsWanted) {
  const state = useOptionalSection(sections.of("latency", source), query);
  const { answer } = state;
  const there = isOf(state.query, query) && answer?.available ? answer : null;
  const waits = useMemo(() => (there ? claimedWaits(there, wanted) : NONE), [there, wanted]);
  return { waits, loading: state.loading };
}

function useStory(
  sections: SectionSources,
  source: string,
  claimed: ClaimedWait | null,
): ExplainedWait | null {
  const key = claimed && waitKey(claimed.wait);
  const query = key && {
    window: { from: key.from, to: key.to },
    wait: { pid: key.pid, cpu: key.cpu },
  };
  const { answer, query: of, loading } = useOptionalSection(sections.of("wait", source), query);
  return claimed && { ...claimed, loading, story: isOf(of, query) && answer?.available ? answer : null };
}

/** Returns whether an answer belongs to this query, and not to an earlier one. */
function isOf(answered: SectionQuery | null, query: SectionQuery | null): boolean {
  return (
    query !== null &&
    answered?.window?.from === query.window?.from &&
    answered?.window?.to === query.window?.to &&
    answered?.wait?.pid === query.wait?.pid &&
    answered?.wait?.cpu === query.wait?.cpu
  );
}

// The waits of a window, and those of them that a finding is about.

/** The waits of a kind, as the engine adds them up. */
export function waitsOf(latency: LatencySection, kind: WaitKind): WaitsOfAKind {
  return kind === "worst" ? { ...latency, count: latency.wakeups } : latency[kind];
}

export function waitSpan(wait: Pick<Wait, "waking_ns" | "switch_in_ns">, origin: bigint): Span {
  const from = toRel(origin, nsOf(wait.waking_ns));
  return { from, to: Math.max(from + 1, toRel(origin, nsOf(wait.switch_in_ns))) };
}

/** The causes of waiting that a finding counts, from the catalogue; null for other findings. */
function causesOf(id: string): readonly string[] | null {
  const evidence = findingKind(id)?.evidence;
  return evidence && "causes" in evidence ? evidence.causes : null;
}

/** Returns whether a finding counts waits: then their CPUs are the places to look at. */
export function isAboutWaits(id: string): boolean {
  return causesOf(id) !== null;
}

/** Returns whether a finding counts sleeps: then the lanes of its tasks are the places to look at. */
export function isAboutSleeps(id: string): boolean {
  return findingKind(id)?.evidence.moment === "sleeps";
}

/** Waits of a place; without a finding all waits count. */
export interface WaitsWanted {
  readonly id: string | null;
  readonly pids: readonly number[];
  readonly cpus: readonly number[];
}

/** Returns whether a wait is one that the finding of a place counts, or one of its tasks where it names some. */
export function isOfPlace(
  { id, pids }: Pick<FindingPlace, "id" | "pids">,
  { pid }: Pick<Wait, "pid">,
): boolean {
  return isAboutWaits(id) || pids.length === 0 || pids.includes(pid);
}

/** Part of a wait, one in so many, that a task must have run to be called its culprit. */
const SHARE_OF_CULPRIT = 10;

/** The task that ran longest during a wait; null if it ran for little of the wait, or if a quota held the waiting task back. */
export function culpritOf({
  antagonists,
  causes,
  wait_ns,
}: Pick<Wait, "antagonists" | "causes" | "wait_ns">) {
  if (causes.some(({ cause, ns }) => cause === "throttled" && ns * 2 > wait_ns)) return null;
  const [longest] = antagonists;
  return longest && longest.ns * SHARE_OF_CULPRIT >= wait_ns ? longest : null;
}

export interface ClaimedWait {
  readonly wait: Wait;
  /** Time that the finding counts, ns; for findings about other subjects, the whole time. */
  readonly ns: number;
}

/**
 * The listed waits of a place, the worst first: of a finding about waiting those with its causes, of another those of its tasks,
 * or on its CPUs, where it names some that waited.
 */
export function claimedWaits(
  latency: LatencySection,
  { id, pids, cpus }: WaitsWanted,
): readonly ClaimedWait[] {
  const all = WAIT_KINDS.flatMap((kind) => waitsOf(latency, kind).worst);
  const claimed = id === null ? null : causesOf(id);
  const counted = (wait: Wait) =>
    claimed
      ? wait.causes.reduce((sum, { cause, ns }) => sum + (claimed.includes(cause) ? ns : 0), 0)
      : wait.wait_ns;
  const own = claimed ? all : narrowed(all, pids, cpus);
  return own
    .map((wait) => ({ wait, ns: counted(wait) }))
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => b.ns - a.ns || b.wait.wait_ns - a.wait.wait_ns);
}

function narrowed(all: readonly Wait[], pids: readonly number[], cpus: readonly number[]): readonly Wait[] {
  const byTask = all.filter(({ pid }) => pids.includes(pid));
  if (byTask.length > 0) return byTask;
  const byCpu = all.filter(({ cpu }) => cpus.includes(cpu));
  return byCpu.length > 0 ? byCpu : all;
}
