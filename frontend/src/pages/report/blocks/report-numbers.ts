/** Numbers in a report: facts or a table, with where they come from. */

import { kindWords } from "../../../analysis/finding-words.ts";
import type { Finding } from "../../../api/types.ts";
import { aboutText, impactText, kindText } from "../../../lib/findings.ts";
import { formatAbs, formatCount, formatDuration, plural } from "../../../lib/format.ts";
import { plainName } from "../../../lib/plain-names.ts";
import type { Label } from "../../../lib/section-words.ts";
import type { TextTable } from "../../../ui/table/described-table.ts";

export interface Numbers {
  readonly title: string;
  /** null where the values have several, or each its own. */
  readonly label: Label | null;
  readonly missing: readonly string[];
  /** Sentences above the numbers. */
  readonly sentences: readonly string[];
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly table: ReportTable | null;
  readonly note: string | null;
  /** The query that gave them. */
  readonly code: string | null;
}

export interface ReportTable {
  readonly head: readonly string[];
  readonly right: ReadonlySet<number>;
  readonly rows: readonly (readonly string[])[];
}

/** A report is read from top to bottom: who wants more rows opens the analysis. */
export const MOST_ROWS = 25;

export function findingNumbers(finding: Finding): Numbers {
  const [from, to] = [BigInt(finding.from_ns), BigInt(finding.to_ns)];
  const about = aboutText(finding);
  return {
    title: kindText(finding.id),
    label: finding.label,
    missing: finding.missing,
    sentences: [plainName(finding.summary), kindWords(finding.id).means],
    facts: [
      ["cost", impactText(finding.impact_ms)],
      ["severity", finding.severity],
      ["occurrences", formatCount(finding.occurrences.count)],
      ["start", `${formatAbs(from)} s`],
      ["duration", formatDuration(to - from)],
      ...(about === "" ? [] : [["scope", plainName(about)] as const]),
    ],
    table: null,
    note: null,
    code: null,
  };
}

export function tableNumbers(
  title: string,
  table: TextTable,
  known: { readonly label: Label; readonly missing: readonly string[] } | null = null,
): Numbers {
  const { length } = table.rows;
  return {
    title,
    label: known?.label ?? null,
    missing: known?.missing ?? [],
    sentences: [],
    facts: [],
    table: {
      head: table.head.map(plainName),
      right: table.right,
      rows: table.rows.slice(0, MOST_ROWS).map((row) => row.map(plainName)),
    },
    note: length > MOST_ROWS ? `The first ${MOST_ROWS} of ${plural(length, "row")}.` : null,
    code: null,
  };
}
