/** Numbers in a report: facts or a table, with where they come from. */

import { kindWords } from "../../../analysis/finding-words.ts";
import { waitsOf } from "../../../analysis/incident.ts";
import type { SectionQuery } from "../../../api/routes/sections.ts";
import type { Api } from "../../../api/routes/service.ts";
import type { Finding, MissingPart } from "../../../api/types.ts";
import { aboutText, impactText, keyFindings, kindText } from "../../../lib/findings.ts";
import { formatCount, formatDuration, formatTime, plural } from "../../../lib/format.ts";
import { plainName } from "../../../lib/plain-names.ts";
import type { Label } from "../../../lib/terms.ts";
import { answerText, sqlTable } from "../../../panels/sql/sql-table.ts";
import { nodeSumTable } from "../../../subjects/machine/views/index.ts";
import { opsTable, vmstatTable } from "../../../subjects/numa_balancing/views/index.tsx";
import { systemRows } from "../../../subjects/psi/lanes/index.tsx";
import { psiTable } from "../../../subjects/psi/views/index.tsx";
import { causeTable, groupTable, VIEW_WORDS, worstTable } from "../../../subjects/waits/views/index.tsx";
import { findingTable } from "../../../tabs/findings/index.tsx";
import type { TextTable } from "../../../ui/table/described-table.ts";
import { kindOf } from "../../../view-state/tab-views.ts";
import type { ViewState } from "../../../view-state/view-state.ts";
import type { LiveBlock } from "./report-block.ts";

export interface Numbers {
  readonly title: string;
  /** null where the values have several, or each its own. */
  readonly label: Label | null;
  readonly missing: readonly string[];
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
      ["start", `${formatTime(from)}`],
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

// What a view of a report says in numbers: a finding, a table of a section, or the rows of a query.

/** Raises one sentence where there is nothing to show. */
export async function numbersOf(api: Api, block: LiveBlock, signal: AbortSignal): Promise<Numbers> {
  const { kind, id, view } = block;
  if (kind === "finding") return finding(api, id, view, signal);
  if (kind === "sql" || view.drawer === "sql") return rows(api, id, view, signal);
  const window = view.held ?? view.window ?? view.ranges.at(-1) ?? null;
  return section(api, id, view, { window }, signal);
}

async function finding(api: Api, id: string, view: ViewState, signal: AbortSignal): Promise<Numbers> {
  const window = view.ranges.at(-1) ?? null;
  const { findings } = there(await api.sections.get("findings", id, { window }, signal));
  const found = keyFindings(findings).find(({ key }) => key === view.finding);
  if (!found) throw new Error("This analysis no longer has this finding; it may have been imported again.");
  return findingNumbers(found.finding);
}

async function rows(api: Api, id: string, view: ViewState, signal: AbortSignal): Promise<Numbers> {
  if (view.query === null) throw new Error("The address of this view has no query.");
  const window = view.queryWindow === "shown" ? view.window : view.queryWindow;
  const answer = await api.sql.rows(id, { sql: view.query, window }, signal);
  const numbers = tableNumbers("Rows of a query", sqlTable(answer));
  const words = [answerText(answer), ...(numbers.note === null ? [] : [numbers.note])];
  return { ...numbers, note: words.join(". "), code: view.query };
}

async function section(
  api: Api,
  id: string,
  view: ViewState,
  query: SectionQuery,
  signal: AbortSignal,
): Promise<Numbers> {
  switch (view.drawer) {
    case "findings": {
      // Findings do not follow the window: only a committed range narrows them.
      const { findings } = there(
        await api.sections.get("findings", id, { window: view.ranges.at(-1) ?? null }, signal),
      );
      return tableNumbers("Findings", findingTable(keyFindings(findings).map((each) => each.finding)));
    }
    case "latency": {
      const part = there(await api.sections.get("latency", id, query, signal));
      // Which finding it would be of is not in a block.
      const shown = view.waits === "finding" ? "worst" : (view.waits ?? "worst");
      const kind = kindOf(shown) ?? "worst";
      const table =
        shown === "cause"
          ? causeTable(part)
          : shown === "node" || shown === "cgroup"
            ? groupTable(part, shown)
            : worstTable(waitsOf(part, kind).worst, kind);
      return tableNumbers(VIEW_WORDS[shown === "map" ? "worst" : shown], table, part);
    }
    case "pressure": {
      const part = there(await api.sections.get("psi", id, { ...query, rules: view.rules }, signal));
      const length = Number(BigInt(part.to_ns) - BigInt(part.from_ns));
      return tableNumbers("Pressure", psiTable(systemRows(part).rows, length, false));
    }
    case "nodes": {
      const [use, waste] = await Promise.all([
        api.sections.get("utilisation", id, { ...query, stepNs: view.step }, signal).then(there),
        api.sections.get("waste", id, query, signal),
      ]);
      return tableNumbers("Load of the nodes", nodeSumTable(use, waste.available ? waste : null), use);
    }
    case "vmstat": {
      const part = there(await api.sections.get("vmstat", id, query, signal));
      return tableNumbers("Counters of memory", vmstatTable(part), part.table);
    }
    case "ops": {
      const { ops } = there(await api.sections.get("numa_balancing", id, query, signal));
      return tableNumbers("NUMA balancing operations", opsTable(ops), ops);
    }
    default:
  }
  throw new Error(
    "Reports can contain tables of the findings, waits, pressure, nodes, Ops, vmstat and SQL views.",
  );
}

/** Raises why a section has no answer. */
function there<A extends { readonly available: true }>(answer: A | MissingPart): A {
  if (!answer.available) throw new Error(answer.reason);
  return answer;
}
