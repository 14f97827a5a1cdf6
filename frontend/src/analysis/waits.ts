/** The waits of a window, and those of them that a finding is about. */

import type { LatencySection, Wait, WaitsOfAKind } from "../api/types.ts";
import { nsOf, type Span, toRel } from "../lib/time.ts";
import { WAIT_KINDS, type WaitKind } from "../view-state/tab-views.ts";

/** The waits of a kind, as the engine adds them up. */
export function waitsOf(latency: LatencySection, kind: WaitKind): WaitsOfAKind {
  return kind === "worst" ? { ...latency, count: latency.wakeups } : latency[kind];
}

export function waitSpan(wait: Pick<Wait, "waking_ns" | "switch_in_ns">, origin: bigint): Span {
  const from = toRel(origin, nsOf(wait.waking_ns));
  return { from, to: Math.max(from + 1, toRel(origin, nsOf(wait.switch_in_ns))) };
}

/** Causes of waiting by the finding that counts them, as the engine's `Claim` has it. */
const CLAIMS: Readonly<Record<string, readonly string[]>> = {
  CPU_SATURATED: ["busy"],
  RT_HOG: ["behind_higher_class", "pinned_behind_higher_class"],
  PINNED_HOTSPOT: ["pinned", "probably_pinned"],
  CGROUP_THROTTLE: ["throttled"],
  IRQ_STORM: ["interrupt", "softirq"],
  ILB_LATE: ["idle_same_node", "idle_other_node", "pending_balance"],
  ILB_KICK_DROPPED: ["kick_dropped"],
  PASSED_OVER: ["passed_over_same_node", "passed_over_other_node", "imbalance_allowed", "numa_kept"],
  IDLE_UNEXPLAINED: ["idle_unexplained"],
};

/** Whether a finding counts waits: then the CPUs on which they were are where to look. */
export function isAboutWaits(id: string): boolean {
  return Object.hasOwn(CLAIMS, id);
}

/** Whose place it is; without a finding all waits count. */
export interface WaitsWanted {
  readonly id: string | null;
  readonly pids: readonly number[];
  readonly cpus: readonly number[];
}

export interface ClaimedWait {
  readonly wait: Wait;
  /** How much of it the finding counts, ns; of one that is not about waiting, all of it. */
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
  const claimed = id === null ? undefined : CLAIMS[id];
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
