/** Findings as a described table. */

import type { Finding } from "../../api/types.ts";
import { aboutText, impactText, kindText } from "../../lib/findings.ts";
import { parseNs } from "../../lib/time.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

/** So that sorting by severity is one by weight, and not by letters. */
const WEIGHTS: Readonly<Record<string, number>> = { high: 3, medium: 2, low: 1 };

export function findingTable(findings: readonly Finding[]): TextTable {
  const at = (ns: string) => parseNs(ns) ?? 0n;
  return describeTable<Finding>(
    [
      { name: null, exact: "id", value: ({ id }) => id },
      {
        name: "severity",
        exact: null,
        value: ({ severity }) => WEIGHTS[severity] ?? 0,
        show: ({ severity }) => severity,
      },
      { name: null, exact: "severity", value: ({ severity }) => severity },
      {
        name: "cost",
        exact: "impact_ms",
        unit: "number",
        value: ({ impact_ms }) => impact_ms,
        show: ({ impact_ms }) => impactText(impact_ms),
        title: "Time that it cost, summed over those who waited; a bound is in ms",
      },
      { name: "finding", exact: null, value: ({ id, summary }) => `${kindText(id)} ${summary}` },
      { name: "scope", exact: null, value: aboutText },
      { name: "start, s", exact: "from_ns", unit: "time", value: ({ from_ns }) => at(from_ns) },
      { name: null, exact: "to_ns", unit: "time", value: ({ to_ns }) => at(to_ns) },
      { name: "duration", exact: null, unit: "ns", value: ({ from_ns, to_ns }) => at(to_ns) - at(from_ns) },
      { name: null, exact: "occurrences", unit: "count", value: ({ occurrences }) => occurrences.count },
      { name: null, exact: "nodes", value: ({ nodes }) => nodes.join(" ") },
      { name: null, exact: "pids", value: ({ pids }) => pids.join(" ") },
      { name: null, exact: "cgroup", value: ({ cgroup }) => cgroup },
      { name: "provenance", exact: "label", value: ({ label }) => label },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
      { name: null, exact: "summary", value: ({ summary }) => summary },
    ],
    findings,
  );
}
