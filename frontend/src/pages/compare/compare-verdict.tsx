import type { ComparedTableRow, Comparison } from "../../api/types.ts";
import { kindText } from "../../lib/findings.ts";
import type { StarRule } from "./compare-state.ts";
import { inUnit, isStarred, isTested, percentText, type Verdict, verdictOf } from "./compare-table.ts";

/** Rows of a line that are named. */
const NAMED = 3;

interface Props {
  readonly comparison: Comparison;
  readonly rule: StarRule;
}

/** First part of the page: what got better or worse beyond noise, in at most three lines. */
export function CompareVerdict({ comparison, rule }: Props) {
  return (
    <section className="compare-verdict" aria-label="Verdict" data-testid="compare-verdict">
      <h2>{comparedNames(comparison)}</h2>
      <ul>
        {verdictLines(comparison, rule).map(({ verdict, text }) => (
          <li key={text} className={`compare-${verdict}`}>
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `B 07:13:00, pgbench: CPUs saturated compared with A 07:12:49, python3: Uninterruptible sleep` */
function comparedNames({ sides, base }: Pick<Comparison, "sides" | "base">): string {
  const names = distinctNames(sides.map(({ name }) => name));
  const named = sides.map(({ key }, side) => `${key} (${names[side]})`);
  const others = named.filter((_, side) => side !== base);
  return `${others.join(", ")} compared with ${named[base]}`;
}

/** Names without the words that all of them begin with; whole where one would be empty. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const parts = names.map((name) => name.split(", "));
  const shortest = Math.min(...parts.map(({ length }) => length));
  let same = 0;
  while (same < shortest - 1 && parts.every((each) => each[same] === parts[0]?.[same])) same += 1;
  return parts.map((each) => each.slice(same).join(", "));
}

export interface VerdictLine {
  readonly verdict: Verdict;
  readonly text: string;
}

interface Change {
  readonly row: ComparedTableRow;
  readonly side: number;
  readonly key: string;
  readonly size: number;
  readonly verdict: Verdict;
}

/** At most three lines: worse, better, and without either whether anything was tested. */
export function verdictLines(
  comparison: Pick<Comparison, "base" | "sides" | "tables" | "findings">,
  rule: StarRule,
): readonly VerdictLine[] {
  const { base, sides, tables } = comparison;
  const tested = tables
    .flatMap(({ rows }) => rows)
    .filter(({ sides: cells }) => cells.some((cell, side) => side !== base && isTested(cell, rule)));
  const changes = tested.flatMap((row) =>
    row.sides.flatMap((cell, side): Change[] => {
      if (side === base || !isStarred(cell, rule) || cell.percent === null) return [];
      const key = sides[side]?.key ?? "";
      return [{ row, side, key, size: Math.abs(cell.percent), verdict: verdictOf(row, cell) }];
    }),
  );
  const lines = (["worse", "better"] as const).flatMap((verdict): VerdictLine[] => {
    const found = changes.filter((change) => change.verdict === verdict).sort((a, b) => b.size - a.size);
    if (found.length === 0) return [];
    const more = found.length - NAMED;
    const named = found.slice(0, NAMED).map((change) => changeText(change, base, sides.length > 2));
    const title = verdict === "worse" ? "Worse" : "Better";
    return [{ verdict, text: `${title}: ${named.join("; ")}${more > 0 ? `; and ${more} more` : ""}.` }];
  });
  if (lines.length === 0) {
    const none = tested.length > 0 ? "No value got better or worse beyond noise." : UNTESTED;
    lines.push({ verdict: "same", text: none });
  }
  const only = onlyText(comparison);
  return only === null ? lines : [...lines, { verdict: "none", text: only }];
}

const UNTESTED = "The windows are too short or too few to separate a change from noise.";

/** `Longest wait 5.66 ms → 13.6 ms (+140 %)` */
function changeText({ row, side, key, size }: Change, base: number, many: boolean): string {
  const [before, after] = [row.sides[base], row.sides[side]];
  const value = (mean: number | null | undefined) =>
    typeof mean === "number" ? `${inUnit(mean, row.unit)}${row.counted ? "/s" : ""}` : "–";
  const percent = after ? percentText({ better: row.better }, after).replace(/\.\d+ %.*$/, " %") : "";
  const change = size >= 0.5 ? ` (${percent})` : "";
  return `${many ? `${key}: ` : ""}${row.title} ${value(before?.mean)} → ${value(after?.mean)}${change}`;
}

/** `Findings only in A: Uninterruptible sleep; only in B: CPUs saturated.`; null where no side has a kind alone. */
function onlyText({ findings, sides }: Pick<Comparison, "findings" | "sides">): string | null {
  const parts = sides.flatMap(({ key }, side) => {
    const own = findings.kinds.filter(({ only }) => only?.length === 1 && only[0] === side);
    const more = own.length - NAMED;
    const names = own.slice(0, NAMED).map(({ id }) => kindText(id));
    if (names.length === 0) return [];
    return [`only in ${key}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
  });
  return parts.length === 0 ? null : `Findings ${parts.join("; ")}.`;
}
