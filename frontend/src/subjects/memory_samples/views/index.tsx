import { useMemo } from "react";
import type { DrawerView, TabProps } from "../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import { formatCount, formatDuration } from "../../../lib/format.ts";
import { TERMS, windowText } from "../../../lib/terms.ts";
import { type Span, toRel } from "../../../lib/time.ts";
import { HeldWindow, LabelBadge, Term, Unanswered } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { EventList } from "../../../ui/table/virtual-table.tsx";
import {
  BARS,
  lineTable,
  loadsSentence,
  type MemorySamplesSection,
  meanwhileSentence,
  moveSentence,
  moveTable,
  nodeTable,
  pairTable,
  type StepRow,
  stepRows,
  stepTable,
  taskTable,
} from "./loads.ts";
import "../../../analysis/held-view.css";
import "./loads.css";

export const view: DrawerView = { id: "loads", title: "Loads", Body: LoadsTab };

/** Moves that have a sentence each. */
const SENTENCES = 3;

/** Advice for recording the inputs. */
const RECORD =
  "Sources of loads are sampled by perf mem record -a --phys-data or perf c2c record -a, on a machine with PEBS, IBS or SPE. For SPE, run perf inject --itrace first. Add -e sched:sched_migrate_task -e migrate:mm_migrate_pages to compare them with the kernel's migrations.";

function LoadsTab({ live, snapshot, drawer }: TabProps) {
  const { stage } = live;
  const window = drawer.held ?? shownWindow(stage, snapshot);
  const state = useSection(live.section("memory_samples"), { window });
  const { answer, problem } = state;
  if (!answer?.available || problem !== null)
    return <Unanswered state={state} section="memory_samples" record={RECORD} />;
  const go = (span: Span) => {
    live.hold(window);
    void stage.show(span);
  };
  return (
    <>
      <p className="tab-tools">
        {drawer.held ? (
          <HeldWindow window={drawer.held} onFollow={() => live.hold(null)} />
        ) : (
          <span className="muted held">{windowText(window)}</span>
        )}
      </p>
      <LoadsView
        section={answer}
        origin={stage.scene.origin}
        colour={(nid) => stage.nodeColour(nid)}
        onGo={go}
      />
    </>
  );
}

interface ViewProps {
  readonly section: MemorySamplesSection;
  readonly origin: bigint;
  readonly colour: (nid: number) => string;
  readonly onGo: (span: Span) => void;
}

/** Loads by where they found their data, and what became of the memory of tasks that moved. */
export function LoadsView({ section, origin, colour, onGo }: ViewProps) {
  const { label, missing, moves, between, contradicted, tasks_left_out: more } = section;
  const byNode = useMemo(() => nodeTable(section), [section]);
  const pairs = useMemo(() => between && pairTable(between), [between]);
  const byTask = useMemo(() => taskTable(section), [section]);
  return (
    <div className="balancers-view">
      <p data-testid="loads-sum">
        <Term means={TERMS.load}>Sampled</Term>: {loadsSentence(section)}{" "}
        <LabelBadge label={label} missing={missing} said />
      </p>
      <p className="muted" data-testid="loads-meanwhile">
        {meanwhileSentence(section)}
      </p>
      {moves.slice(0, SENTENCES).map((move) => (
        <p key={`${move.pid} ${move.moved_ns}`} data-testid="loads-move">
          {moveSentence(move)} <LabelBadge label={move.label} missing={move.missing} said />
        </p>
      ))}
      <Moves section={section} origin={origin} onGo={onGo} />
      <h3>By node</h3>
      <DataGrid
        label="Loads by node"
        table={byNode}
        name="loads-by-node"
        testId="loads-by-node"
        cell={swatch}
      />
      <h3>CPU and memory</h3>
      {pairs ? (
        <>
          <DataGrid
            label="Samples by the nodes of CPU and memory"
            table={pairs}
            name="loads-between"
            testId="loads-between"
          />
          {contradicted > 0 && (
            <p className="muted">
              {formatCount(contradicted)} loads from memory have a physical address on a different node than
              reported by the machine.
            </p>
          )}
        </>
      ) : (
        <p className="muted" data-testid="loads-between-absent">
          Node of the memory: not recorded (perf mem record --phys-data). Local and remote are as reported by
          the machine.
        </p>
      )}
      <h3>By task{more > 0 && `, the ${formatCount(section.tasks.length)} with most loads`}</h3>
      <DataGrid label="Loads by task" table={byTask} name="loads-by-task" testId="loads-by-task" />
      <Lines section={section} />
      <Steps section={section} />
    </div>
  );

  function swatch(row: number, column: number) {
    const nid = section.nodes[row]?.nid;
    if (column !== 0 || nid === undefined) return undefined;
    return (
      <>
        <span className="swatch" style={{ backgroundColor: colour(nid) }} />
        {nid}
      </>
    );
  }
}

function Moves({ section, origin, onGo }: Omit<ViewProps, "colour">) {
  const { moves, moves_left_out: more } = section;
  const table = useMemo(() => moveTable(section), [section]);
  const pick = (row: number) => {
    const move = moves[row];
    if (!move) return;
    const at = toRel(origin, BigInt(move.moved_ns));
    const half = (toRel(origin, BigInt(move.until_ns)) - at) / 10;
    onGo({ from: at - half, to: at + half });
  };
  return (
    <EventList
      title={<Term means={TERMS.memoryMove}>Moves to another node</Term>}
      label="Moves of tasks to another node"
      name="memory-moves"
      table={table}
      more={more}
      none="No task was sampled on two nodes in this window."
      testId="memory-moves"
      onPick={pick}
    />
  );
}

/** Cache lines that cores took from each other. */
function Lines({ section }: Pick<ViewProps, "section">) {
  const { lines, lines_left_out: more, lines_missing: missing, label } = section;
  const table = useMemo(() => lineTable(section), [section]);
  if (lines.length === 0) return null;
  return (
    <>
      <h3>
        Cache lines that cores took from each other
        {more > 0 && `, the ${formatCount(lines.length)} with most`}{" "}
        <LabelBadge label={missing.length > 0 ? "inferred" : label} missing={missing} said />
      </h3>
      <DataGrid label="Cache lines" table={table} name="cache-lines" testId="cache-lines" />
    </>
  );
}

/** The window step by step, with the loads from memory as bars. */
function Steps({ section }: Pick<ViewProps, "section">) {
  const rows = useMemo(() => stepRows(section), [section]);
  const table = useMemo(() => stepTable(rows, section.meanwhile), [rows, section]);
  const most = Math.max(1, ...rows.map(({ local, remote }) => local + remote));
  return (
    <>
      <h3>
        Over time, steps of {formatDuration(section.step_ns)}:{" "}
        <span className="load-key">
          <span className="swatch load-local" /> local, <span className="swatch load-remote" /> remote DRAM
        </span>
      </h3>
      <DataGrid
        label="Loads over time"
        table={table}
        name="loads-over-time"
        testId="loads-over-time"
        cell={(row, column) => {
          const step = rows[row];
          return column === BARS && step ? <Bar step={step} most={most} /> : undefined;
        }}
        cellClass={(_, column) => (column === BARS ? "bar-cell" : "")}
      />
    </>
  );
}

function Bar({ step, most }: { readonly step: StepRow; readonly most: number }) {
  const width = (count: number) => ({ width: `${(100 * count) / most}%` });
  return (
    <span className="load-bar">
      {step.local > 0 && <span className="load-local" style={width(step.local)} />}
      {step.remote > 0 && <span className="load-remote" style={width(step.remote)} />}
    </span>
  );
}
