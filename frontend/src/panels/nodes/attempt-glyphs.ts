/** Attempts to place tasks, and the worst waits, as marks on the lanes of nodes and CPUs. */

import type { Attempt, BalancingSection, LatencySection, Wait } from "../../api/types.ts";
import type { Label } from "../../lib/section-words.ts";
import { type AbsNs, parseNs, type RelNs, toRel } from "../../lib/time.ts";
import { GlyphTrack, glyphsOf } from "../../timeline/draw/glyphs.ts";

/** What a mark is; of merged ones the highest speaks. */
export const Mark = { Unknown: 0, Moved: 1, Swapped: 2, Waited: 3, Failed: 4 } as const;

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

/** An attempt stands on the lane of the CPU that made it and on that of the node it was to; a wait where it ended. */
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
