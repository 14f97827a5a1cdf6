import { useMemo, useState } from "react";
import type { LiveAnalysis } from "../../../../analysis/live-analysis.ts";
import type { DrawerView, TabProps } from "../../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../../analysis/use-section.ts";
import type { TimeWindow } from "../../../../api/types.ts";
import { plural } from "../../../../lib/format.ts";
import { asSentence, windowText } from "../../../../lib/terms.ts";
import { pinCells } from "../../../../timeline/frame/pinned-lanes.tsx";
import { LabelBadge, SectionStatus } from "../../../../ui/section-parts.tsx";
import { FilterTools } from "../../../../ui/table/table-tools.tsx";
import { VirtualTable } from "../../../../ui/table/virtual-table.tsx";
import { taskRows, taskTable } from "./task-table.ts";

export const view: DrawerView = {
  id: "tasks",
  title: "Tasks",
  Body: TasksView,
};

/** The sums of the window, as far as they are there. */
function useWindowSums(live: LiveAnalysis, window: TimeWindow) {
  const residency = useSection(live.section("residency"), { window });
  const latency = useSection(live.section("latency"), { window });
  const ran = residency.answer?.available ? residency.answer : null;
  const waited = latency.answer?.available ? latency.answer : null;
  const reasons = [residency, latency].flatMap(({ answer }) =>
    answer && !answer.available ? [answer.reason] : [],
  );
  const state = latency.problem === null ? residency : latency;
  return { ran, waited, state, reasons: [...new Set(reasons)] };
}

/** Every task of the recording with its sums over the window; Shift drag selects a time range. */
function TasksView({ live, snapshot }: TabProps) {
  const { stage } = live;
  const [filter, setFilter] = useState("");
  const [missing, setMissing] = useState<string | null>(null);
  const window = shownWindow(stage, snapshot);
  const { ran, waited, state, reasons } = useWindowSums(live, window);
  const { tasks, nodes } = stage.scene;
  const rows = useMemo(() => taskRows(tasks, filter, ran, waited), [tasks, filter, ran, waited]);
  const length = Number(window.to - window.from);
  const table = useMemo(
    () =>
      taskTable(
        rows,
        nodes.map(({ nid }) => nid),
        length,
      ),
    [rows, nodes, length],
  );
  const selected = snapshot.selection?.slice?.pid ?? null;
  const picked = selected === null ? -1 : rows.findIndex(({ pid }) => pid === selected);
  const pick = (place: number) => {
    const row = rows[place];
    if (!row) return;
    setMissing(null);
    void stage.findTask(row.pid).then((found) => {
      if (!found) setMissing(`${row.comm} (${row.pid}) has no slice to show.`);
    });
  };
  const pinned = pinCells(table, stage);
  return (
    <div className="tasks-view">
      <FilterTools
        placeholder="Name or pid"
        label="Filter tasks by name or pid"
        filter={filter}
        onFilter={setFilter}
        onEnter={() => pick(0)}
        problem={missing}
      >
        {plural(rows.length, "task")} in {windowText(window)}; <kbd>Shift</kbd> drag selects a time range{" "}
        {ran &&
          ran.total > ran.tasks.length &&
          `(those that ran are the ${ran.tasks.length} busiest of ${ran.total}) `}
        {waited && <LabelBadge label={waited.label} missing={waited.missing} said />}
        <SectionStatus state={state} />
      </FilterTools>
      {reasons.map((reason) => (
        <p key={reason} className="tab-empty muted">
          {asSentence(reason)}
        </p>
      ))}
      <VirtualTable
        label="Tasks"
        table={table}
        name="tasks"
        testId="tasks-table"
        onPick={pick}
        picked={picked < 0 ? null : picked}
        cell={(place, column) => {
          const row = rows[place];
          if (column === 1) return pinned(place, column);
          if (!row || (column !== 0 && column !== SHARE)) return undefined;
          const backgroundColor = stage.taskFill(row.task) ?? "transparent";
          const width = `${Math.min(1, (row.ran?.run_ns ?? 0) / length) * BAR_WIDTH}ch`;
          return (
            <>
              <span
                className={column === 0 ? "swatch" : "bar in-cell"}
                style={column === 0 ? { backgroundColor } : { width, backgroundColor }}
              />
              {table.rows[place]?.[column]}
            </>
          );
        }}
      />
    </div>
  );
}

/** The column of shares, and how wide the bar of a whole CPU is there. */
const SHARE = 3;
const BAR_WIDTH = 6;
