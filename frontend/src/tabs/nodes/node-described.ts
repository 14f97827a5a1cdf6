/** The nodes' use of their CPUs as described tables: sums of the window, and step by step. */

import type { UtilisationSection, WasteSection } from "../../api/types.ts";
import { mainCause } from "../../lib/causes.ts";
import { TERMS } from "../../lib/terms.ts";
import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { stepStarts } from "./node-table.ts";

type Use = Pick<UtilisationSection, "nodes" | "depth">;
type Node = Use["nodes"][number];

export function nodeSumTable(use: Use, waste: Pick<WasteSection, "per_node"> | null): TextTable {
  const lost = ({ nid }: Node) => waste?.per_node.find((each) => each.nid === nid);
  const waiting = ({ nid }: Node) => use.depth.nodes.find((each) => each.nid === nid);
  return describeTable<Node>(
    [
      { name: "node", exact: "nid", unit: "id", value: ({ nid }) => nid },
      { name: "busy", exact: "busy_ns", unit: "ns", value: ({ busy_ns }) => busy_ns },
      { name: "idle", exact: "idle_ns", unit: "ns", value: ({ idle_ns }) => idle_ns },
      {
        name: "not known",
        exact: "unknown_ns",
        unit: "ns",
        value: ({ unknown_ns }) => unknown_ns,
        title: TERMS.notKnown,
      },
      {
        name: "wasted",
        exact: "wasted_ns",
        unit: "ns",
        value: (node) => lost(node)?.cpu_ns,
        title: TERMS.waste,
      },
      {
        name: "main cause",
        exact: "mostly",
        value: (node) => {
          const found = lost(node);
          return found ? mainCause(found.causes) : "";
        },
      },
      {
        name: "waiting at most",
        exact: "waiting_max",
        unit: "count",
        value: (node) => Math.max(0, ...(waiting(node)?.max ?? [])),
        title: `${TERMS.depth} Solid: mean, faint: most.`,
      },
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
