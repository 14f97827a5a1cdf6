import { useState } from "react";
import type { ExplainSection, LedgerCause } from "../../../api/types.ts";
import { formatDuration, formatExactNs, formatShare } from "../../../lib/format.ts";
import { TaskButton } from "../../../timeline/frame/picked-facts.tsx";
import type { Stage } from "../../../timeline/stage/stage.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Button } from "../../../ui/fields.tsx";
import { Term } from "../../../ui/section-parts.tsx";
import { ledgerColour, ledgerMeaning } from "../lanes/ledger.ts";
import { type LedgerGroup, type LedgerRow, ledgerGroups } from "./ledger-rows.ts";
import "./off_cpu.css";

/** Causes of a state that are seen at first. */
const FEW = 4;

interface Props {
  readonly answer: Pick<ExplainSection, "states">;
  readonly stage: Stage;
}

/** All of a task's time in the window: one bar, then each state with its causes and the tasks responsible. */
export function LedgerTable({ answer, stage }: Props) {
  const groups = ledgerGroups(answer);
  const whole = groups.reduce((sum, { ns }) => sum + ns, 0);
  return (
    <>
      <LedgerBar groups={groups} />
      <table className="cause-list ledger" data-testid="ledger">
        <colgroup>
          <col />
          <col className="time" />
          <col className="share" />
        </colgroup>
        {groups.map((group) => (
          <Group key={group.state} group={group} stage={stage} />
        ))}
        <tbody>
          <tr className="sum">
            <th scope="row">
              all its time
              <CopyButton text={String(whole)} label="Copy the total in ns" />
            </th>
            <td className="num right" title={formatExactNs(whole)}>
              {formatDuration(whole)}
            </td>
            <td />
          </tr>
        </tbody>
      </table>
    </>
  );
}

function LedgerBar({ groups }: { readonly groups: readonly LedgerGroup[] }) {
  const said = groups.filter(({ ns }) => ns > 0).map(({ state, share }) => `${state} ${formatShare(share)}`);
  return (
    <span className="cause-bar ledger-bar" role="img" aria-label={said.join(", ")}>
      {groups
        .filter(({ ns }) => ns > 0)
        .map(({ state, share, rows }) => (
          <span key={state} className={`ledger-${state}`} style={{ flexGrow: share }}>
            {rows.map(({ cause, share: part }) => (
              <span
                key={cause.cause}
                style={{ flexGrow: part, background: ledgerColour(state, cause.cause) }}
                title={`${state}, ${cause.title}: ${formatDuration(cause.ns)}, ${formatShare(part)}`}
              />
            ))}
          </span>
        ))}
    </span>
  );
}

function Group({ group: { state, ns, share, rows }, stage }: { group: LedgerGroup; stage: Stage }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, FEW);
  const more = rows.length - shown.length;
  return (
    <tbody data-testid={`ledger-${state}`}>
      <tr className="state">
        <th scope="rowgroup">{state}</th>
        <td className="num right" title={formatExactNs(ns)}>
          {ns > 0 ? formatDuration(ns) : "–"}
        </td>
        <td className="num right muted">{ns > 0 ? formatShare(share) : ""}</td>
      </tr>
      {shown.map((row) => (
        <CauseLine key={row.cause.cause} row={row} stage={stage} />
      ))}
      {more > 0 && (
        <tr>
          <td colSpan={3}>
            <Button className="inline" onClick={() => setAll(true)}>
              {more} more
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function CauseLine({ row: { state, cause, share }, stage }: { row: LedgerRow; stage: Stage }) {
  const [first, ...others] = cause.by;
  return (
    <>
      <tr>
        <th scope="row">
          <span className="swatch" style={{ background: ledgerColour(state, cause.cause) }} />
          <Term means={causeTip(state, cause)}>{cause.title}</Term>
        </th>
        <td className="num right" title={formatExactNs(cause.ns)}>
          {formatDuration(cause.ns)}
        </td>
        <td className="num right muted">{formatShare(share)}</td>
      </tr>
      {first && (
        <tr className="by">
          <td colSpan={3} title={cause.by.map(byText).join("\n")}>
            {first.pid > 0 ? <TaskButton pid={first.pid} comm={first.comm} stage={stage} /> : first.comm}{" "}
            <span className="num muted">{formatDuration(first.ns)}</span>
            {others.length > 0 && <span className="muted"> and {others.length} more</span>}
          </td>
        </tr>
      )}
    </>
  );
}

function byText({ pid, comm, ns }: LedgerCause["by"][number]): string {
  return `${comm}${pid > 0 ? ` (${pid})` : ""} ${formatDuration(ns)}`;
}

function causeTip(state: string, { cause, resource, provenance }: LedgerCause): string {
  const meaning = ledgerMeaning(state, cause);
  const on = resource ? ` ${resource}.` : "";
  return provenance === "observed" ? `${meaning}${on}` : `${meaning}${on} ${provenance}.`;
}
