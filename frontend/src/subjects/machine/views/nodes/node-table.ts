/** The nodes' use of their CPUs: the table of steps, and what is said next to it. */

import type { UtilisationSection, WasteSection } from "../../../../api/types.ts";
import { mainCause } from "../../../../lib/causes.ts";
import { formatDuration, formatTime } from "../../../../lib/format.ts";
import { TERMS } from "../../../../lib/terms.ts";
import { parseNs } from "../../../../lib/time.ts";
import {
  type Column,
  type ComputedColumn,
  describeTable,
  type TextTable,
} from "../../../../ui/table/described-table.ts";

type Shown = Pick<UtilisationSection, "step_ns" | "nodes" | "imbalance">;

/** ns; null is what the server thinks fits the window. */
export const STEPS = [1e6, 1e7, 1e8, 1e9, 5e9, 6e10] as const;
/** Limit of columns for a readable table. */
export const MOST_STEPS = 240;

/** Steps that give at least two columns and not too many; the chosen one is always offered. */
export function stepsFor(length: number, chosen: number | null): number[] {
  return [...STEPS, ...(chosen === null || STEPS.some((step) => step === chosen) ? [] : [chosen])]
    .filter((step) => step === chosen || (length / step >= 2 && length / step <= MOST_STEPS))
    .sort((a, b) => a - b);
}

/** @param own default step of the server, ns, if known */
export function stepChoices(steps: readonly number[], own: number | null = null) {
  const first = own === null ? "automatic" : `${formatDuration(own)}, automatic`;
  return [["", first], ...steps.map((step) => [String(step), formatDuration(step)] as const)] as const;
}

/** Start of each step: from the imbalance, which has the times; otherwise by counting. */
export function stepStarts(use: Shown, from: bigint): bigint[] {
  const count = Math.max(0, ...use.nodes.map(({ percent }) => percent.length));
  const step = BigInt(Math.round(use.step_ns));
  return Array.from({ length: count }, (_, i) => {
    const section = use.imbalance[i]?.from_ns;
    return (section === undefined ? null : parseNs(section)) ?? from + BigInt(i) * step;
  });
}

/** The table as the mail had it: `0 | 5 | 12 9 3 …`. */
export function mailTable(use: Shown): string {
  const lines = use.nodes.map(
    ({ nid, average, percent }) =>
      `${nid} | ${average ?? "-"} | ${percent.map((cell) => cell ?? "-").join(" ")}`,
  );
  return [
    `(timestep is ${formatDuration(use.step_ns)})`,
    "# NUMA | AVR | Utilization over time in percentage",
    ...lines,
    "",
  ].join("\n");
}

export interface ImbalanceSummary {
  /** Points of per cent between the busiest and the idlest node. */
  readonly mean: number;
  readonly worst: number;
  readonly worstAt: bigint | null;
}

/** The steps' spread in two numbers; null for a single node, where there is none. */
export function imbalanceOf(use: Shown): ImbalanceSummary | null {
  if (use.nodes.length < 2) return null;
  let worst = -1;
  let worstAt: bigint | null = null;
  let sum = 0;
  let count = 0;
  for (const { from_ns, max_min } of use.imbalance) {
    if (max_min === null) continue;
    sum += max_min;
    count += 1;
    if (max_min > worst) [worst, worstAt] = [max_min, parseNs(from_ns)];
  }
  return count === 0 ? null : { mean: sum / count, worst, worstAt };
}

export function imbalanceText(summary: ImbalanceSummary): string {
  const at = summary.worstAt === null ? "" : ` at ${formatTime(summary.worstAt, 3)}`;
  return `Node imbalance (busiest - idlest): ${summary.mean.toFixed(1)} points on average, ${summary.worst.toFixed(1)} at most${at}.`;
}

/** Time in user mode and in the kernel, as `/proc/stat` has it. */
export function modesText(modes: NonNullable<UtilisationSection["modes"]>): string {
  const parts = [
    ["user", modes.user_percent],
    ["system", modes.system_percent],
    ["interrupts", modes.irq_percent],
    ["idle", modes.idle_percent],
    ["steal", modes.steal_percent],
  ] as const;
  const shares = parts
    .filter(([, percent]) => percent > 0)
    .map(([name, percent]) => `${name} ${percent.toFixed(1)} %`);
  return `CPU time by /proc/stat: ${shares.join(", ")}.`;
}

