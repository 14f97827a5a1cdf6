import { useMemo } from "react";
import { Answered, type HeldProps, HeldView } from "../../../analysis/held-view.tsx";
import type { DrawerView } from "../../../analysis/tab.ts";
import { useSection } from "../../../analysis/use-section.ts";
import type { Attempt, BalancingSection, Ops, VmstatSection } from "../../../api/types.ts";
import { formatCount } from "../../../lib/format.ts";
import { TERMS, windowText } from "../../../lib/terms.ts";
import { type Span, toRel } from "../../../lib/time.ts";
import { LabelBadge, Term } from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { EventList } from "../../../ui/table/virtual-table.tsx";
import {
  attemptTable,
  crossingParts,
  failureParts,
  nodeFailuresTable,
  opsRows,
  opsSentence,
  opsTable,
  type Part,
  partTable,
  placementsText,
  vmstatTable,
} from "./balancers.ts";

export { opsTable, vmstatTable } from "./balancers.ts";

export const view: readonly DrawerView[] = [
  { id: "ops", title: "Ops", Body: (props) => <HeldView {...props} Part={OpsPart} /> },
  { id: "vmstat", title: "vmstat", Body: (props) => <HeldView {...props} Part={VmstatPart} /> },
];

function OpsPart({ live, window, onGo, pids }: HeldProps) {
  const state = useSection(live.section("numa_balancing"), { window });
  return (
    <Answered state={state} section="attempts">
      {(section) => <OpsView section={section} pids={pids} origin={live.stage.scene.origin} onGo={onGo} />}
    </Answered>
  );
}

function VmstatPart({ live, window }: HeldProps) {
  const state = useSection(live.section("vmstat"), { window });
  return (
    <Answered state={state} section="vmstat">
      {(section) => <VmstatView section={section} />}
    </Answered>
  );
}

interface OpsViewProps {
  readonly section: BalancingSection;
  /** Tasks whose attempts are listed; empty: all of them. */
  readonly pids: readonly number[];
  readonly origin: bigint;
  readonly onGo: (span: Span) => void;
}

/** Around an attempt, ns: a moment alone would show nothing of what it met. */
const AROUND = 2e6;

/** Outcomes of task placement attempts. */
export function OpsView({ section, pids, origin, onGo }: OpsViewProps) {
  const { ops, attempts_more: more, rules, rules_assumed: assumed } = section;
  const attempts = useMemo(() => attemptsOf(section.attempts, pids), [section, pids]);
  const table = useMemo(() => attemptTable(attempts), [attempts]);
  const failures = useMemo(() => failureParts(ops), [ops]);
  const crossings = useMemo(() => crossingParts(ops), [ops]);
  const pick = (row: number) => {
    const attempt = attempts[row];
    if (!attempt) return;
    const from = toRel(origin, BigInt(attempt.start_ns));
    onGo({ from: from - AROUND, to: toRel(origin, BigInt(attempt.end_ns)) + AROUND });
  };
  return (
    <div className="balancers-view">
      <p className="ops-sentence">
        {opsSentence(ops)} <LabelBadge label={ops.label} missing={ops.missing} said />
      </p>
      {section.sched_ext && <p data-testid="ops-sched-ext">{section.sched_ext}</p>}
      <div className="ops-columns">
        <OpsTable ops={ops} />
        <div>
          <NodeFailures ops={ops} />
          <PartTable title="Failure reason" parts={failures} testId="failures" />
          <PartTable
            title="Tasks that moved to another node"
            parts={crossings}
            whole={ops.crossings.total}
            testId="crossings"
          />
        </div>
      </div>
      <EventList
        title={<Term means={TERMS.attempt}>Attempts</Term>}
        label="NUMA balancing attempts"
        name="attempts"
        table={table}
        more={more}
        none="No task placement attempt started in this window."
        testId="attempts-table"
        onPick={pick}
      >
        <span className="muted">
          {pids.length > 0 && attempts.length < section.attempts.length && "of the finding's tasks, "}by the
          rules of {rules.name}
          {assumed && " (assumed: the kernel's version is not known)"}
        </span>
      </EventList>
    </div>
  );
}

/** Attempts of some tasks, if there are any: a finding may name tasks that others brought back. */
function attemptsOf(all: readonly Attempt[], pids: readonly number[]): readonly Attempt[] {
  const own = all.filter(({ pid, partner }) => pids.includes(pid) || pids.includes(partner?.pid ?? -1));
  return own.length > 0 ? own : all;
}

function OpsTable({ ops }: { readonly ops: Ops }) {
  const table = useMemo(() => opsTable(ops), [ops]);
  const rows = useMemo(() => opsRows(ops), [ops]);
  return (
    <section aria-label="Ops">
      <DataGrid
        label="Ops"
        table={table}
        name="ops"
        testId="ops-table"
        className="ops-table"
        cell={(row, column) => {
          const entry = rows[row];
          return column === 0 && entry ? <Term means={entry.means}>{entry.name}</Term> : undefined;
        }}
        cellClass={(_, column) => (column === NOTE ? "muted" : "")}
      />
      {ops.mmtests_warnings > 0 && (
        <p className="tab-tools muted">
          mmtests' monitor would have warned {formatCount(ops.mmtests_warnings)} times
        </p>
      )}
    </section>
  );
}

/** The column of notes. */
const NOTE = 3;

interface OpsViewPartProps {
  readonly title: string;
  readonly parts: readonly Part[];
  readonly testId: string;
  readonly whole?: number;
}

/** Share of failed attempts by the node that they were to reach. */
function NodeFailures({ ops: { nodes } }: { readonly ops: Ops }) {
  const table = useMemo(() => nodeFailuresTable(nodes), [nodes]);
  if (nodes.length < 2) return null;
  return (
    <section aria-label="Failures by target node">
      <h3>Failures by target node</h3>
      <DataGrid
        label="Failures by target node"
        table={table}
        name="node-failures"
        testId="node-failures"
        className="part-table"
      />
    </section>
  );
}

function PartTable({ title, parts, testId, whole }: OpsViewPartProps) {
  const sum = whole ?? parts.reduce((all, { count }) => all + count, 0);
  const table = useMemo(() => partTable(parts, sum, "what"), [parts, sum]);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <DataGrid
        label={title}
        table={table}
        name={testId}
        testId={testId}
        className="part-table"
        cell={(row, column) => {
          const entry = parts[row];
          return column === 0 && entry ? <Term means={entry.means}>{entry.name}</Term> : undefined;
        }}
        rowClass={(row) => (parts[row]?.count === 0 ? "muted" : "")}
        foot={
          <tr className="sum">
            <th scope="row">all</th>
            <td className="num right">{formatCount(sum)}</td>
            <td />
          </tr>
        }
      />
    </section>
  );
}

/** mmtests' table of the counters of memory. */
export function VmstatView({ section }: { readonly section: VmstatSection }) {
  const { table, placements } = section;
  const rows = useMemo(() => vmstatTable(section), [section]);
  const sampled = { from: BigInt(section.sampled_from_ns), to: BigInt(section.sampled_to_ns) };
  return (
    <div className="balancers-view">
      <p className="tab-tools">
        <span className="muted">between the samples {windowText(sampled)}</span>
        <LabelBadge label={table.label} missing={table.missing} said />
      </p>
      {placements && (
        <p data-testid="placements">
          {placementsText(placements)} <LabelBadge label={placements.label} missing={placements.missing} />
        </p>
      )}
      <DataGrid label="Counters of memory" table={rows} name="vmstat" testId="vmstat-table" />
    </div>
  );
}
