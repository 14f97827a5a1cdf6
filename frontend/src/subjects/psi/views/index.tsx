import { useMemo } from "react";
import type { LiveAnalysis } from "../../../analysis/live-analysis.ts";
import type { DrawerView, TabProps } from "../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../analysis/use-section.ts";
import type { SectionQuery } from "../../../api/routes/sections.ts";
import type { PressureSection, TimeWindow } from "../../../api/types.ts";
import { formatDuration, formatPressure, plural } from "../../../lib/format.ts";
import { absentText, missingText, TERMS, windowText } from "../../../lib/terms.ts";
import { toRel } from "../../../lib/time.ts";
import { Button, InlineSelect } from "../../../ui/fields.tsx";
import {
  AbsentSection,
  Fact,
  HeldWindow,
  LabelBadge,
  SectionStatus,
  Term,
} from "../../../ui/section-parts.tsx";
import { DataGrid } from "../../../ui/table/data-grid.tsx";
import { VirtualTable } from "../../../ui/table/virtual-table.tsx";
import {
  averagesText,
  cgroupRows,
  errorText,
  microText,
  type PsiRow,
  parseRules,
  RULES,
  RULES_WORDS,
  rulesText,
  sampledAround,
  systemRows,
  verdict,
} from "../lanes/psi-table.ts";
import "./pressure.css";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";

export const view: DrawerView = {
  id: "pressure",
  title: "Pressure",
  Body: PressureTab,
};

