/** How an attempt to place a task ended, and why. */

import type { Attempt } from "../../api/types.ts";
import { nodeText, wordOf } from "../../lib/section-words.ts";

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

export function verdictText({ verdict, partner, partner_comm }: Attempt): string {
  const text = wordOf(VERDICTS, verdict);
  return partner ? `${text} with ${partner_comm || "pid"} ${partner.pid}` : text;
}

export function noCpuText({ explanation }: Attempt): string {
  const why = explanation?.no_cpu;
  return why ? wordOf(NO_CPU, why) : "";
}

/** `12 here, 5 there` after a move, and what the traced kernel's rules said of it. */
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
  load_test: "the loads decide",
  unknown: "not known",
};

/** The node of the chosen CPU; the wanted one where none was chosen. */
export function wayText({ src_nid, dst_nid, target_nid }: Attempt): string {
  const to = target_nid >= 0 ? target_nid : dst_nid;
  return `${nodeText(src_nid)} → ${nodeText(to)}`;
}