/** The class of a cell's background; none where nothing is recorded. */
export function heatClass(percent: number | null | undefined): string | undefined {
  return percent == null ? undefined : `heat-${heatTenths(percent)}`;
}

/** Fill of a cell, in tenths: never by colour alone, as the cell also has the number. */
export function heatTenths(percent: number): number {
  return Math.min(10, Math.max(0, Math.round(percent / 10)));
}

// The nodes' use of their CPUs as described tables: sums of the window, and step by step.

type Use = Pick<UtilisationSection, "nodes" | "depth">;
type Node = Use["nodes"][number];

export const NOT_RECORDED = "not recorded";

/** Returns whether nothing of a node's CPUs is recorded. */
export const isDark = ({ busy_ns: busy, idle_ns: idle, unknown_ns: unknown }: Node): boolean =>
  busy + idle === 0 && unknown > 0;

/** A column of numbers that a node without any record does not have. */
function known(column: Omit<ComputedColumn<Node>, "show">): Column<Node> {
  const value = (node: Node) => (isDark(node) ? null : column.value(node));
  return { ...column, value, missing: (node) => (isDark(node) ? NOT_RECORDED : null) };
}

export function nodeSumTable(use: Use, waste: Pick<WasteSection, "per_node"> | null): TextTable {
  const lost = ({ nid }: Node) => waste?.per_node.find((each) => each.nid === nid);
  const waiting = ({ nid }: Node) => use.depth.nodes.find((each) => each.nid === nid);
  return describeTable<Node>(
    [
      { name: "node", exact: "nid", unit: "id" },
      known({ name: "busy", exact: "busy_ns", unit: "ns", value: (node) => node.busy_ns }),
      known({ name: "idle", exact: "idle_ns", unit: "ns", value: (node) => node.idle_ns }),
      { name: "not known", exact: "unknown_ns", unit: "ns", title: TERMS.notKnown },
      known({
        name: "wasted",
        exact: "wasted_ns",
        unit: "ns",
        value: (node) => lost(node)?.cpu_ns,
        title: TERMS.waste,
      }),
      {
        name: "main cause",
        exact: "mostly",
        value: (node) => {
          const found = lost(node);
          return found ? mainCause(found.causes) : "";
        },
      },
      known({
        name: "waiting at most",
        exact: "waiting_max",
        unit: "count",
        value: (node) => Math.max(0, ...(waiting(node)?.max ?? [])),
        title: `${TERMS.depth} Solid: mean, faint: peak.`,
      }),
    ],
    use.nodes,
  );
}

type Steps = Pick<UtilisationSection, "step_ns" | "nodes" | "imbalance">;

/** A row for each step, however many there are. */
export function stepTable(use: Steps, from: bigint): TextTable {
  const starts = stepStarts(use, from);
  const imbalance = (field: "max_min" | "stdev" | "hhi") => (step: number) => use.imbalance[step]?.[field];
  const nodes = use.nodes.map(
    ({ nid, percent }): Column<number> => ({
      name: `node ${nid}`,
      exact: `node_${nid}_percent`,
      unit: "percent",
      value: (step) => percent[step],
    }),
  );
  return describeTable<number>(
    [
      { name: "from, s", exact: "from_ns", unit: "time", value: (step) => starts[step] },
      ...nodes,
      {
        name: "max − min",
        exact: "max_min",
        unit: "number",
        value: imbalance("max_min"),
        title: TERMS.imbalance,
      },
      {
        name: "deviation",
        exact: "stdev",
        unit: "number",
        value: imbalance("stdev"),
        title: TERMS.imbalance,
      },
      { name: "HHI", exact: "hhi", unit: "number", value: imbalance("hhi"), title: TERMS.imbalance },
    ],
    starts.map((_, step) => step),
  );
}
