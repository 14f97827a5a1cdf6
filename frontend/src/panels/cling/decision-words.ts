/** What cling decided, and by which numbers. */

import type { Annotation } from "../../api/types.ts";
import { nodeText, wordOf } from "../../lib/section-words.ts";

export const DECISION_KINDS: Readonly<Record<string, string>> = {
  wake_affine: "wake-up",
  load_balance: "load balance",
  swap: "NUMA swap",
  busy: "node busy",
  no_longer_busy: "node not busy",
  pause_prefer: "preference paused",
  resettle: "resettled",
  memory: "memory",
  parts: "differs from here",
};

export const DECISION_OUTCOMES: Readonly<Record<string, string>> = {
  clings: "clings",
  released: "released",
  busy: "busy from here",
  not_busy: "not busy from here",
  paused: "not preferred",
  resettled: "prefers another",
  memory_leaves: "may leave",
  memory_refused: "may not come",
};

/** What an annotation is, in words. */
export function noteWords(note: Pick<Annotation, "kind" | "outcome" | "snid" | "dnid">): {
  readonly kind: string;
  readonly outcome: string;
  readonly way: string;
} {
  return {
    kind: wordOf(DECISION_KINDS, note.kind),
    outcome: wordOf(DECISION_OUTCOMES, note.outcome),
    way: noteWay(note),
  };
}

/** `F 1536 of T 1536, 99 %, degree 20 %`: what decided. */
export function decidedText({ by }: Annotation): string {
  const busiest = by.busiest_nid === by.nid ? ", busiest" : "";
  return `node ${nodeText(by.nid)}: F ${by.f} of T ${by.t}, ${by.q} %, degree ${by.degree} %${busiest}`;
}

export function noteWay({ snid, dnid }: Pick<Annotation, "snid" | "dnid">): string {
  if (snid < 0) return dnid < 0 ? "" : nodeText(dnid);
  return `${nodeText(snid)} → ${nodeText(dnid)}`;
}
