/** Analyses as they are filed: found by words, grouped by incident. */

import type { Analysis } from "../../api/types.ts";

/** All that an analysis is found by, lower case. */
function haystack(analysis: Analysis): string {
  const { title, description, tags, incident, inputs } = analysis;
  const lines = inputs.flatMap(({ name, kernel, facts }) => [
    name,
    kernel ?? "",
    ...Object.values(facts ?? {}),
  ]);
  return [title, description, incident ?? "", ...tags.map((tag) => `#${tag}`), ...lines]
    .join("\n")
    .toLowerCase();
}

/** Analyses that have every word; `#word` is a tag, whole. */
export function foundBy(analyses: readonly Analysis[], search: string): readonly Analysis[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "#");
  if (words.length === 0) return analyses;
  return analyses.filter((analysis) => {
    const hay = haystack(analysis);
    return words.every((word) =>
      word.startsWith("#") ? analysis.tags.includes(word.slice(1)) : hay.includes(word),
    );
  });
}

/** The tags that are in use, the commonest first. */
export function tagsOf(analyses: readonly Analysis[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { tags } of analyses) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([tag]) => tag);
}

/** As they come, those of one incident together at the place of the first of them. */
export function byIncident(analyses: readonly Analysis[]): readonly (readonly Analysis[])[] {
  const groups = new Map<string, Analysis[]>();
  const order: Analysis[][] = [];
  for (const analysis of analyses) {
    const group = analysis.incident === null ? undefined : groups.get(analysis.incident);
    if (group) group.push(analysis);
    else {
      const fresh = [analysis];
      order.push(fresh);
      if (analysis.incident !== null) groups.set(analysis.incident, fresh);
    }
  }
  return order;
}

/** Tags as they are typed: words, with or without `#`. */
export function parseTags(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .map((word) => word.replace(/^#+/, ""));
  return [...new Set(words.filter((word) => word !== ""))];
}
