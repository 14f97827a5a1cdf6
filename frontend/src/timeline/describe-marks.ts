/** What single events of the balancers say under the pointer and in the inspector. */

import type { Annotation, Attempt, ClingGroup, Wait } from "../api/types.ts";
import { causeWords, rankCauses } from "../lib/causes.ts";
import { formatAbs, formatDuration, plural } from "../lib/format.ts";
import { missingText } from "../lib/section-words.ts";
import { type AbsNs, parseNs, type Span, toAbs } from "../lib/time.ts";
import { Mark, type Marked, markOf } from "../panels/nodes/attempt-glyphs.ts";
import {
  decidedText,
  imbalanceWords,
  noCpuText,
  noteWords,
  verdictText,
  wayText,
} from "../tabs/balancers/attempt-table.ts";
import type { Described, Label } from "./describe.ts";

/** An event as words; `what` is short, `fact` is all of it. */
export interface Told {
  readonly what: Described;
  readonly fact: {
    readonly at: AbsNs;
    readonly title: string;
    /** null for what is not ours to tell where it comes from. */
    readonly label: Label | null;
    readonly rows: readonly (readonly [string, string])[];
    readonly note: string | null;
    readonly fn: string | null;
  };
  readonly from: AbsNs;
  readonly to: AbsNs;
}

type Row = readonly [string, string];

const ns = (text: string): AbsNs => parseNs(text) ?? 0n;

interface Parts {
  readonly title: string;
  readonly label: Label;
  readonly rows: readonly Row[];
  readonly note: string | null;
  readonly fn: string | null;
  readonly from: AbsNs;
  readonly to: AbsNs;
  /** When the mark stands; its begin unless something else is said. */
  readonly at?: AbsNs;
}

/** The one shape of all of them. */
function told({ title, label, rows, note, fn, from, to, at = from }: Parts): Told {
  const kernel: Row[] = fn === null ? [] : [["kernel", fn]];
  return {
    what: { title, task: null, rows: [["at", `${formatAbs(at)} s`], ...rows, ...kernel], label, note },
    fact: { at, title, label, rows, note, fn },
    from,
    to,
  };
}

export function attemptFact(attempt: Attempt): Told {
  const why = noCpuText(attempt);
  const after = imbalanceWords(attempt);
  const rows: Row[] = [
    ["task", `${attempt.comm} ${attempt.pid}`],
    ["node", wayText(attempt)],
    ["ended", verdictText(attempt)],
    ...(why === "" ? [] : [["why no CPU", why] as const]),
    ...(after === "–" ? [] : [["after a move", after] as const]),
    ["took", formatDuration(ns(attempt.end_ns) - ns(attempt.start_ns))],
  ];
  const { explanation, failed } = attempt;
  return told({
    title: failed === null ? "attempt, end not known" : failed ? "attempt failed" : verdictText(attempt),
    label: failed === null ? "inferred" : "observed",
    rows,
    note: explanation ? `Why: ${explanation.label}${lacks(explanation.missing)}.` : null,
    fn: "task_numa_migrate",
    from: ns(attempt.start_ns),
    to: ns(attempt.end_ns),
  });
}

export function waitFact(wait: Wait, label: Label): Told {
  const causes = rankCauses(wait.causes).slice(0, 4);
  const [first] = wait.antagonists;
  return told({
    title: `${wait.comm} waited ${formatDuration(wait.wait_ns)}`,
    label,
    rows: [
      ["pid", String(wait.pid)],
      ["CPU", wait.from_cpu === wait.cpu ? String(wait.cpu) : `${wait.from_cpu}, then ${wait.cpu}`],
      ...causes.map(({ cause, ns: time }): Row => [causeWords(cause), formatDuration(time)]),
      ...(first ? [["mostly ran", `${first.comm} ${first.pid}, ${formatDuration(first.ns)}`] as const] : []),
    ],
    note: null,
    fn: "try_to_wake_up to __schedule",
    from: ns(wait.waking_ns),
    to: ns(wait.switch_in_ns),
    at: ns(wait.switch_in_ns),
  });
}

