/** Where tasks ran: time by node, and how often they went from one node to another. */

import type { ResidencySection } from "../data/types.ts";
import { formatCount, formatDuration, formatShare } from "./format.ts";
import type { TextTable } from "./latency-table.ts";

/** @param nodes all node ids, in the order of the columns */
export function residencyTable(
  { tasks }: Pick<ResidencySection, "tasks">,
  nodes: readonly number[],
): TextTable {
  const onNode = (task: ResidencySection["tasks"][number], nid: number) =>
    task.nodes.find((node) => node.nid === nid)?.run_ns ?? 0;
  return {
    head: ["task", "pid", "ran", "waited", ...nodes.map((nid) => `node ${nid}`), "node changes", "CPUs"],
    right: new Set(Array.from({ length: 5 + nodes.length }, (_, i) => i + 1)),
    rows: tasks.map((task) => [
      task.comm,
      String(task.pid),
      formatDuration(task.run_ns),
      formatDuration(task.wait_ns),
      ...nodes.map((nid) => (task.run_ns === 0 ? "–" : formatShare(onNode(task, nid) / task.run_ns))),
      formatCount(task.migrations_node),
      formatCount(task.cpus),
    ]),
    keys: tasks.map((task) => [
      ...[task.comm, task.pid, task.run_ns, task.wait_ns],
      ...nodes.map((nid) => (task.run_ns === 0 ? null : onNode(task, nid) / task.run_ns)),
      ...[task.migrations_node, task.cpus],
    ]),
    exactHead: [
      ...["comm", "pid", "run_ns", "wait_ns"],
      ...nodes.map((nid) => `node_${nid}_ns`),
      ...["migrations_node", "cpus"],
    ],
    exact: tasks.map((task) => [
      ...[task.comm, task.pid, task.run_ns, task.wait_ns],
      ...nodes.map((nid) => onNode(task, nid)),
      ...[task.migrations_node, task.cpus],
    ]),
  };
}
