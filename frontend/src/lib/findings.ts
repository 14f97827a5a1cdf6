/** The list of findings in the engine's order: keys, times, and steps from one to the next. */

import { CATALOGUE } from "./catalogue.ts";
import { formatCpuList, formatDuration, plural } from "./format.ts";
import { type AbsNs, parseNs, type Span, toRel } from "./time.ts";

export interface RankedFinding {
  readonly id: string;
  readonly severity: string;
  readonly from_ns: string;
  readonly to_ns: string;
  readonly impact_ms: number;
}

export interface Keyed<T> {
  /** Name in a link: its id, its start, and a number if both repeat. */
  readonly key: string;
  readonly finding: T;
}

/** Findings with their keys, in the engine's order: worst first. */
export function keyFindings<T extends RankedFinding>(findings: readonly T[]): Keyed<T>[] {
  const times = new Map<string, number>();
  return findings.map((finding) => {
    const key = `${finding.id}@${finding.from_ns}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return { key: time === 1 ? key : `${key}.${time}`, finding };
  });
}

function ns(text: string): AbsNs {
  return parseNs(text) ?? 0n;
}

/** The interval that a finding is about; a moment gets a nanosecond, so that there is something to zoom to. */
export function findingSpan(finding: Pick<RankedFinding, "from_ns" | "to_ns">, origin: AbsNs): Span {
  const from = toRel(origin, ns(finding.from_ns));
  return { from, to: Math.max(from + 1, toRel(origin, ns(finding.to_ns))) };
}

/** The finding that cost most; null where none cost anything. */
export function costliest<T extends { readonly impact_ms: number }>(
  listed: readonly Keyed<T>[],
): Keyed<T> | null {
  const most = Math.max(0, ...listed.map(({ finding }) => finding.impact_ms));
  return most > 0 ? (listed.find(({ finding }) => finding.impact_ms === most) ?? null) : null;
}

/** Findings of one kind, worst first. */
export interface FindingGroup<T> {
  readonly id: string;
  readonly findings: readonly [Keyed<T>, ...Keyed<T>[]];
}

/** By kind, in the order of the first of each. */
export function groupFindings<T extends RankedFinding>(ranked: readonly Keyed<T>[]): FindingGroup<T>[] {
  const groups = new Map<string, [Keyed<T>, ...Keyed<T>[]]>();
  for (const keyed of ranked) {
    const group = groups.get(keyed.finding.id);
    if (group) group.push(keyed);
    else groups.set(keyed.finding.id, [keyed]);
  }
  return [...groups].map(([id, findings]) => ({ id, findings }));
}

export interface Place {
  readonly from_ns: string;
  readonly to_ns: string;
  readonly cost_ms: number;
  readonly tasks: number;
  readonly pids: readonly number[];
  readonly cpus: readonly number[];
}

interface PlacedFinding extends RankedFinding {
  readonly occurrences: { readonly worst: readonly Place[] };
}

/** The listed occurrences, the worst first: at least one. */
export function placesOf(finding: Pick<PlacedFinding, "occurrences">): readonly Place[] {
  return finding.occurrences.worst;
}

/** A finding of a list, and which of its places. */
export interface Step<T> {
  readonly keyed: Keyed<T>;
  readonly place: number;
}

/**
 * The place after or before the present one: of the same finding, then of its neighbour in the list, which does not
 * wrap around. Without a present one the first, or the last, backwards. Null at the end.
 */
export function stepPlace<T extends PlacedFinding>(
  ranked: readonly Keyed<T>[],
  present: { readonly key: string | null; readonly place: number },
  direction: "next" | "previous",
): Step<T> | null {
  const steps = ranked.flatMap((keyed) => placesOf(keyed.finding).map((_, place) => ({ keyed, place })));
  const at = steps.findIndex(({ keyed, place }) => keyed.key === present.key && place === present.place);
  if (at < 0) return (direction === "next" ? steps[0] : steps.at(-1)) ?? null;
  return steps[at + (direction === "next" ? 1 : -1)] ?? null;
}

/**
 * The neighbour in the list, which does not wrap around; without a present one the first (or the last, backwards).
 * Null at the end.
 */
export function stepFinding<T>(
  ranked: readonly Keyed<T>[],
  key: string | null,
  direction: "next" | "previous",
): Keyed<T> | null {
  const at = key === null ? -1 : ranked.findIndex((keyed) => keyed.key === key);
  if (at < 0) return (direction === "next" ? ranked[0] : ranked.at(-1)) ?? null;
  return ranked[at + (direction === "next" ? 1 : -1)] ?? null;
}

/** A cost as `1.2 s` or `13.6 ms`, the same everywhere; a dash for no measurable cost. */
export function impactText(ms: number): string {
  return ms === 0 ? "–" : formatDuration(ms * 1e6, 3);
}

/** A kind of finding as the engine's catalogue has it, by the id of a finding or the key that names one in a link. */
export type FindingKind = (typeof CATALOGUE)["findings"][number];

export function findingKind(id: string): FindingKind | undefined {
  const name = id.replace(/[#@].*$/, "");
  return CATALOGUE.findings.find((kind) => kind.id === name);
}

/** The title of a kind; one that this version does not find is its id as words. */
export function kindText(id: string): string {
  const words = id
    .replace(/[#@].*$/, "")
    .replaceAll("_", " ")
    .toLowerCase();
  return findingKind(id)?.title ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Subject of a finding: `node 1 · 3 tasks · /batch`. */
export function aboutText(finding: {
  readonly nodes: readonly number[];
  readonly tasks: number;
  readonly pids: readonly number[];
  readonly cgroup?: string | null;
}): string {
  const parts: string[] = [];
  const { tasks } = finding;
  if (finding.nodes.length === 1) parts.push(`node ${finding.nodes[0]}`);
  else if (finding.nodes.length > 1) parts.push(`nodes ${finding.nodes.join(", ")}`);
  if (tasks === 1 && finding.pids.length === 1) parts.push(`pid ${finding.pids[0]}`);
  else if (tasks > 0) parts.push(plural(tasks, "task"));
  if (finding.cgroup) parts.push(finding.cgroup);
  return parts.join(" · ");
}

/** Part of the occurrences' cost that the finding's cost leaves out: `of 793 s: ...`; null for none. */
export function costLeftOut(finding: {
  readonly impact_ms: number;
  readonly occurrences: { readonly cost_ms: number };
}): string | null {
  const all = impactText(finding.occurrences.cost_ms);
  if (finding.occurrences.cost_ms <= finding.impact_ms || all === impactText(finding.impact_ms)) return null;
  return `of ${all}: excluding time counted by other findings, limited to the time of all CPUs`;
}

/** Tasks and place of an occurrence: `3 tasks on CPUs 0-2,7`. */
export function occurrenceText(occurrence: {
  readonly tasks: number;
  readonly cpus: readonly number[];
}): string {
  const { tasks, cpus } = occurrence;
  const parts: string[] = [];
  if (tasks > 0) parts.push(plural(tasks, "task"));
  if (cpus.length > 0) parts.push(`on ${cpus.length === 1 ? "CPU" : "CPUs"} ${formatCpuList(cpus)}`);
  return parts.join(" ");
}

/** All waiting that no finding claims: `1.2 s, 12 % of all waiting`. */
export function otherWaitingText(other: { readonly ms: number; readonly percent: number } | null): string {
  if (other === null) return "not recorded";
  if (other.ms === 0) return "none";
  return `${impactText(other.ms)}, ${Math.round(other.percent)} % of all waiting`;
}

export interface FilteredFinding extends RankedFinding {
  readonly nodes: readonly number[];
  readonly pids: readonly number[];
  readonly cgroup?: string | null;
  readonly summary: string;
  readonly label: string;
}

/**
 * Returns whether every word of the filter is in the finding: `node 1`, `batch`, `cpu`. A number alone may be a
 * pid.
 */
export function findingMatches(finding: FilteredFinding, filter: string): boolean {
  const wanted = filter.trim().toLowerCase();
  if (wanted === "") return true;
  const node = /^node (\d+)$/.exec(wanted);
  if (node) return finding.nodes.includes(Number(node[1]));
  if (/^\d+$/.test(wanted) && finding.pids.includes(Number(wanted))) return true;
  const text = [
    finding.id,
    kindText(finding.id),
    finding.severity,
    finding.label,
    finding.summary,
    finding.cgroup ?? "",
  ]
    .join(" ")
    .toLowerCase();
  return wanted.split(/\s+/).every((word) => text.includes(word));
}

/** The first sentence of a finding's summary, and the others: the page lists these on demand. */
export function summaryParts(summary: string): {
  readonly lead: string;
  readonly details: readonly string[];
} {
  const [lead = "", ...details] = summary.split(/(?<=\.) /);
  return { lead, details };
}
