/** Texts of cling's decisions and flips, for the tooltip and the inspector. */

import type { Annotation, ClingGroup } from "../../../api/types.ts";
import { type Label, nodeText, wordOf } from "../../../lib/terms.ts";
import { nsOf } from "../../../lib/time.ts";
import { type EventFact, eventFact, missingSentence } from "../../../timeline/event-fact.ts";

/** Around a moment without a length, ns. */
const AROUND = 2_000_000n;

export function decisionFact(
  note: Annotation,
  group: string,
  taskName: (pid: number) => string | null,
): EventFact {
  const words = noteWords(note);
  const at = nsOf(note.t_ns);
  const who = note.pid === null ? null : `${taskName(note.pid) ?? "pid"} ${note.pid}`;
  return eventFact({
    title: `${words.kind}: ${words.outcome}`,
    label: note.label,
    rows: [
      ...(who === null ? [] : [["task", who] as const]),
      ["group", group],
      ...(words.way === "" ? [] : [["node", words.way] as const]),
      ["decided by", decidedText(note)],
    ],
    note: note.missing.length > 0 ? missingSentence(note.missing) : null,
    fn: note.function,
    from: at - AROUND,
    to: at + AROUND,
    at,
  });
}

const RULE =
  "A node is busy while it is the group's busiest, F is at least 1024, and the ratio is above the degree.";
/** Around a flip, ns. */
const AROUND_FLIP = 50_000_000n;

/** Says in words why a node became busy, or stopped to be. */
export function flipFact(
  flip: ClingGroup["flips"][number],
  group: string,
  label: Label,
  missing: readonly string[],
): EventFact {
  const at = nsOf(flip.t_ns);
  const share = `F ${flip.f} of T ${flip.t} attempts to reach it had failed (each failure counts 1024, halved by the timer): ${flip.q} % against a degree of ${flip.degree} %.`;
  const then = flip.busy
    ? "From here on the group's tasks may leave the node, and no task starts to prefer it."
    : `${RULE} One of these no longer holds; tasks cling to the node again.`;
  return eventFact({
    title: `node ${flip.nid} ${flip.busy ? "becomes busy" : "is no longer busy"}`,
    label,
    rows: [
      ["group", group],
      ["failures F", String(flip.f)],
      ["attempts T", String(flip.t)],
      ["ratio", `${flip.q} %`],
      ["degree", `${flip.degree} %`],
      ["busiest node", flip.busiest_nid < 0 ? "none" : String(flip.busiest_nid)],
    ],
    note: [share, then, missing.length > 0 ? missingSentence(missing) : ""].join(" ").trim(),
    fn: "busy_node",
    from: at - AROUND_FLIP,
    to: at + AROUND_FLIP,
    at,
  });
}

// What cling decided, and by which numbers.

export const DECISION_KINDS: Readonly<Record<string, string>> = {
  wake_affine: "wakeup",
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
  memory_refused: "may not move there",
};

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