/** Pressure as the kernel counted it next to what its rules make of the events. */
function PressureTab({ live, snapshot, drawer }: TabProps) {
  const { rules, held } = drawer;
  const window = held ?? shownWindow(live.stage, snapshot);
  const state = useSection(live.section("psi"), { window, rules });
  const { answer } = state;
  const picker = (
    <>
      <InlineSelect
        className="rules-picker"
        label={<Term means={TERMS["what-if"]}>The same trace under another kernel version's rules</Term>}
        value={rules ?? ""}
        choices={[["", "as traced"], ...RULES.map((version) => [version, RULES_WORDS[version]] as const)]}
        onChoose={(version) => live.setDrawer({ rules: parseRules(version) })}
      />
      {rules !== null && <LabelBadge label="what-if" />}
      {held && <HeldWindow window={held} onFollow={() => live.hold(null)} />}
      <SectionStatus state={state} />
    </>
  );
  if (!answer?.available) {
    return (
      <>
        <p className="tab-tools">{picker}</p>
        {answer && <AbsentSection section="pressure" reason={answer.reason} />}
      </>
    );
  }
  return (
    <>
      <p className="tab-tools">{picker}</p>
      {systemRows(answer).rows.every(({ sampledUs }) => sampledUs === null) && (
        <NearestSamples live={live} window={window} />
      )}
      <PressureTables psi={answer} />
    </>
  );
}

/** Without samples in the window: the nearest range between two samples, one click away. */
function NearestSamples({ live, window }: { readonly live: LiveAnalysis; readonly window: TimeWindow }) {
  const { answer } = useSection(live.section("psi", "whole"), WHOLE);
  const sampled = answer?.available ? answer.residual?.cpu : null;
  const range = sampled ? sampledAround(sampled, window) : null;
  if (!range) return null;
  const { origin } = live.stage.scene;
  return (
    <p className="tab-tools">
      No two samples lie in this window.{" "}
      <Button
        onClick={() => live.stage.select({ from: toRel(origin, range.from), to: toRel(origin, range.to) })}
      >
        Select the nearest sampled range, {windowText(range)}
      </Button>
    </p>
  );
}

const WHOLE: SectionQuery = { window: null };

function PressureTables({ psi }: { readonly psi: PressureSection }) {
  const system = useMemo(() => systemRows(psi), [psi]);
  const table = useMemo(
    () => psiTable(system.rows, Number(BigInt(psi.to_ns) - BigInt(psi.from_ns)), false),
    [system, psi],
  );
  return (
    <div className="pressure-tab">
      <section aria-label="Pressure of the whole system">
        <DataGrid
          label="Pressure of the whole system"
          table={table}
          name={`pressure-${psi.rules}`}
          testId="pressure-table"
          className="pressure-table"
          cell={(row, column) => {
            const stored = system.rows[row];
            if (!stored) return undefined;
            if (column === 0) {
              return (
                <>
                  {stored.resource} <Term means={TERMS[stored.line]}>{stored.line}</Term>
                </>
              );
            }
            return column === LABEL ? (
              <LabelBadge label={stored.label} missing={stored.missing} said />
            ) : undefined;
          }}
          cellClass={(row, column) => {
            const stored = system.rows[row];
            const broken = stored?.within === false && stored.label !== "what-if";
            return column === LABEL ? "lacking" : column === VERDICT && broken ? "cost" : "";
          }}
          foot={system.absent.map(({ resource, reason }) => (
            <tr key={resource} className="absent">
              <td>{resource}</td>
              <td colSpan={LABEL} className="muted sentence">
                {reason}
              </td>
            </tr>
          ))}
        />
        <Facts psi={psi} />
      </section>
      <Cgroups psi={psi} />
    </div>
  );
}

/** Columns of the system's table. */
const VERDICT = 7;
const LABEL = 8;

/** Window and rules of the table. */
function Facts({ psi }: { readonly psi: PressureSection }) {
  const { rules_source: source, hz_source: hz } = psi;
  return (
    <dl className="facts wide">
      <Fact name="window" className="num">
        {windowText({ from: BigInt(psi.from_ns), to: BigInt(psi.to_ns) })}
      </Fact>
      <Fact name="rules">
        {rulesText(psi)} <LabelBadge label={source.label} missing={source.missing} said />
      </Fact>
      <Fact name="HZ" term="hz">
        <span className="num">{psi.hz}</span> ({hz.name}){" "}
        <LabelBadge label={hz.label} missing={hz.missing} said />
      </Fact>
      <Fact name="averages" term="averages" testId="averages">
        {averagesText(psi.averages)} {psi.averages && <LabelBadge label={psi.averages.label} />}
      </Fact>
      {psi.lost_us.cpu > 0 && (
        <Fact name="not counted" term="lostStall">
          <span className="num">{microText(psi.lost_us.cpu)}</span> of CPU pressure, in intervals shorter than
          a jiffy
        </Fact>
      )}
      {psi.nodes.length > 1 && (
        <Fact name="CPU, by node" className="num">
          {psi.nodes
            .map(
              ({ nid, cpu_some_ns, nonidle_ns }) =>
                `node ${nid}: ${formatDuration(cpu_some_ns)} some of ${formatDuration(nonidle_ns)} not idle`,
            )
            .join("; ")}
        </Fact>
      )}
    </dl>
  );
}

function Cgroups({ psi }: { readonly psi: PressureSection }) {
  const found = useMemo(() => cgroupRows(psi), [psi]);
  const rows = useMemo(() => ("available" in found ? [] : found), [found]);
  const table = useMemo(() => psiTable(rows, 0, true), [rows]);
  return (
    <section className="cgroup-pressure" aria-label="Pressure by cgroup">
      <p className="tab-tools">
        <b>By cgroup</b>
        {!("available" in found) && <span className="muted">{plural(rows.length, "row")}</span>}
      </p>
      {"available" in found ? (
        <p className="tab-empty muted" data-testid="no-cgroups">
          {absentText("cgroups", found.reason)}
        </p>
      ) : (
        <VirtualTable
          label="Pressure by cgroup"
          table={table}
          name={`cgroup-pressure-${psi.rules}`}
          testId="cgroup-pressure"
        />
      )}
    </section>
  );
}

// Pressure tables by their columns: of the whole system, and of every cgroup.

/** @param lengthNs of the window */
export function psiTable(rows: readonly PsiRow[], lengthNs: number, ofCgroups: boolean): TextTable {
  const columns: readonly Column<PsiRow>[] = [
    { name: ofCgroups ? "cgroup" : null, exact: "cgroup" },
    { name: "resource", exact: null, value: ({ resource, line }) => `${resource} ${line}` },
    { name: null, exact: "resource" },
    { name: null, exact: "line" },
    {
      name: "in the window",
      exact: "window_us",
      unit: "us",
      value: ({ windowUs }) => windowUs,
      title: "Replayed stall time of the whole window",
    },
    {
      name: ofCgroups ? null : "% of window",
      exact: null,
      unit: "share",
      value: ({ windowUs }) => (windowUs === null ? null : (windowUs * 1000) / lengthNs),
      show: ({ windowUs }) => formatPressure(windowUs === null ? null : (windowUs * 1000) / lengthNs),
      title: "Share of the window",
    },
    {
      name: "sampled",
      exact: "sampled_us",
      unit: "us",
      value: ({ sampledUs }) => sampledUs,
      title: TERMS.sampled,
    },
    {
      name: "replayed",
      exact: "replayed_us",
      unit: "us",
      value: ({ replayedUs }) => replayedUs,
      show: ({ sampledUs, replayedUs }) => microText(sampledUs === null ? null : replayedUs),
      title: "The replay between the same two samples",
    },
    {
      name: "difference",
      exact: "error_percent",
      unit: "percent",
      value: ({ errorPercent }) => errorPercent,
      show: ({ errorPercent }) => errorText(errorPercent),
      title: "Replay compared with the kernel's count",
    },
    {
      name: ofCgroups ? null : "tolerance",
      exact: "tolerance_percent",
      unit: "percent",
      value: ({ tolerancePercent }) => tolerancePercent,
      show: ({ tolerancePercent }) => (tolerancePercent === null ? "–" : `± ${tolerancePercent} %`),
      title: TERMS.tolerance,
    },
    { name: "verdict", exact: null, value: verdict },
    { name: null, exact: "within" },
    {
      name: "provenance",
      exact: "label",
      show: ({ label, missing }) => [label, missingText(missing)].filter((part) => part !== "").join(", "),
    },
    { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
  ];
  return describeTable(columns, rows);
}
