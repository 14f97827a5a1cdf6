/** The initial text of a report: the findings, each with a view and its numbers. */

import { kindWords } from "../../analysis/finding-words.ts";
import type { AnalysisDetail, Finding } from "../../api/types.ts";
import { aboutText, impactText, type Keyed, kindText } from "../../lib/findings.ts";
import { formatAbs, formatDuration, formatTime } from "../../lib/format.ts";
import { literal } from "../../lib/plain-names.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import { missingText } from "../../lib/terms.ts";
import { EMPTY_VIEW, encodeView, type ViewState } from "../../view-state/view-state.ts";
import { blockText } from "./blocks/report-block.ts";

/** Number of findings in the text; the others are in a table. */
const MOST_LISTED = 3;
/** Space at both sides of a finding's window. */
const AIR = 4n;

interface SkeletonSource {
  readonly analysis: Pick<AnalysisDetail, "id" | "title" | "inputs" | "timeline">;
  /** The window in one sentence; null while unknown. */
  readonly headline: string | null;
  /** The worst first. */
  readonly findings: readonly Keyed<Finding>[];
  /** The finding that the report is about; null is about all. */
  readonly chosen: string | null;
  /** Panels, open nodes and the other state of the writer's view. */
  readonly view: ViewState;
}

export function skeletonTitle({ analysis }: Pick<SkeletonSource, "analysis">): string {
  return `Report: ${analysis.title}`.slice(0, 200);
}

export function skeleton(source: SkeletonSource): string {
  const { analysis, headline, findings, chosen, view } = source;
  const first = findings.filter(({ key }) => key === chosen);
  const listed = [...first, ...findings.filter(({ key }) => key !== chosen)].slice(0, MOST_LISTED);
  const parts = [
    "## What happened",
    "*In one or two sentences: what was noticed, by which team, when, and at what cost.*",
    "## What was recorded",
    recorded(analysis),
    "## What was found",
    ...(headline === null ? [] : [literal(headline)]),
    listed.length === 0 ? "No detector found lost time." : numbers(listed),
    ...listed.flatMap((keyed, i) => chapter(keyed, i + 1, analysis, view)),
    ...(findings.length > listed.length
      ? [
          "### All findings",
          blockText("table", analysis.id, encodeView({ ...EMPTY_VIEW, drawer: "findings" })).trimEnd(),
        ]
      : []),
    ...(listed.length === 0
      ? [blockText("timeline", analysis.id, encodeView({ ...view, drawer: "none" })).trimEnd()]
      : []),
    "## Why it happened",
    "*Which part of the cause the views above show, and which part is only assumed.*",
    "## Next steps",
    "- *Task, owner, deadline.*",
  ];
  return `${parts.join("\n\n")}\n`;
}

function recorded({ inputs, timeline }: SkeletonSource["analysis"]): string {
  const kernels = [...new Set(inputs.flatMap(({ kernel }) => kernel ?? []))];
  const rows = [
    ["files", inputs.map(({ name }) => literal(name)).join(", ")],
    ["kernel", kernels.map(literal).join(", ")],
    ...(timeline
      ? [
          ["window", windowWords(timeline.window_ns)],
          ["nodes", `${timeline.nodes.length}`],
        ]
      : []),
  ].filter(([, value]) => value !== "");
  return table(["what", "value"], rows);
}

function windowWords([first = "0", last = "0"]: readonly string[]): string {
  const [from, to] = [BigInt(first), BigInt(last)];
  return `${formatTime(from, 3)} to ${formatTime(to, 3)} (${formatDuration(to - from)})`;
}

function numbers(findings: readonly Keyed<Finding>[]): string {
  return table(
    ["finding", "cost", "start, s", "duration", "scope", "provenance"],
    findings.map(({ finding }) => [
      kindText(finding.id),
      impactText(finding.impact_ms),
      formatAbs(BigInt(finding.from_ns), 3),
      formatDuration(BigInt(finding.to_ns) - BigInt(finding.from_ns)),
      literal(aboutText(finding)),
      known(finding),
    ]),
  );
}

/** `replayed`, or `inferred (lacks the lost events)`. */
function known({ label, missing }: Finding): string {
  const lacks = missingText(missing);
  return literal(lacks === "" ? label : `${label} (${lacks})`);
}

function chapter(
  { key, finding }: Keyed<Finding>,
  number: number,
  { id, timeline }: SkeletonSource["analysis"],
  view: ViewState,
): readonly string[] {
  const window = around(BigInt(finding.from_ns), BigInt(finding.to_ns), timeline);
  const shown = { ...view, window, ranges: [], glyph: null, finding: key, drawer: "findings" as const };
  return [
    `### ${number}. ${kindText(finding.id)}`,
    literal(finding.summary),
    literal(kindWords(finding.id).means),
    blockText("finding", id, encodeView({ ...EMPTY_VIEW, finding: key, drawer: "findings" })).trimEnd(),
    blockText("timeline", id, encodeView(shown)).trimEnd(),
  ];
}

/** A moment gets some time around it, so that there is something to see. */
function around(from: bigint, to: bigint, timeline: SkeletonSource["analysis"]["timeline"]): AbsWindow {
  const air = (to - from) / AIR || 500_000n;
  if (!timeline) return { from: from - air, to: to + air };
  const [origin, end] = [BigInt(timeline.origin_ns), BigInt(timeline.end_ns)];
  const [first, last] = [from - air, to + air];
  return { from: first < origin ? origin : first, to: last > end ? end : last };
}

/** @param rows fields that are Markdown already */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (fields: readonly string[]) => `| ${fields.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
