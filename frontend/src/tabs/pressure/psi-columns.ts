/** Pressure tables by their columns: of the whole system, and of every cgroup. */

import { formatPressure } from "../../lib/format.ts";
import { missingText } from "../../lib/section-words.ts";
import { TERMS } from "../../lib/terms.ts";
import { errorText, microText, type PsiRow, verdict } from "../../panels/psi/psi-table.ts";
import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";

/** @param lengthNs of the window */
export function psiTable(rows: readonly PsiRow[], lengthNs: number, ofCgroups: boolean): TextTable {
  const columns: readonly Column<PsiRow>[] = [
    { name: ofCgroups ? "cgroup" : null, exact: "cgroup", value: ({ cgroup }) => cgroup },
    { name: "resource", exact: null, value: ({ resource, line }) => `${resource} ${line}` },
    { name: null, exact: "resource", value: ({ resource }) => resource },
    { name: null, exact: "line", value: ({ line }) => line },
    {
      name: "in the window",
      exact: "window_us",
      unit: "us",
      value: ({ windowUs }) => windowUs,
      title: "Replayed stall time of the whole window",
    },
    {
      name: ofCgroups ? null : "% of window",
      exact: null,
      unit: "share",
      value: ({ windowUs }) => (windowUs === null ? null : (windowUs * 1000) / lengthNs),
      show: ({ windowUs }) => formatPressure(windowUs === null ? null : (windowUs * 1000) / lengthNs),
      title: "Share of the window",
    },
    {
      name: "sampled",
      exact: "sampled_us",
      unit: "us",
      value: ({ sampledUs }) => sampledUs,
      title: TERMS.sampled,
    },
    {
      name: "replayed",
      exact: "replayed_us",
      unit: "us",
      value: ({ replayedUs }) => replayedUs,
      show: ({ sampledUs, replayedUs }) => microText(sampledUs === null ? null : replayedUs),
      title: "The replay between the same two samples",
    },
    {
      name: "difference",
      exact: "error_percent",
      unit: "percent",
      value: ({ errorPercent }) => errorPercent,
      show: ({ errorPercent }) => errorText(errorPercent),
      title: "Replay against the kernel's count",
    },
    {
      name: ofCgroups ? null : "tolerance",
      exact: "tolerance_percent",
      unit: "percent",
      value: ({ tolerancePercent }) => tolerancePercent,
      show: ({ tolerancePercent }) => (tolerancePercent === null ? "–" : `± ${tolerancePercent} %`),
      title: TERMS.tolerance,
    },
    { name: "verdict", exact: null, value: verdict },
    { name: null, exact: "within", value: ({ within }) => within },
    {
      name: "provenance",
      exact: "label",
      value: ({ label }) => label,
      show: ({ label, missing }) => [label, missingText(missing)].filter((part) => part !== "").join(", "),
    },
    { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
  ];
  return describeTable(columns, rows);
}
