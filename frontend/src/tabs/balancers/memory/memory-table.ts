/** Memory that follows tasks and tasks that follow memory: rates to draw, and words. */

import type { AutomigTable, MigrationMetrics, MigrationSection } from "../../../api/types.ts";
import { formatCount, formatDuration, formatShare } from "../../../lib/format.ts";

export interface Rate {
  /** Per second, one value for each step. */
  readonly values: readonly number[];
  readonly most: number;
}

/** Counts of steps as rates; the last step may be shorter than the others. */
export function perSecond(counts: readonly number[], stepNs: number, lengthNs: number): Rate {
  const values = counts.map((count, i) => {
    const length = Math.min(stepNs, lengthNs - i * stepNs);
    return length > 0 ? (count * 1e9) / length : 0;
  });
  return { values, most: values.reduce((most, value) => Math.max(most, value), 0) };
}

/** The chart in one sentence. */
export function ratesSentence(metrics: MigrationMetrics, pages: Rate, moves: Rate): string {
  return (
    `${formatCount(metrics.memory_follows_cpu.pages)} pages migrated on fault, at most ${formatCount(pages.most)} a second; ` +
    `${formatCount(metrics.moves.count)} moves of tasks between nodes, at most ${formatCount(moves.most)} a second.`
  );
}

export function shareOr(share: number | null): string {
  return share === null ? "not known" : formatShare(share);
}

export function nsOr(ns: number | null): string {
  return ns === null ? "–" : formatDuration(ns);
}

const REASONS: Readonly<Record<string, string>> = { numa_misplaced: "on NUMA fault", "": "not reported" };

export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason.replaceAll("_", " ");
}

export interface LawRow {
  readonly key: string;
  readonly law: string;
  readonly left: string;
  readonly right: string;
  readonly residual: string;
  readonly verdict: "holds" | "broken" | "not known";
  readonly note: string;
}

type Conserved = NonNullable<MigrationSection["modern"]>["conserved"];

export function lawRows(conserved: Conserved): LawRow[] {
  const count = (value: number | null) => (value === null ? "–" : formatCount(value));
  return conserved.map(({ law, left, right, residual, slack, holds, missing }) => ({
    key: law,
    law,
    left: count(left),
    right: count(right),
    residual: residual === null ? "–" : signed(residual),
    verdict: holds === null ? "not known" : holds ? "holds" : "broken",
    note: [
      slack > 0 ? `± ${formatCount(slack)} allowed` : "",
      missing.length > 0 ? `lacks ${missing.join(", ")}` : "",
    ]
      .filter((text) => text !== "")
      .join("; "),
  }));
}

function signed(value: number): string {
  return value < 0 ? `−${formatCount(-value)}` : `+${formatCount(value)}`;
}

export interface AutomigLaw {
  readonly law: string;
  readonly form: string;
  readonly rows: string;
  readonly verdict: "holds" | "broken" | "not checked";
  readonly note: string;
}

export function automigLaws({ laws }: Pick<AutomigTable, "laws">): AutomigLaw[] {
  return laws.map(({ law, form, holds, skewed, rows, violated, violations }) => ({
    law,
    form,
    rows: `${holds} of ${rows}`,
    verdict: rows === 0 ? "not checked" : violated > 0 ? "broken" : "holds",
    note: [
      skewed > 0 ? `${skewed} read while they changed` : "",
      // To the letter it holds of caches without shared pages only.
      violated === 0 && holds + skewed < rows ? `${rows - holds - skewed} with shared pages` : "",
      violations[0] ? `row ${violations[0].row + 1}: ${violations[0].what}` : "",
    ]
      .filter((text) => text !== "")
      .join("; "),
  }));
}
