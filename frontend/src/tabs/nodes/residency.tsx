import { useMemo } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import { useSection } from "../../analysis/use-section.ts";
import type { TimeWindow } from "../../api/window.ts";
import { formatCount } from "../../lib/format.ts";
import { TERMS } from "../../lib/terms.ts";
import { LabelBadge, SectionStatus, Term } from "../../ui/section-parts.tsx";
import { VirtualTable } from "../../ui/table/virtual-table.tsx";
import { residencyTable } from "./residency-table.ts";

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
