/** One opened wait, as strips below each other on its own time axis, and the chain of wake-ups in words. */

import type { WaitSection, WakeHop } from "../../../api/types.ts";
import { type CauseTime, causeTitle, rankCauses } from "../../../lib/causes.ts";
import type { Field } from "../../../lib/csv.ts";
import {
  formatAbs,
  formatDuration,
  formatExactNs,
  formatShare,
  formatTime,
  plural,
} from "../../../lib/format.ts";
import { describeState } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, toRel } from "../../../lib/time.ts";
import type { LitWait } from "../../../timeline/scene.ts";

/** A piece of a strip; times are ns after the start of the wait. */
interface Placed {
  readonly from: number;
  readonly to: number;
}

export interface CausePiece extends Placed {
  readonly count: number;
  /** The longest first. */
  readonly causes: readonly CauseTime[];
}

export interface QueuePiece extends Placed {
  readonly cpu: number;
  readonly nid: number | null;
  readonly queued: boolean;
}

export interface RunnerPiece extends Placed {
  readonly cpu: number;
  readonly count: number;
  readonly runNs: number;
  readonly task: number;
  readonly pid: number;
  readonly comm: string;
  readonly tasks: number;
  readonly group: number | null;
}

export interface IdleStrip {
  readonly nid: number | null;
  readonly cpus: number;
  readonly idleNs: number;
  readonly anyNs: number;
  readonly pieces: readonly (Placed & { readonly count: number; readonly idleNs: number })[];
}

export interface WaitStrips {
  readonly start: AbsNs;
  readonly lengthNs: number;
  readonly causes: readonly CausePiece[];
  readonly queues: readonly QueuePiece[];
  readonly runners: readonly RunnerPiece[];
  readonly idle: readonly IdleStrip[];
  /** Moves to another CPU. */
  readonly moves: readonly { readonly at: number; readonly from: number; readonly to: number }[];
}

export function waitStrips(section: WaitSection): WaitStrips {
  const start = parseNs(section.wait.waking_ns) ?? 0n;
  const at = (ns: string) => Number((parseNs(ns) ?? start) - start);
  const placed = (piece: { readonly from_ns: string; readonly to_ns: string }) => ({
    from: at(piece.from_ns),
    to: at(piece.to_ns),
  });
  return {
    start,
    lengthNs: section.wait.wait_ns,
    causes: section.segments.map((piece) => ({
      ...placed(piece),
      count: piece.count,
      causes: rankCauses(piece.causes),
    })),
    queues: section.stretches.map((piece) => ({
      ...placed(piece),
      cpu: piece.cpu,
      nid: piece.nid,
      queued: piece.queued,
    })),
    runners: section.runners.map((piece) => ({
      ...placed(piece),
      cpu: piece.cpu,
      count: piece.count,
      runNs: piece.run_ns,
      task: piece.task,
      pid: piece.pid,
      comm: piece.comm,
      tasks: piece.tasks,
      group: piece.numa_group,
    })),
    idle: section.idle_nodes.map((node) => ({
      nid: node.nid,
      cpus: node.cpus,
      idleNs: node.idle_ns,
      anyNs: node.any_ns,
      pieces: node.pieces.map((piece) => ({ ...placed(piece), count: piece.count, idleNs: piece.idle_ns })),
    })),
    moves: section.moves.map(({ t_ns, from_cpu, to_cpu }) => ({ at: at(t_ns), from: from_cpu, to: to_cpu })),
  };
}

/** Highlighted tasks on the timeline while the wait is open, and its place. */
export function litWait(
  section: WaitSection,
  { start, lengthNs, queues, runners }: WaitStrips,
  origin: AbsNs,
): LitWait {
  const { wait } = section;
  const base = toRel(origin, start);
  const ran = [...runners, ...wait.antagonists].map(({ task }) => task);
  return {
    tasks: new Set([wait.task, ...ran]),
    parts: [
      { lane: `task:${wait.pid}`, span: { from: base, to: base + lengthNs } },
      ...queues
        .filter(({ queued }) => queued)
        .map(({ cpu, from, to }) => ({ lane: `cpu:${cpu}`, span: { from: base + from, to: base + to } })),
    ],
  };
}

/** Sum of the causes of all pieces, the longest first. */
export function stripSums(strips: WaitStrips): CauseTime[] {
  const sums = new Map<string, number>();
  for (const { causes } of strips.causes) {
    for (const { cause, ns } of causes) sums.set(cause, (sums.get(cause) ?? 0) + ns);
  }
  return rankCauses([...sums].map(([cause, ns]) => ({ cause, ns })));
}

