import { useMemo } from "react";
import type { Attempt, BalancingSection, Ops, VmstatSection } from "../../api/types.ts";
import { formatCount } from "../../lib/format.ts";
import { windowText } from "../../lib/section-words.ts";
import { TERMS } from "../../lib/terms.ts";
import { type Span, toRel } from "../../lib/time.ts";
import { LabelBadge, Term } from "../../ui/section-parts.tsx";
import { DataGrid } from "../../ui/table/data-grid.tsx";
import { EventList } from "../../ui/table/event-list.tsx";
import { attemptTable } from "./attempt-table.ts";
import { crossingParts, failureParts, opsRows, opsSentence, type Part } from "./balancers.ts";
import { opsTable, partTable, vmstatTable } from "./count-tables.ts";

interface Props {
  readonly section: BalancingSection;
  /** Tasks whose attempts are listed; empty: all of them. */
  readonly pids: readonly number[];
  readonly origin: bigint;
  readonly onGo: (span: Span) => void;
}

/** Around an attempt, ns: a moment alone would show nothing of what it met. */
const AROUND = 2e6;

/** What became of the attempts to place tasks. */
export function OpsView({ section, pids, origin, onGo }: Props) {
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
      <div className="ops-columns">
        <OpsTable ops={ops} />
        <div>
          <PartTable title="Failure reason" parts={failures} testId="failures" />
          <PartTable
            title="Tasks that came to another node"
            parts={crossings}
            whole={ops.crossings.total}
            testId="crossings"
          />
        </div>
      </div>
      <EventList
        title={<Term means={TERMS.attempt}>Attempts</Term>}
        label="Attempts of the NUMA balancer"
        name="attempts"
        table={table}
        more={more}
        none="No attempt to place a task began in this window."
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

/** Those of some tasks, where there are any: a finding may name tasks that others brought back. */
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

interface PartProps {
  readonly title: string;
  readonly parts: readonly Part[];
  readonly testId: string;
  readonly whole?: number;
}

function PartTable({ title, parts, testId, whole }: PartProps) {
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
  const { table } = section;
  const rows = useMemo(() => vmstatTable(section), [section]);
  const sampled = { from: BigInt(section.sampled_from_ns), to: BigInt(section.sampled_to_ns) };
  return (
    <div className="balancers-view">
      <p className="tab-tools">
        <span className="muted">between the samples {windowText(sampled)}</span>
        <LabelBadge label={table.label} missing={table.missing} said />
      </p>
      <DataGrid label="Counters of memory" table={rows} name="vmstat" testId="vmstat-table" />
    </div>
  );
}
