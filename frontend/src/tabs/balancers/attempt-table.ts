/** Attempts to place tasks as rows that people read. */

import type { Attempt } from "../../api/types.ts";
import { labelText } from "../../lib/section-words.ts";
import { parseNs } from "../../lib/time.ts";
import { imbalanceWords, noCpuText, verdictText, wayText } from "../../panels/nodes/attempt-words.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

export function attemptTable(attempts: readonly Attempt[]): TextTable {
  return describeTable<Attempt>(
    [
      { name: "start, s", exact: "start_ns", unit: "time", value: ({ start_ns }) => parseNs(start_ns) },
      { name: null, exact: "end_ns", unit: "time", value: ({ end_ns }) => parseNs(end_ns) },
      { name: "task", exact: "comm", value: ({ comm }) => comm },
      { name: "pid", exact: "pid", unit: "id", value: ({ pid }) => pid },
      { name: null, exact: "tgid", unit: "id", value: ({ tgid }) => tgid },
      { name: null, exact: "ngid", unit: "id", value: ({ ngid }) => ngid },
      { name: "node", exact: null, value: wayText },
      { name: null, exact: "src_cpu", unit: "id", value: ({ src_cpu }) => src_cpu },
      { name: null, exact: "src_nid", unit: "id", value: ({ src_nid }) => src_nid },
      { name: null, exact: "dst_cpu", unit: "id", value: ({ dst_cpu }) => dst_cpu },
      { name: null, exact: "dst_nid", unit: "id", value: ({ dst_nid }) => dst_nid },
      { name: null, exact: "target_nid", unit: "id", value: ({ target_nid }) => target_nid },
      { name: null, exact: "target_from", value: ({ target_from }) => target_from },
      { name: "ended", exact: "verdict", value: ({ verdict }) => verdict, show: verdictText },
      { name: null, exact: "failed", value: ({ failed }) => failed },
      { name: null, exact: "ret", unit: "id", value: ({ ret }) => ret },
      { name: null, exact: "partner_pid", unit: "id", value: ({ partner }) => partner?.pid },
      {
        name: "why no CPU",
        exact: "no_cpu",
        value: ({ explanation }) => explanation?.no_cpu,
        show: noCpuText,
      },
      { name: null, exact: "src_running", unit: "count", value: imbalanceOf("src_running") },
      { name: null, exact: "dst_running", unit: "count", value: imbalanceOf("dst_running") },
      { name: "after a move", exact: null, value: imbalanceWords },
      { name: null, exact: "imbalance", unit: "count", value: imbalanceOf("imbalance") },
      {
        name: "provenance",
        exact: "label",
        value: ({ explanation }) => explanation?.label,
        show: ({ explanation }) => labelText(explanation),
      },
      { name: null, exact: "missing", value: ({ explanation }) => explanation?.missing.join("; ") },
    ],
    attempts,
  );
}

const imbalanceOf =
  (field: "src_running" | "dst_running" | "imbalance") =>
  ({ explanation }: Attempt) =>
    explanation?.imbalance?.[field];
