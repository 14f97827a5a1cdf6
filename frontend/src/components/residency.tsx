import { useMemo } from "react";
import type { TimeWindow } from "../data/api/window.ts";
import { formatCount } from "../logic/format.ts";
import { residencyTable } from "../logic/residency-table.ts";
import { TERMS } from "../logic/terms.ts";
import { LabelBadge } from "./label-badge.tsx";
import { SectionStatus, Term } from "./section-parts.tsx";
import { useSection } from "./use-section.ts";
import type { LiveStage } from "./use-stage.ts";
import { VirtualTable } from "./virtual-table.tsx";

interface Props {
  readonly live: LiveStage;
  readonly window: TimeWindow;
}

/** Where the tasks of the window ran. */
export function Residency({ live, window }: Props) {
  const { stage } = live;
  const state = useSection(live.sections.residency, { window });
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
