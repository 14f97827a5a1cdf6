/** Attempts to place tasks, and decisions of cling, as rows that people read. */

import type { Annotation, Attempt } from "../../api/types.ts";
import { missingText } from "../../lib/section-words.ts";
import { parseNs } from "../../lib/time.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

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
  dst_full: "a task for each CPU there",
  imbalance_denied: "imbalance too large",
  no_idle_cpu: "room, but no idle CPU",
  idle_cpu_not_taken: "an idle CPU, not taken",
  load: "the loads decide",
};

/** A name that this page does not know yet stands as it came. */
const word = (words: Readonly<Record<string, string>>, name: string) =>
  words[name] ?? name.replaceAll("_", " ");

export function verdictText({ verdict, partner, partner_comm }: Attempt): string {
  const text = word(VERDICTS, verdict);
  return partner ? `${text} with ${partner_comm || "pid"} ${partner.pid}` : text;
}

export function noCpuText({ explanation }: Attempt): string {
  const why = explanation?.no_cpu;
  return why ? word(NO_CPU, why) : "";
}

/** `12 here, 5 there` after a move, and what the traced kernel's rules said of it. */
export function imbalanceWords({ explanation }: Attempt): string {
  const numbers = explanation?.imbalance;
  if (!numbers) return "–";
  const rule = explanation.answers.find(({ recorded }) => recorded);
  const said = rule ? `, ${word(MAYMOVE, rule.maymove)} (${rule.rules})` : "";
  return `${numbers.src_running} here, ${numbers.dst_running} there: ${numbers.imbalance} more${said}`;
}

const MAYMOVE: Readonly<Record<string, string>> = {
  allowed: "allowed",
  denied: "denied",
  load_test: "the loads decide",
  unknown: "not known",
};

/** The node of the chosen CPU; the wanted one where none was chosen. */
export function wayText({ src_nid, dst_nid, target_nid }: Attempt): string {
  const to = target_nid >= 0 ? target_nid : dst_nid;
  return `${nodeText(src_nid)} → ${nodeText(to)}`;
}

function nodeText(nid: number): string {
  return nid < 0 ? "?" : String(nid);
}

export function attemptTable(attempts: readonly Attempt[]): TextTable {
  return describeTable<Attempt>(
    [
      { name: "at, s", exact: "start_ns", unit: "time", value: ({ start_ns }) => parseNs(start_ns) },
      { name: null, exact: "end_ns", unit: "time", value: ({ end_ns }) => parseNs(end_ns) },
      { name: "task", exact: "comm", value: ({ comm }) => comm },
      { name: "pid", exact: "pid", unit: "id", value: ({ pid }) => pid },
      { name: null, exact: "tgid", unit: "id", value: ({ tgid }) => tgid },
      { name: null, exact: "ngid", unit: "id", value: ({ ngid }) => ngid },
      { name: "node", exact: null, value: wayText },
      { name: null, exact: "src_cpu", unit: "id", value: ({ src_cpu }) => src_cpu },
      { name: null, exact: "src_nid", unit: "id", value: ({ src_nid }) => src_nid },
      { name: null, exact: "dst_cpu", unit: "id", value: ({ dst_cpu }) => dst_cpu },
      { name: null, exact: "dst_nid", unit: "id", value: ({ dst_nid }) => dst_nid },
      { name: null, exact: "target_nid", unit: "id", value: ({ target_nid }) => target_nid },
      { name: null, exact: "target_from", value: ({ target_from }) => target_from },
      { name: "ended", exact: "verdict", value: ({ verdict }) => verdict, show: verdictText },
      { name: null, exact: "failed", value: ({ failed }) => failed },
      { name: null, exact: "ret", unit: "id", value: ({ ret }) => ret },
      { name: null, exact: "partner_pid", unit: "id", value: ({ partner }) => partner?.pid },
      {
        name: "why no CPU",
        exact: "no_cpu",
        value: ({ explanation }) => explanation?.no_cpu,
        show: noCpuText,
      },
      { name: null, exact: "src_running", unit: "count", value: imbalanceOf("src_running") },
      { name: null, exact: "dst_running", unit: "count", value: imbalanceOf("dst_running") },
      { name: "after a move", exact: null, value: imbalanceWords },
      { name: null, exact: "imbalance", unit: "count", value: imbalanceOf("imbalance") },
      {
        name: "label",
        exact: "label",
        value: ({ explanation }) => explanation?.label,
        show: ({ explanation }) => labelText(explanation),
      },
      { name: null, exact: "missing", value: ({ explanation }) => explanation?.missing.join("; ") },
    ],
    attempts,
  );
}

