/** The tasks of a recording, and what the engine knows of each in a window: where it ran, how long it waited and for what. */

import type { LatencySection, ResidencySection } from "../../../../api/types.ts";
import { addCauses, mainCause } from "../../../../lib/causes.ts";
import { rankTasks, type TaskTable } from "../../../../lib/rank-tasks.ts";
import { type Column, describeTable, type TextTable } from "../../../../ui/table/described-table.ts";

export interface TaskRow {
  /** Of the table of tasks. */
  readonly task: number;
  readonly pid: number;
  readonly comm: string;
  /** In the whole recording, ns. */
  readonly recordedNs: number;
  /** Null if the engine's list of the window leaves it out, which is not a 0. */
  readonly ran: ResidencySection["tasks"][number] | null;
  readonly waited: LatencySection["by_task"][number] | null;
}

/** Tasks that ran longest in the window first, then those that are only in the whole recording. */
export function taskRows(
  tasks: TaskTable,
  filter: string,
  residency: ResidencySection | null,
  latency: LatencySection | null,
): readonly TaskRow[] {
  const ran = new Map(residency?.tasks.map((each) => [each.task, each]));
  const waited = new Map(latency?.by_task.map((each) => [each.task, each]));
  const rows = rankTasks(tasks, filter).map((task) => ({
    task,
    pid: tasks.pid[task] ?? 0,
    comm: tasks.comm[task] ?? "",
    recordedNs: tasks.runNs[task] ?? 0,
    ran: ran.get(task) ?? null,
    waited: waited.get(task) ?? null,
  }));
  return rows.sort((a, b) => (b.ran?.run_ns ?? -1) - (a.ran?.run_ns ?? -1));
}

const ALL_WAITS = "Over all waits of the task, after wakeups and after preemptions";

/**
 * @param nodes all node ids, in the order of the columns; a single one needs none
 * @param windowNs length of the window
 */
export function taskTable(rows: readonly TaskRow[], nodes: readonly number[], windowNs: number): TextTable {
  const of =
    (field: "wait_ns" | "count" | "preempted_ns" | "preempted") =>
    ({ waited }: TaskRow) =>
      waited?.[field] ?? null;
  const ofAll =
    (field: "p50_ns" | "p90_ns" | "p99_ns" | "max_ns") =>
    ({ waited }: TaskRow) =>
      waited?.all[field] ?? null;
  const ran = ({ ran }: TaskRow) => ran?.run_ns ?? null;
  const onNode = (nid: number) => (row: TaskRow) =>
    row.ran && (row.ran.nodes.find((node) => node.nid === nid)?.run_ns ?? 0);
  const byNode = nodes.flatMap((nid): Column<TaskRow>[] => [
    {
      name: `on node ${nid}`,
      exact: null,
      unit: "share",
      value: (row) => (row.ran && row.ran.run_ns > 0 ? (onNode(nid)(row) ?? 0) / row.ran.run_ns : null),
    },
    { name: null, exact: `node_${nid}_ns`, unit: "ns", value: onNode(nid) },
  ]);
  const crossings: Column<TaskRow> = {
    name: "node changes",
    exact: "migrations_node",
    value: ({ ran }) => ran?.migrations_node ?? null,
    unit: "count",
  };
  return describeTable<TaskRow>(
    [
      { name: "task", exact: "comm" },
      { name: "pid", exact: "pid", unit: "id" },
      { name: "ran", exact: "run_ns", value: ran, unit: "ns" },
      {
        name: "of one CPU",
        exact: "share",
        unit: "share",
        value: (row) => (windowNs > 0 && row.ran ? row.ran.run_ns / windowNs : null),
        title: "Of one CPU over the window",
      },
      { name: "waited, woken", exact: "wait_ns", value: of("wait_ns"), unit: "ns" },
      { name: "times", exact: "waits", value: of("count"), unit: "count" },
      { name: "waited, preempted", exact: "preempted_ns", value: of("preempted_ns"), unit: "ns" },
      { name: "times preempted", exact: "preempted", value: of("preempted"), unit: "count" },
      { name: null, exact: "p50_ns", value: ofAll("p50_ns"), unit: "ns" },
      { name: null, exact: "p90_ns", value: ofAll("p90_ns"), unit: "ns" },
      { name: "p99", exact: "p99_ns", value: ofAll("p99_ns"), unit: "ns", title: ALL_WAITS },
      { name: "longest", exact: "max_ns", value: ofAll("max_ns"), unit: "ns", title: ALL_WAITS },
      {
        name: "main cause",
        exact: "main_cause",
        value: ({ waited }) => (waited ? mainCause(addCauses(waited.causes, waited.preempted_causes)) : ""),
        title: ALL_WAITS,
      },
      ...(nodes.length > 1 ? [...byNode, crossings] : []),
      { name: "CPUs", exact: "cpus", value: ({ ran }) => ran?.cpus ?? null, unit: "count" },
      { name: "in the recording", exact: "recorded_ns", value: ({ recordedNs }) => recordedNs, unit: "ns" },
    ],
    rows,
  );
}
