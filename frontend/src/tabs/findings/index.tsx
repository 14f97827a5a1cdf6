import { useMemo, useState } from "react";
import type { LiveAnalysis } from "../../analysis/live-analysis.ts";
import type { DrawerView, TabProps } from "../../analysis/tab.ts";
import type { Finding, FindingsSection } from "../../api/types.ts";
import {
  aboutText,
  costliest,
  impactText,
  type Keyed,
  keyFindings,
  kindText,
  otherWaitingText,
} from "../../lib/findings.ts";
import { formatAbs } from "../../lib/format.ts";
import { taskName } from "../../lib/rank-tasks.ts";
import { Button } from "../../ui/fields.tsx";
import { LabelBadge, Unanswered } from "../../ui/section-parts.tsx";
import { DataGrid, type OwnLine } from "../../ui/table/data-grid.tsx";
import { FilterTools } from "../../ui/table/table-tools.tsx";
import {
  type ChipRow,
  chipRows,
  countText,
  FACETS,
  type Facet,
  type FindingFilter,
  isFiltered,
  NO_FILTER,
  passes,
  toggleChip,
} from "../../view-state/finding-filter.ts";
import "./findings.css";
import { parseNs } from "../../lib/time.ts";
import { oneStop } from "../../ui/one-stop.ts";
import { describeTable, type TextTable } from "../../ui/table/described-table.ts";

export const view: DrawerView = {
  id: "findings",
  title: "Findings",
  Body: FindingsTab,
  fits: true,
};

/** The findings as the engine ranks them. */
function FindingsTab({ live, findings: state, drawer, snapshot }: TabProps) {
  const { finding: chosen } = drawer;
  const filter = drawer.found ?? NO_FILTER;
  const ranged = snapshot.ranges.length > 0;
  const [opened, setOpened] = useState(false);
  const { answer } = state;
  const ranked = useMemo(() => (answer?.available ? keyFindings(answer.findings) : []), [answer]);
  const shown = useMemo(() => ranked.filter(({ finding }) => passes(finding, filter)), [ranked, filter]);
  const worst = costliest(shown);
  const table = useMemo(() => findingTable(shown.map(({ finding }) => finding)), [shown]);
  const setFilter = (next: FindingFilter) => {
    const change = { found: isFiltered(next) ? next : null };
    // A word is written key by key; Back removes it at once.
    if (next.text === filter.text) live.setDrawer(change);
    else live.followDrawer(change);
  };
  if (!answer?.available) return <Unanswered state={state} section="findings" />;
  if (ranked.length === 0) {
    return (
      <div className="tab-empty" data-testid="no-findings">
        <p>Nothing found{ranged ? " in the committed range" : ""}: no detector found lost time.</p>
        <OtherWaiting of={answer} />
        <p className="muted">Waits, pressure and idle CPUs of any window are in the other tabs.</p>
      </div>
    );
  }
  return (
    <>
      <Tools
        live={live}
        ranked={ranked}
        shown={shown}
        filter={filter}
        ranged={ranged}
        problem={state.problem}
        opened={opened}
        onOpen={setOpened}
        onFilter={setFilter}
      />
      {shown.length === 0 && (
        <p className="tab-empty muted">
          No finding passes the filter.{" "}
          <Button className="inline" onClick={() => setFilter(NO_FILTER)}>
            Show all {ranked.length}
          </Button>
        </p>
      )}
      {shown.length > 0 && (
        <DataGrid
          label="Findings"
          table={table}
          name="findings"
          testId="findings-table"
          className="findings"
          groupOf={(place) => shown[place]?.finding.id ?? ""}
          shown={shown.findIndex(({ key }) => key === chosen)}
          row={(place, line) => {
            const keyed = shown[place];
            return (
              keyed && (
                <FindingRow
                  key={keyed.key}
                  keyed={keyed}
                  line={line}
                  chosen={keyed.key === chosen}
                  worst={keyed === worst}
                  onChoose={() => live.openFinding(keyed)}
                />
              )
            );
          }}
        />
      )}
      <OtherWaiting of={answer} />
    </>
  );
}

interface AnswerProps {
  readonly of: FindingsSection;
}

const OtherWaiting = ({ of }: AnswerProps) => (
  <p className="other-waiting muted" data-testid="other-waiting">
    Other waiting, not covered by any finding: {otherWaitingText(of.other_waiting)}.
  </p>
);

interface ToolsProps {
  readonly live: LiveAnalysis;
  readonly ranked: readonly Keyed<Finding>[];
  readonly shown: readonly Keyed<Finding>[];
  readonly filter: FindingFilter;
  readonly ranged: boolean;
  readonly problem: string | null;
  /** The reader wants chips. */
  readonly opened: boolean;
  readonly onOpen: (opened: boolean) => void;
  readonly onFilter: (filter: FindingFilter) => void;
}

