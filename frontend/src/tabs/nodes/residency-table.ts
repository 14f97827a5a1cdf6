/** Where tasks ran: time by node, and how often they went from one node to another. */

import type { ResidencySection } from "../../api/types.ts";
import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";

type Task = ResidencySection["tasks"][number];

/** @param nodes all node ids, in the order of the columns */
export function residencyTable(
  { tasks }: Pick<ResidencySection, "tasks">,
  nodes: readonly number[],
): TextTable {
  const onNode = (task: Task, nid: number) => task.nodes.find((node) => node.nid === nid)?.run_ns ?? 0;
  const byNode = nodes.flatMap((nid): Column<Task>[] => [
    {
      name: `node ${nid}`,
      exact: null,
      unit: "share",
      value: (task) => (task.run_ns === 0 ? null : onNode(task, nid) / task.run_ns),
    },
    { name: null, exact: `node_${nid}_ns`, unit: "ns", value: (task) => onNode(task, nid) },
  ]);
  return describeTable<Task>(
    [
      { name: "task", exact: "comm", value: ({ comm }) => comm },
      { name: "pid", exact: "pid", unit: "id", value: ({ pid }) => pid },
      { name: "ran", exact: "run_ns", unit: "ns", value: ({ run_ns }) => run_ns },
      { name: "waited", exact: "wait_ns", unit: "ns", value: ({ wait_ns }) => wait_ns },
      ...byNode,
      {
        name: "node changes",
        exact: "migrations_node",
        unit: "count",
        value: (task) => task.migrations_node,
      },
      { name: "CPUs", exact: "cpus", unit: "count", value: ({ cpus }) => cpus },
    ],
    tasks,
  );
}
