/** Attempts to place tasks, and decisions of cling, as rows that people read. */

import type { Annotation, Attempt } from "../data/types.ts";
import { formatAbs } from "./format.ts";
import type { TextTable } from "./latency-table.ts";
import { missingText } from "./section-words.ts";
import { parseNs } from "./time.ts";

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

const at = (ns: string, digits = 6) => formatAbs(parseNs(ns) ?? 0n, digits);

export function attemptTable(attempts: readonly Attempt[]): TextTable {
  return {
    head: ["at, s", "task", "pid", "node", "ended", "why no CPU", "after a move", "label"],
    right: new Set([2]),
    rows: attempts.map((attempt) => [
      at(attempt.start_ns),
      attempt.comm,
      String(attempt.pid),
      wayText(attempt),
      verdictText(attempt),
      noCpuText(attempt),
      imbalanceWords(attempt),
      labelText(attempt.explanation),
    ]),
    exactHead: [
      ...["start_ns", "end_ns", "comm", "pid", "tgid", "ngid", "src_cpu", "src_nid", "dst_cpu", "dst_nid"],
      ...["target_nid", "target_from", "verdict", "failed", "ret", "partner_pid", "no_cpu"],
      ...["src_running", "dst_running", "imbalance", "label", "missing"],
    ],
    exact: attempts.map((each) => [
      ...[parseNs(each.start_ns), parseNs(each.end_ns), each.comm, each.pid, each.tgid, each.ngid],
      ...[each.src_cpu, each.src_nid, each.dst_cpu, each.dst_nid, each.target_nid, each.target_from],
      ...[each.verdict, each.failed, each.ret, each.partner?.pid, each.explanation?.no_cpu],
      ...[each.explanation?.imbalance?.src_running, each.explanation?.imbalance?.dst_running],
      ...[each.explanation?.imbalance?.imbalance, each.explanation?.label],
      each.explanation?.missing.join("; "),
    ]),
  };
}

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
  return {
    head: ["at, s", "what", "outcome", "task", "node", "decided by", "kernel", "group", "label"],
    right: new Set([7]),
    rows: notes.map((note) => [
      at(note.t_ns),
      word(KINDS, note.kind),
      word(OUTCOMES, note.outcome),
      note.pid === null ? "" : [commOf(note.pid), note.pid].filter((part) => part !== null).join(" "),
      noteWay(note),
      decidedText(note),
      note.function,
      String(note.group),
      labelText(note) + (note.after_parting ? ", after it differs" : ""),
    ]),
    exactHead: [
      ...["t_ns", "kind", "outcome", "group", "pid", "snid", "dnid", "nid", "f", "t", "q", "busiest_nid"],
      ...["degree", "function", "label", "missing", "after_parting"],
    ],
    exact: notes.map((note) => [
      ...[parseNs(note.t_ns), note.kind, note.outcome, note.group, note.pid, note.snid, note.dnid],
      ...[note.by.nid, note.by.f, note.by.t, note.by.q, note.by.busiest_nid, note.by.degree],
      ...[note.function, note.label, note.missing.join("; "), note.after_parting],
    ]),
  };
}

function noteWay({ snid, dnid }: Pick<Annotation, "snid" | "dnid">): string {
  if (snid < 0) return dnid < 0 ? "" : nodeText(dnid);
  return `${nodeText(snid)} → ${nodeText(dnid)}`;
}