const imbalanceOf =
  (field: "src_running" | "dst_running" | "imbalance") =>
  ({ explanation }: Attempt) =>
    explanation?.imbalance?.[field];

function labelText(part: { readonly label: string; readonly missing: readonly string[] } | null): string {
  return part === null
    ? ""
    : [part.label, missingText(part.missing)].filter((text) => text !== "").join(", ");
}

const KINDS: Readonly<Record<string, string>> = {
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

const OUTCOMES: Readonly<Record<string, string>> = {
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
  return { kind: word(KINDS, note.kind), outcome: word(OUTCOMES, note.outcome), way: noteWay(note) };
}

/** `F 1536 of T 1536, 99 %, degree 20 %`: what decided. */
export function decidedText({ by }: Annotation): string {
  const busiest = by.busiest_nid === by.nid ? ", busiest" : "";
  return `node ${nodeText(by.nid)}: F ${by.f} of T ${by.t}, ${by.q} %, degree ${by.degree} %${busiest}`;
}

export function noteTable(notes: readonly Annotation[], commOf: (pid: number) => string | null): TextTable {
  const taskText = ({ pid }: Annotation) =>
    pid === null ? "" : [commOf(pid), pid].filter((part) => part !== null).join(" ");
  return describeTable<Annotation>(
    [
      { name: "at, s", exact: "t_ns", unit: "time", value: ({ t_ns }) => parseNs(t_ns) },
      { name: "what", exact: "kind", value: ({ kind }) => kind, show: ({ kind }) => word(KINDS, kind) },
      {
        name: "outcome",
        exact: "outcome",
        value: ({ outcome }) => outcome,
        show: ({ outcome }) => word(OUTCOMES, outcome),
      },
      { name: "task", exact: null, value: taskText },
      { name: null, exact: "pid", unit: "id", value: ({ pid }) => pid },
      { name: "node", exact: null, value: noteWay },
      { name: null, exact: "snid", unit: "id", value: ({ snid }) => snid },
      { name: null, exact: "dnid", unit: "id", value: ({ dnid }) => dnid },
      { name: "decided by", exact: null, value: decidedText },
      { name: null, exact: "nid", unit: "id", value: ({ by }) => by.nid },
      { name: null, exact: "f", unit: "count", value: ({ by }) => by.f },
      { name: null, exact: "t", unit: "count", value: ({ by }) => by.t },
      { name: null, exact: "q", unit: "percent", value: ({ by }) => by.q },
      { name: null, exact: "busiest_nid", unit: "id", value: ({ by }) => by.busiest_nid },
      { name: null, exact: "degree", unit: "percent", value: ({ by }) => by.degree },
      { name: "kernel", exact: "function", value: (note) => note.function },
      { name: "group", exact: "group", unit: "id", value: ({ group }) => group },
      {
        name: "label",
        exact: "label",
        value: ({ label }) => label,
        show: (note) => labelText(note) + (note.after_parting ? ", after it differs" : ""),
      },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
      { name: null, exact: "after_parting", value: ({ after_parting }) => after_parting },
    ],
    notes,
  );
}

function noteWay({ snid, dnid }: Pick<Annotation, "snid" | "dnid">): string {
  if (snid < 0) return dnid < 0 ? "" : nodeText(dnid);
  return `${nodeText(snid)} → ${nodeText(dnid)}`;
}
