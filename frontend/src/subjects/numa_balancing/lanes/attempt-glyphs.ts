/** Attempts to place tasks, and the worst waits, as marks on the lanes of nodes and CPUs. */

import type { Attempt, BalancingSection, LatencySection, Wait } from "../../../api/types.ts";
import { type Label, nodeText, wordOf } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type RelNs, toRel } from "../../../lib/time.ts";
import { GlyphTrack, glyphsOf, markTable } from "../../../timeline/draw/glyphs.ts";

/** Kind of a mark; merged ones show the highest. */
export const Mark = { Unknown: 0, Moved: 1, Swapped: 2, Waited: 3, Failed: 4 } as const;

export const MARKS = markTable(Mark, {
  Failed: { shape: "cross", tone: "cost", means: "attempt failed" },
  Moved: { shape: "right", tone: "text", means: "moved" },
  Swapped: { shape: "swap", tone: "text", means: "swapped" },
  Waited: { shape: "down", tone: "cost", means: "worst wait" },
  Unknown: { shape: "circle", tone: "muted", means: "attempt, outcome unknown" },
});

export type Marked =
  | { readonly kind: "attempt"; readonly attempt: Attempt }
  | { readonly kind: "wait"; readonly wait: Wait; readonly label: Label };

export interface MarkTrack {
  readonly track: GlyphTrack;
  readonly event: (i: number) => Marked | null;
}

export interface LaneMarks {
  readonly byLane: ReadonlyMap<string, MarkTrack>;
}

export function markOf(marked: Marked): number {
  if (marked.kind === "wait") return Mark.Waited;
  const { failed, verdict } = marked.attempt;
  if (failed === null) return Mark.Unknown;
  return failed ? Mark.Failed : verdict === "swapped" ? Mark.Swapped : Mark.Moved;
}

const timeOf = (marked: Marked, origin: AbsNs): RelNs =>
  toRel(
    origin,
    parseNs(marked.kind === "wait" ? marked.wait.switch_in_ns : marked.attempt.start_ns) ?? origin,
  );

/** A node's row is for attempts; of the waits it has those that are worst in the whole window. */
const NODE_WAITS = 12;

/** An attempt is on the lane of its CPU and on that of its target node; a wait where it ended. */
export function laneMarks(
  attempts: BalancingSection | null,
  waits: LatencySection | null,
  nodeOf: (cpu: number) => number | null,
  origin: AbsNs,
): LaneMarks {
  const lanes = new Map<string, Marked[]>();
  const add = (lane: string, marked: Marked) => {
    const list = lanes.get(lane);
    if (list) list.push(marked);
    else lanes.set(lane, [marked]);
  };
  for (const attempt of attempts?.attempts ?? []) {
    const marked: Marked = { kind: "attempt", attempt };
    const cpu = attempt.src_cpu >= 0 ? attempt.src_cpu : attempt.cpu;
    add(`cpu:${cpu}`, marked);
    const to = [attempt.target_nid, attempt.dst_nid, nodeOf(cpu) ?? -1].find((nid) => nid >= 0);
    if (to !== undefined) add(`node:${to}`, marked);
  }
  for (const [rank, wait] of (waits?.worst ?? []).entries()) {
    const marked: Marked = { kind: "wait", wait, label: waits?.label ?? "inferred" };
    add(`cpu:${wait.cpu}`, marked);
    const nid = wait.nid ?? nodeOf(wait.cpu);
    if (nid !== null && rank < NODE_WAITS) add(`node:${nid}`, marked);
  }
  const byLane = new Map<string, MarkTrack>();
  for (const [lane, marks] of lanes) {
    const { glyphs, order } = glyphsOf(marks, (marked) => timeOf(marked, origin), markOf);
    byLane.set(lane, { track: new GlyphTrack(glyphs), event: (i) => marks[order[i] ?? -1] ?? null });
  }
  return { byLane };
}

// How an attempt to place a task ended, and why.

const VERDICTS: Readonly<Record<string, string>> = {
  moved: "moved",
  swapped: "swapped",
  no_cpu: "no CPU found",
  move_failed: "move failed",
  move_refused: "move refused",
  swap_raced: "swap raced",
  swap_refused: "swap refused",
  no_domain: "no NUMA domain",
  unknown: "not known",
};

const NO_CPU: Readonly<Record<string, string>> = {
  target_unknown: "target node not known",
  cpus_unknown: "state of some CPU not known",
  dst_overloaded: "more tasks than CPUs there",
  dst_full: "node fully busy (one task per CPU)",
  imbalance_denied: "imbalance too large",
  no_idle_cpu: "room, but no idle CPU",
  idle_cpu_not_taken: "an idle CPU, not taken",
  load: "the load comparison decides",
};

export function verdictWord(verdict: Attempt["verdict"]): string {
  return wordOf(VERDICTS, verdict);
}

export function verdictText({ verdict, partner, partner_comm }: Attempt): string {
  const text = verdictWord(verdict);
  return partner ? `${text} with ${partner_comm || "pid"} ${partner.pid}` : text;
}

export function noCpuText({ explanation }: Attempt): string {
  const why = explanation?.no_cpu;
  return why ? wordOf(NO_CPU, why) : "";
}

/** `12 here, 5 there` after a move, and the verdict of the traced kernel's rules. */
export function imbalanceWords({ explanation }: Attempt): string {
  const numbers = explanation?.imbalance;
  if (!numbers) return "–";
  const rule = explanation.answers.find(({ recorded }) => recorded);
  const said = rule ? `, ${wordOf(MAYMOVE, rule.maymove)} (${rule.rules})` : "";
  return `${numbers.src_running} here, ${numbers.dst_running} there: ${numbers.imbalance} more${said}`;
}

const MAYMOVE: Readonly<Record<string, string>> = {
  allowed: "allowed",
  denied: "denied",
  load_test: "the load comparison decides",
  unknown: "not known",
};

/** The node of the chosen CPU; the wanted one where none was chosen. */
export function wayText({ src_nid, dst_nid, target_nid }: Attempt): string {
  const to = target_nid >= 0 ? target_nid : dst_nid;
  return `${nodeText(src_nid)} → ${nodeText(to)}`;
}