/** Number of findings, and of those shown. */
function Tools(props: ToolsProps) {
  const { live, ranked, shown, filter, ranged, problem, opened, onOpen, onFilter } = props;
  // The list comes first: chips are opened by who wants them, or by a link that has some.
  const open = opened || FACETS.some((facet) => filter.chips[facet].length > 0);
  const { tasks } = live.stage.scene;
  const rows = useMemo(() => {
    const findings = ranked.map(({ finding }) => finding);
    return chipRows(findings, filter, (pid) => taskName(tasks, pid));
  }, [ranked, filter, tasks]);
  return (
    <>
      <FilterTools
        placeholder="Kind, node, task, cgroup"
        label="Filter findings"
        filter={filter.text}
        onFilter={(text) => onFilter({ ...filter, text })}
        onEnter={() => {
          const [first] = shown;
          if (first) live.openFinding(first);
        }}
        problem={problem}
      >
        {countText(shown.length, ranked.length)} of the {ranged ? "committed range" : "whole recording"},
        worst first; <kbd>{"{"}</kbd> <kbd>{"}"}</kbd> go through them{" "}
        <Button className="inline" aria-expanded={open} onClick={() => onOpen(!opened)}>
          {open ? "fewer filters" : "more filters"}
        </Button>{" "}
        {isFiltered(filter) && (
          <Button className="inline" onClick={() => onFilter(NO_FILTER)}>
            show all
          </Button>
        )}
      </FilterTools>
      {open && <FindingChips rows={rows} filter={filter} onFilter={onFilter} />}
    </>
  );
}

interface RowProps {
  readonly keyed: Keyed<Finding>;
  readonly line: OwnLine;
  readonly chosen: boolean;
  /** True for the most expensive of the list. */
  readonly worst: boolean;
  readonly onChoose: () => void;
}

function FindingRow({ keyed: { finding }, line, chosen, worst, onChoose }: RowProps) {
  const classes = [chosen ? "selected" : "", line.count === 0 ? "in-group" : ""].filter(Boolean).join(" ");
  return (
    <tr className={classes} aria-selected={chosen}>
      <td>
        <span className={`severity severity-${finding.severity}`}>{finding.severity}</span>
      </td>
      <td className="finding-title">
        <Button className="inline" onClick={onChoose} title={finding.summary}>
          <b>{kindText(finding.id)}</b>
        </Button>
        {line.count > 1 && (
          <Button
            className="inline group-count"
            aria-expanded={line.open}
            onClick={line.toggle}
            title="Number of findings of this kind; this line shows the first"
          >
            × {line.count}
          </Button>
        )}
      </td>
      <td className={worst ? "num right cost" : "num right"}>{impactText(finding.impact_ms)}</td>
      <td className="scope">{aboutText(finding)}</td>
      <td className="num right">{formatAbs(BigInt(finding.from_ns), 3)}</td>
      <td>
        <LabelBadge label={finding.label} missing={finding.missing} />
      </td>
    </tr>
  );
}

interface FindingChipsProps {
  readonly rows: readonly ChipRow[];
  readonly filter: FindingFilter;
  readonly onFilter: (filter: FindingFilter) => void;
}

const FACET_WORDS: Readonly<Record<Facet, string>> = {
  kind: "kind",
  node: "node",
  cgroup: "cgroup",
  task: "task",
};

/** Common properties of findings as buttons. Chips of a row are alternatives. */
export function FindingChips({ rows, filter, onFilter }: FindingChipsProps) {
  if (rows.length === 0) return null;
  return (
    <div className="chip-rows" data-testid="finding-chips">
      {rows.map(({ facet, chips, more }) => (
        <fieldset
          key={facet}
          className="chips"
          ref={oneStop}
          aria-label={`Findings by ${FACET_WORDS[facet]}`}
        >
          <span className="muted" aria-hidden="true">
            {FACET_WORDS[facet]}
          </span>
          {chips.map(({ value, text, count, chosen }) => (
            <Button
              key={value}
              className="chip"
              aria-pressed={chosen}
              onClick={() => onFilter(toggleChip(filter, facet, value))}
            >
              {text} <span className="num muted">{count}</span>
            </Button>
          ))}
          {more > 0 && <span className="muted">{more} more: type to filter</span>}
        </fieldset>
      ))}
    </div>
  );
}

// Findings as a described table.

/** Weights for sorting by severity instead of by letters. */
const WEIGHTS: Readonly<Record<string, number>> = { high: 3, medium: 2, low: 1 };

export function findingTable(findings: readonly Finding[]): TextTable {
  const at = (ns: string) => parseNs(ns) ?? 0n;
  return describeTable<Finding>(
    [
      { name: null, exact: "id" },
      {
        name: "severity",
        exact: null,
        value: ({ severity }) => WEIGHTS[severity] ?? 0,
        show: ({ severity }) => severity,
      },
      { name: null, exact: "severity" },
      { name: "finding", exact: null, value: ({ id }) => kindText(id) },
      {
        name: "cost",
        exact: "impact_ms",
        unit: "number",
        show: ({ impact_ms }) => impactText(impact_ms),
        title: "Total time lost, summed over the waiting tasks; bounds are in ms",
      },
      { name: "scope", exact: null, value: aboutText },
      { name: "start, s", exact: "from_ns", unit: "time", value: ({ from_ns }) => at(from_ns) },
      { name: null, exact: "to_ns", unit: "time", value: ({ to_ns }) => at(to_ns) },
      { name: null, exact: "occurrences", unit: "count", value: ({ occurrences }) => occurrences.count },
      { name: null, exact: "nodes", value: ({ nodes }) => nodes.join(" ") },
      { name: null, exact: "pids", value: ({ pids }) => pids.join(" ") },
      { name: null, exact: "cgroup" },
      { name: "provenance", exact: "label" },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
      { name: null, exact: "summary" },
    ],
    findings,
  );
}
