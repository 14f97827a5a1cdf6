/** The placement of one task in words; the rules and their wording are the engine's. */

import type { SectionAnswer } from "../../../api/routes/sections.ts";
import { CATALOGUE } from "../../../lib/catalogue.ts";

/** An answer of the section with content. */
export type Placements = Extract<SectionAnswer<"wakeup_placement">, { readonly available: true }>;
type Row = Placements["listed"][number];
type Rule = (typeof CATALOGUE)["placement_reasons"][number];

/** The placement of a task; null for that of another task. */
export function placementOf(answer: Pick<Placements, "listed">, pid: number): Row | null {
  return answer.listed.find((row) => row.pid === pid) ?? null;
}

/** Catalogue rows of possible reasons. */
export function reasonRows(reasons: readonly string[]): readonly Rule[] {
  return CATALOGUE.placement_reasons.filter(({ id }) => reasons.includes(id));
}

export function chosenText({ cpu, prev_cpu, waker_cpu, fork, reasons }: Row): string {
  const parts = [
    `CPU ${cpu} was chosen`,
    ...(fork ? ["for a new task"] : []),
    ...(prev_cpu === null ? [] : [`the task was on CPU ${prev_cpu} before`]),
    ...(waker_cpu === null ? [] : [`its waker on CPU ${waker_cpu}`]),
  ];
  const several = reasons.length > 1 ? " The recording does not distinguish these reasons:" : "";
  const none = reasons.length === 0 ? " No rule gives this CPU." : several;
  return `${parts.join(", ")}.${none}`;
}

/** The idle CPU that was missed, with the rule. */
export function missedText({ idle_cpu, missed_by }: Row): string | null {
  const rule = CATALOGUE.missed_by.find(({ id }) => id === missed_by);
  if (idle_cpu === null || !rule) return null;
  return `CPU ${idle_cpu} was idle and allowed. ${rule.title} (${rule.rule}): ${rule.meaning}`;
}

/** Possible effects of other rules, one text each. */
export function whatIfTexts({ what_ifs }: Pick<Placements, "what_ifs">) {
  return what_ifs.map(({ rules, differ, reasons, label }) => {
    const row = CATALOGUE.placement_what_ifs.find(({ id }) => id === rules);
    const titles = reasonRows(reasons.map(({ reason }) => reason)).map(({ title }) => title);
    const would = differ > 0 ? "would have gone" : "may have gone";
    return {
      id: rules,
      label,
      text: `${row?.title ?? rules} (${row?.rule ?? "-"}): it ${would} to another CPU, by ${titles.join(" or ")}.`,
    };
  });
}
