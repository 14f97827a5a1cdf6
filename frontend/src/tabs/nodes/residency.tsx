import { useMemo } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { useSection } from "../../analysis/use-section.ts";
import type { ResidencySection } from "../../api/types.ts";
import type { TimeWindow } from "../../api/window.ts";
import { formatCount } from "../../lib/format.ts";
import { TERMS } from "../../lib/terms.ts";
import { LabelBadge, SectionStatus, Term } from "../../ui/section-parts.tsx";
import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";

interface Props {
  readonly live: LiveAnalysis;
  readonly window: TimeWindow;
}

/** Where the tasks of the window ran. */
export function Residency({ live, window }: Props) {
  const { stage } = live;
  const state = useSection(live.section("residency"), { window });
  const { answer } = state;
  const nodes = useMemo(() => stage.scene.nodes.map(({ nid }) => nid), [stage]);
  const table = useMemo(() => (answer?.available ? residencyTable(answer, nodes) : null), [answer, nodes]);
  return (
    <section className="residency" aria-label="Where tasks ran">
      <p className="tab-tools">
        <b>
          <Term means={TERMS.residency}>Where tasks ran</Term>
        </b>
        {answer?.available && table && (
          <>
            <span className="muted">
              {formatCount(answer.tasks.length)} of {formatCount(answer.total)}, the busiest
            </span>
            <LabelBadge label={answer.label} missing={answer.missing} said />
          </>
        )}
        {answer && !answer.available && <span className="muted">{answer.reason}</span>}
        <SectionStatus state={state} />
      </p>
      {answer?.available && table && (
        <VirtualTable
          label="Where tasks ran"
          table={table}
          name="residency"
          testId="residency-table"
          onPick={(row) => {
            const task = answer.tasks[row];
            if (task) void stage.findTask(task.pid);
          }}
        />
      )}
    </section>
  );
}

/** Where tasks ran: time by node, and how often they went from one node to another. */

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
