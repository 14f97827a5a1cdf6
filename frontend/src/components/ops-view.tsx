import { useMemo } from "react";
import type { BalancingSection, Ops } from "../data/types.ts";
import { attemptTable } from "../logic/attempt-table.ts";
import { crossingParts, failureParts, opsRows, opsSentence, type Part, rowNote } from "../logic/balancers.ts";
import { formatCount, formatShare } from "../logic/format.ts";
import { TERMS } from "../logic/terms.ts";
import { type Span, toRel } from "../logic/time.ts";
import { EventList } from "./event-list.tsx";
import { GridTable } from "./grid-table.tsx";
import { LabelBadge } from "./label-badge.tsx";
import { CsvButton, Term } from "./section-parts.tsx";

interface Props {
  readonly told: BalancingSection;
  readonly origin: bigint;
  readonly onGo: (span: Span) => void;
}

/** Around an attempt, ns: a moment alone would show nothing of what it met. */
const AROUND = 2e6;

/** What became of the attempts to place tasks. */
export function OpsView({ told, origin, onGo }: Props) {
  const { ops, attempts, attempts_more: more, rules, rules_assumed: assumed } = told;
  const table = useMemo(() => attemptTable(attempts), [attempts]);
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
          <PartTable title="Failures by why" parts={failureParts(ops)} testId="failures" />
          <PartTable
            title="Tasks that came to another node"
            parts={crossingParts(ops)}
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
          by the rules of {rules.name}
          {assumed && " (assumed: the kernel's version is not known)"}
        </span>
      </EventList>
    </div>
  );
}

const COLUMNS = [
  { name: "Ops" },
  { name: "by its rules", right: true, title: "As the row is meant, by the kernel's own rules" },
  {
    name: "mmtests'",
    right: true,
    title: "As mmtests' monitor counts the same window; a dash is a row that its table lacks",
  },
  { name: "note" },
];

function OpsTable({ ops }: { readonly ops: Ops }) {
  const rows = opsRows(ops);
  const count = (value: number | null) => (value === null ? "–" : formatCount(value));
  return (
    <section aria-label="Ops">
      <GridTable columns={COLUMNS} testId="ops-table" className="ops-table">
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">
              <Term means={row.means}>{row.name}</Term>
            </th>
            <td className="num right">{count(row.count)}</td>
            <td className="num right">{count(row.mmtests)}</td>
            <td className="muted">{rowNote(row)}</td>
          </tr>
        ))}
      </GridTable>
      <p className="tab-tools">
        <CsvButton
          name="ops"
          head={["row", "rules", "mmtests"]}
          rows={rows.map(({ key, count: own, mmtests }) => [key, own, mmtests])}
        />
        {ops.mmtests_warnings > 0 && (
          <span className="muted">
            mmtests' monitor would have warned {formatCount(ops.mmtests_warnings)} times
          </span>
        )}
      </p>
    </section>
  );
}

interface PartProps {
  readonly title: string;
  readonly parts: readonly Part[];
  readonly testId: string;
  readonly whole?: number;
}

function PartTable({ title, parts, testId, whole }: PartProps) {
  const sum = whole ?? parts.reduce((all, { count }) => all + count, 0);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <table className="cause-list part-table" data-testid={testId}>
        <tbody>
          {parts.map(({ key, name, means, count }) => (
            <tr key={key} className={count === 0 ? "muted" : ""}>
              <th scope="row">
                <Term means={means}>{name}</Term>
              </th>
              <td className="num right">{formatCount(count)}</td>
              <td className="num right muted">{sum > 0 && count > 0 ? formatShare(count / sum) : ""}</td>
            </tr>
          ))}
          <tr className="sum">
            <th scope="row">all</th>
            <td className="num right">{formatCount(sum)}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </section>
  );
}
