/** Filter of the findings: chips by kind, node, task and cgroup, and words. Part of the link. */

import { type FilteredFinding, findingMatches, kindText } from "../lib/findings.ts";
import { plural } from "../lib/format.ts";
import { unescaped } from "../timeline/marks.ts";

export const FACETS = ["kind", "node", "cgroup", "task"] as const;
export type Facet = (typeof FACETS)[number];

/** Values of one facet are alternatives; facets, and the words, must all hold. */
export interface FindingFilter {
  readonly chips: Readonly<Record<Facet, readonly string[]>>;
  readonly text: string;
}

export const NO_FILTER: FindingFilter = { chips: { kind: [], node: [], cgroup: [], task: [] }, text: "" };

export function isFiltered({ chips, text }: FindingFilter): boolean {
  return text.trim() !== "" || FACETS.some((facet) => chips[facet].length > 0);
}

/** The values that a finding has of a facet. */
function valuesOf(finding: FilteredFinding, facet: Facet): readonly string[] {
  switch (facet) {
    case "kind":
      return [finding.id];
    case "node":
      return finding.nodes.map(String);
    case "task":
      return finding.pids.map(String);
    case "cgroup":
      return finding.cgroup ? [finding.cgroup] : [];
  }
}

/** Returns whether a finding is shown; with `except`, as if that facet had no chips. */
export function passes(finding: FilteredFinding, filter: FindingFilter, except?: Facet): boolean {
  const facets = FACETS.filter((facet) => facet !== except && filter.chips[facet].length > 0);
  return (
    facets.every((facet) => valuesOf(finding, facet).some((value) => filter.chips[facet].includes(value))) &&
    findingMatches(finding, filter.text)
  );
}

export function toggleChip(filter: FindingFilter, facet: Facet, value: string): FindingFilter {
  const had = filter.chips[facet];
  const values = had.includes(value) ? had.filter((each) => each !== value) : [...had, value];
  return { ...filter, chips: { ...filter.chips, [facet]: values } };
}

export interface Chip {
  readonly value: string;
  readonly text: string;
  /** Findings that the chip would leave, all other facets as they are. */
  readonly count: number;
  readonly chosen: boolean;
}

export interface ChipRow {
  readonly facet: Facet;
  readonly chips: readonly Chip[];
  /** Values that are in none of the chips; words find them. */
  readonly more: number;
}

/** Many tasks have few findings each: more chips than this are a list, and a list is searched with words. */
const MOST_CHIPS: Readonly<Record<Facet, number>> = { kind: 12, node: 16, cgroup: 8, task: 8 };

/** The chips that distinguish findings, the most frequent first; a chosen one is always included. */
export function chipRows(
  findings: readonly FilteredFinding[],
  filter: FindingFilter,
  nameOf: (pid: number) => string | null,
): readonly ChipRow[] {
  return FACETS.map((facet) => {
    const counts = new Map<string, number>();
    for (const finding of findings) {
      const counted = passes(finding, filter, facet) ? 1 : 0;
      for (const value of new Set(valuesOf(finding, facet))) {
        counts.set(value, (counts.get(value) ?? 0) + counted);
      }
    }
    const chosen = new Set(filter.chips[facet]);
    for (const value of chosen) if (!counts.has(value)) counts.set(value, 0);
    const all = [...counts].sort(
      ([a, na], [b, nb]) =>
        Number(chosen.has(b)) - Number(chosen.has(a)) ||
        nb - na ||
        a.localeCompare(b, "en", { numeric: true }),
    );
    const chips = all.slice(0, MOST_CHIPS[facet]).map(([value, count]) => ({
      value,
      text: chipText(facet, value, nameOf),
      count,
      chosen: chosen.has(value),
    }));
    return { facet, chips, more: all.length - chips.length };
  }).filter(({ chips }) => chips.length > 1 || chips.some(({ chosen }) => chosen));
}

function chipText(facet: Facet, value: string, nameOf: (pid: number) => string | null): string {
  if (facet === "kind") return kindText(value);
  if (facet === "node") return `node ${value}`;
  if (facet === "task") return [nameOf(Number(value)), value].filter((part) => part !== null).join(" ");
  return value;
}

/** `kind:CLING_BUSY_NODE|node:1|text:storm`, values escaped twice; slashes of cgroups stay readable. */
export function encodeFindingFilter(filter: FindingFilter): string {
  const parts = FACETS.flatMap((facet) => filter.chips[facet].map((value) => `${facet}:${escaped(value)}`));
  const text = filter.text.trim();
  if (text !== "") parts.push(`text:${escaped(text)}`);
  return parts.join("|");
}

function escaped(value: string): string {
  // Halves of surrogate pairs, which names of a trace may have, cannot be escaped.
  const whole = value.replace(/\p{Cs}/gu, "\ufffd");
  return encodeURIComponent(encodeURIComponent(whole)).replaceAll("%252F", "/");
}

const MOST_PARTS = 64;
const MOST_LENGTH = 200;

/** null without any filter. */
export function parseFindingFilter(text: string | undefined): FindingFilter | null {
  let filter = NO_FILTER;
  for (const part of (text ?? "").split("|").slice(0, MOST_PARTS)) {
    const colon = part.indexOf(":");
    const value = unescaped(part.slice(colon + 1)).trim();
    if (colon < 0 || value === "" || value.length > MOST_LENGTH) continue;
    const name = part.slice(0, colon);
    const facet = FACETS.find((each) => each === name);
    if (name === "text") filter = { ...filter, text: value };
    else if (facet && !filter.chips[facet].includes(value)) filter = toggleChip(filter, facet, value);
  }
  return isFiltered(filter) ? filter : null;
}

/** `12 of 35 findings`. */
export function countText(shown: number, all: number): string {
  return shown === all ? plural(all, "finding") : `${shown} of ${plural(all, "finding")}`;
}