export function nodeWords(nid: number | null): string {
  return nid === null ? "no known node" : `node ${nid}`;
}

function within<T extends Placed>(pieces: readonly T[], at: number): T | undefined {
  return pieces.find(({ from, to }) => from <= at && at < to);
}

/** State of all strips at a time, in words: `+1.2 ms: all CPUs busy; queued on CPU 4; spinner 78 ran there; …`. */
export function momentText(strips: WaitStrips, at: number): string {
  const cause = within(strips.causes, at);
  const queue = within(strips.queues, at);
  const runner = within(strips.runners, at);
  const parts = [`+${formatExactNs(Math.round(at))}`];
  if (cause) {
    const span = `${formatDuration(cause.to - cause.from)}, +${formatExactNs(cause.from)} to +${formatExactNs(cause.to)}`;
    const words = cause.causes.map((one) =>
      cause.causes.length === 1
        ? causeTitle(one.cause)
        : `${causeTitle(one.cause)} ${formatDuration(one.ns)}`,
    );
    const merged = cause.count > 1 ? `${plural(cause.count, "part")} together: ` : "";
    parts.push(`${merged}${words.join(", ")} (${span})`);
  }
  if (queue) parts.push(`${queue.queued ? "queued on" : "on its way to"} CPU ${queue.cpu}`);
  if (runner) parts.push(`${runnerWords(runner)} ran there, ${formatDuration(runner.runNs)}`);
  const idle = strips.idle.flatMap(({ nid, cpus, pieces }) => {
    const piece = within(pieces, at);
    if (!piece) return [];
    const mean = piece.idleNs / (piece.to - piece.from);
    const some = Number.isInteger(mean) ? String(mean) : `${mean.toFixed(1)} on average`;
    return [`${some}${cpus > 0 ? ` of ${cpus}` : ""} CPUs of ${nodeWords(nid)} idle`];
  });
  parts.push(idle.length > 0 ? idle.join(", ") : "no CPU idle");
  return parts.join("; ");
}

export function runnerWords({ comm, pid, tasks, group }: RunnerPiece): string {
  const who = `${comm} ${pid}${group === null ? "" : ` of numa group ${group}`}`;
  return tasks > 1 ? `${who} and ${plural(tasks - 1, "other")}` : who;
}

/** The moments at which something changes on the strips of causes and runners: where arrows go. */
export function stripEdges(strips: WaitStrips): number[] {
  const edges = [...strips.causes, ...strips.runners].map(({ from }) => from);
  return [...new Set([0, ...edges])].sort((a, b) => a - b);
}

/** The strips in words, for screen readers. */
export function stripsSay(section: WaitSection, strips: WaitStrips): string {
  const causes = stripSums(strips).map(({ cause, ns }) => `${causeTitle(cause)} ${formatDuration(ns)}`);
  const cpus = [...new Set(strips.queues.map(({ cpu }) => cpu))];
  const who = new Map<number, RunnerPiece & { total: number }>();
  for (const runner of strips.runners) {
    const total = (who.get(runner.task)?.total ?? 0) + runner.runNs;
    who.set(runner.task, { ...runner, total });
  }
  const ran = [...who.values()].sort((a, b) => b.total - a.total).slice(0, 3);
  const idle = strips.idle.map(
    ({ nid, idleNs, cpus: all }) =>
      `${nodeWords(nid)} ${formatShare(idleNs / Math.max(1, strips.lengthNs * Math.max(1, all)))} idle`,
  );
  return [
    `Timeline of the wait of ${section.wait.comm} ${section.wait.pid}, ${formatDuration(strips.lengthNs)}: ${causes.join(", ")}.`,
    `It was queued on CPU ${cpus.join(", then ")}.`,
    ran.length > 0
      ? `Ran there: ${ran.map(({ comm, pid }) => `${comm} ${pid}`).join(", ")}.`
      : "No task ran there.",
    `At the same time: ${idle.join(", ")}.`,
  ].join(" ");
}

export function hopTask(hop: WakeHop): string {
  const place = `CPU ${hop.cpu}${hop.nid === null ? "" : `, node ${hop.nid}`}`;
  switch (hop.context) {
    case "interrupt":
      return `an interrupt on ${place}`;
    case "softirq":
      return `a softirq on ${place}`;
    case "idle":
      return `the idle task of ${place}`;
    default:
      return place;
  }
}