/** Around a moment without a length, ns. */
const AROUND = 2_000_000n;

export function decisionFact(
  note: Annotation,
  group: string,
  taskName: (pid: number) => string | null,
): Told {
  const words = noteWords(note);
  const at = ns(note.t_ns);
  const who = note.pid === null ? null : `${taskName(note.pid) ?? "pid"} ${note.pid}`;
  return told({
    title: `${words.kind}: ${words.outcome}`,
    label: note.label,
    rows: [
      ...(who === null ? [] : [["task", who] as const]),
      ["group", group],
      ...(words.way === "" ? [] : [["node", words.way] as const]),
      ["decided by", decidedText(note)],
    ],
    note: note.missing.length > 0 ? sentence(note.missing) : null,
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
): Told {
  const at = ns(flip.t_ns);
  const share = `F ${flip.f} of T ${flip.t} attempts to reach it had failed (each failure counts 1024, halved by the timer): ${flip.q} % beside a degree of ${flip.degree} %.`;
  const then = flip.busy
    ? "From here on the group's tasks may leave the node, and none comes to prefer it."
    : `${RULE} One of these does not hold any more; its tasks cling to the node again.`;
  return told({
    title: `node ${flip.nid} ${flip.busy ? "becomes busy" : "is busy no more"}`,
    label,
    rows: [
      ["group", group],
      ["failures F", String(flip.f)],
      ["attempts T", String(flip.t)],
      ["ratio", `${flip.q} %`],
      ["degree", `${flip.degree} %`],
      ["busiest node", flip.busiest_nid < 0 ? "none" : String(flip.busiest_nid)],
    ],
    note: [share, then, missing.length > 0 ? sentence(missing) : ""].join(" ").trim(),
    fn: "busy_node",
    from: at - AROUND_FLIP,
    to: at + AROUND_FLIP,
    at,
  });
}

function lacks(missing: readonly string[]): string {
  const text = missingText(missing);
  return text === "" ? "" : `, ${text}`;
}

function sentence(missing: readonly string[]): string {
  const text = missingText(missing);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

const KINDS: readonly (readonly [number, string])[] = [
  [Mark.Failed, "failed"],
  [Mark.Moved, "moved"],
  [Mark.Swapped, "swapped"],
  [Mark.Unknown, "not known"],
];

/** Marks that stand as one, counted by what they are. */
export function markSummary(marks: readonly Marked[], span: Span, origin: AbsNs): Described {
  const rows: Row[] = [];
  const attempts = marks.filter(({ kind }) => kind === "attempt");
  for (const [kind, word] of KINDS) {
    const count = attempts.filter((mark) => markOf(mark) === kind).length;
    if (count > 0) rows.push([`attempts, ${word}`, String(count)]);
  }
  const waits = marks.filter((mark) => mark.kind === "wait");
  if (waits.length > 0) {
    const longest = waits.reduce((a, b) => (b.wait.wait_ns > a.wait.wait_ns ? b : a));
    rows.push(["worst waits", String(waits.length)]);
    rows.push([
      "longest",
      `${longest.wait.comm} ${longest.wait.pid}, ${formatDuration(longest.wait.wait_ns)}`,
    ]);
  }
  return merged(plural(marks.length, "event"), rows, span, origin);
}

/** What several marks in one place say together. */
export function merged(title: string, rows: readonly Row[], span: Span, origin: AbsNs): Described {
  return {
    title: `${title} merged`,
    task: null,
    rows: [
      ...rows,
      ["from", `${formatAbs(toAbs(origin, span.from))} s`],
      ["to", `${formatAbs(toAbs(origin, span.to))} s`],
    ],
    label: null,
    note: "Zoom in to see each.",
  };
}
