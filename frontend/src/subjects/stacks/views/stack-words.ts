/** Texts of a flame graph and its functions, and their table. */

import { formatAbs, formatCount, formatDuration, formatShare, plural } from "../../../lib/format.ts";
import { parseNs } from "../../../lib/time.ts";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";
import type { Flame, StacksSection } from "./flame.ts";

type Fn = StacksSection["functions"][number];

/** The graph in one sentence, for screen readers. */
export function flameSays(stacks: StacksSection, flame: Flame): string {
  const what = `Flame graph of ${plural(stacks.samples - stacks.without_stack, "sample")}, `;
  const order = flame.order === "heavy" ? "the largest first" : "in order of time";
  const [first] = stacks.functions;
  const most = first
    ? ` Most are in ${first.name}, ${formatShare(first.own / Math.max(1, stacks.samples))}.`
    : "";
  return `${what}${order}, ${plural(flame.depths, "function")} deep.${most} Arrows go from function to function, Enter zooms, Escape goes back.`;
}

/** `schedule [kernel.kallsyms]: 12 samples (4 %), 3 in itself`. */
export function boxSays(stacks: StacksSection, flame: Flame, box: number): string {
  const node = flame.node[box] ?? 0;
  const fn = stacks.functions[stacks.nodes.function[node] ?? 0];
  if (!fn) return "";
  const total = stacks.nodes.total[node] ?? 0;
  const share = formatShare(total / Math.max(1, stacks.samples));
  const module = fn.module === "" ? "" : ` (${fn.module})`;
  const sums = `${plural(total, "sample")}, ${share}; ${formatCount(stacks.nodes.own[node] ?? 0)} in itself`;
  if (flame.order === "heavy") return `${fn.name}${module}: ${sums}`;
  const from = parseNs(stacks.from_ns) ?? 0n;
  const length = Number((parseNs(stacks.to_ns) ?? 0n) - from) + 1;
  const at = (x: number) => formatAbs(from + BigInt(Math.round(x * length)), 6);
  return `${fn.name}${module}: ${at(flame.x0[box] ?? 0)} – ${at(flame.x1[box] ?? 0)} s; all such calls: ${sums}`;
}

/** Samples that the graph leaves out; empty if it has all. */
export function leftOutSays(stacks: StacksSection): string {
  const parts = [
    stacks.without_stack > 0 ? `${plural(stacks.without_stack, "sample")} without a stack` : "",
    stacks.truncated > 0 ? `${plural(stacks.truncated, "stack")} truncated: deeper than the limit` : "",
    stacks.nodes_left_out > 0
      ? `left out ${plural(stacks.nodes_left_out, "small callsite")} with ${plural(stacks.samples_left_out, "sample")} of their own`
      : "",
    stacks.functions_left_out > 0 ? `${plural(stacks.functions_left_out, "function")} not in the table` : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** Missing files, in one line; empty if there are none. */
export function missingFilesSay(stacks: StacksSection): string {
  const count = stacks.files_without_functions.length + stacks.files_without_functions_more;
  return count === 0 ? "" : `${plural(count, "file")} without functions`;
}

/** Meaning of the columns by time. */
export function stepSays(stacks: StacksSection): string {
  const { samples, most } = stacks.steps;
  const merged = samples.filter((count, i) => count > (most[i] ?? 0)).length;
  const shown =
    merged === 0 ? "" : `; ${formatCount(merged)} have several stacks and show the most frequent one`;
  return `a column is ${formatDuration(stacks.step_ns)}${shown}`;
}

/** `sched_switch`, and `cpu-clock` of perf. */
export function eventWord({ system, event }: StacksSection["events"][number]): string {
  return system === "perf" ? event : `${system}:${event}`;
}

export function functionTable(stacks: StacksSection): TextTable {
  const all = Math.max(1, stacks.samples);
  const weighted = stacks.weight !== null;
  const unit = stacks.weight_unit === "ns" ? "ns" : "count";
  const weights: readonly Column<Fn>[] = [
    { name: "period, itself", exact: "own_weight", unit },
    { name: "period, all", exact: "total_weight", unit },
  ];
  return describeTable<Fn>(
    [
      { name: "function", exact: "name" },
      { name: "self", exact: "own", unit: "count", title: "Samples in the function itself" },
      { name: "self, share", exact: "own_share", unit: "share", value: ({ own }) => own / all },
      {
        name: "total",
        exact: "total",
        unit: "count",
        title: "Samples in the function or any of its callees; each counts once",
      },
      { name: "total, share", exact: "total_share", unit: "share", value: ({ total }) => total / all },
      ...(weighted ? weights : []),
      { name: "file", exact: "module" },
    ],
    stacks.functions,
  );
}