export function hopBefore(hop: WakeHop): string {
  const parts: string[] = [];
  const [slept, woken, ran] = [hop.slept_ns, hop.woken_ns, hop.ran_ns].map((ns) => parseNs(ns ?? ""));
  if (slept !== null && slept !== undefined && woken !== null && woken !== undefined) {
    const state = hop.slept_in === null ? "" : ` (${describeState(hop.slept_in)})`;
    parts.push(`had slept ${formatDuration(woken - slept)}${state}`);
  }
  if (hop.wait_ns !== null) parts.push(`waited ${formatDuration(hop.wait_ns)} for its CPU`);
  if (hop.preempted_ns > 0) parts.push(`was preempted for ${formatDuration(hop.preempted_ns)}`);
  const at = parseNs(hop.t_ns);
  if (ran !== null && ran !== undefined && at !== null) {
    parts.push(
      `woke it ${formatDuration(at - ran)} after it ${hop.woken_ns === null ? "came to the CPU" : "first ran"}`,
    );
  }
  return parts.join(", ");
}

export const STOP_WORDS: Readonly<Record<WaitSection["stop"], string>> = {
  interrupt: "The chain starts here: an interrupt waits for no task.",
  softirq: "The chain starts here: a softirq waits for no task.",
  idle: "The chain starts here: the idle task waits for no task.",
  ran_already: "The chain starts here: this task was awake before the task it woke went to sleep.",
  preempted: "It needed no wakeup: it was preempted and runnable all the time.",
  created: "The chain starts here: it was new and needed no wakeup.",
  limit: "The chain continues; the rest is not listed.",
  not_recorded: "What came before was not recorded.",
  lost_events: "Events were lost there: what came before is unknown.",
};

export const STORY_HEAD = ["strip", "from_ns", "to_ns", "what", "cpu", "nid", "pid", "count", "ns"] as const;

/** All strips and the chain as one table with exact numbers. */
export function storyRows(section: WaitSection): Field[][] {
  const moment = (ns: string | null) => (ns === null ? null : parseNs(ns));
  const rows: Field[][] = [];
  const add = (strip: string, from: string | null, to: string | null, rest: Field[]) =>
    rows.push([strip, moment(from), moment(to), ...rest]);
  for (const { from_ns, to_ns, causes, count } of section.segments) {
    for (const { cause, ns } of causes) add("cause", from_ns, to_ns, [cause, null, null, null, count, ns]);
  }
  for (const { from_ns, to_ns, cpu, nid, queued } of section.stretches) {
    add("queue", from_ns, to_ns, [queued ? "queued" : "asked", cpu, nid, section.wait.pid, 1, null]);
  }
  for (const { from_ns, to_ns, cpu, comm, pid, count, run_ns } of section.runners) {
    add("ran", from_ns, to_ns, [comm, cpu, null, pid, count, run_ns]);
  }
  for (const { cpu, nid, pieces } of section.idle_cpus) {
    for (const { from_ns, to_ns, count, idle_ns } of pieces) {
      add("idle", from_ns, to_ns, ["idle", cpu, nid, null, count, idle_ns]);
    }
  }
  for (const hop of section.chain) {
    add("woken_by", hop.woken_ns, hop.t_ns, [
      hop.context === "task" ? hop.comm : hop.context,
      ...[hop.cpu, hop.nid, hop.pid, 1, hop.wait_ns],
    ]);
  }
  return rows;
}

/** Events that name the task that is woken or moved. */
const NAMING = ["sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task"];

/** A filter for the raw events of a wait: those of its task, and the switches on the CPUs where it was queued. */
export function waitEvents(section: WaitSection, counts: Readonly<Record<string, number>>): string {
  const { pid, cpu } = section.wait;
  const cpus = [...new Set([...section.stretches.map((piece) => piece.cpu), cpu])].sort((a, b) => a - b);
  return [
    ...(NAMING.some((event) => (counts[event] ?? 0) > 0) ? [`pid == ${pid}`] : []),
    `prev_pid == ${pid}`,
    `next_pid == ${pid}`,
    `event == sched_switch && cpu in ${cpus.join(",")}`,
  ].join(" || ");
}

/** `12.004512331 – 12.007 s`. */
export function spanText(section: WaitSection): string {
  return `${formatAbs(parseNs(section.wait.waking_ns) ?? 0n)} – ${formatTime(parseNs(section.wait.switch_in_ns) ?? 0n)}`;
}
