import { useMemo } from "react";
import type { PressureSection } from "../data/types.ts";
import { formatDuration, formatPressure, plural } from "../logic/format.ts";
import {
  averagesText,
  cgroupRows,
  errorText,
  microText,
  type PsiRow,
  parseRules,
  RULES,
  RULES_WORDS,
  type Rules,
  rulesText,
  systemRows,
  verdict,
} from "../logic/psi-table.ts";
import { howToRecord, missingText, windowText } from "../logic/section-words.ts";
import { TERMS } from "../logic/terms.ts";
import type { Stage } from "../view/stage.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { GridTable } from "./grid-table.tsx";
import { LabelBadge } from "./label-badge.tsx";
import { AbsentSection, CsvButton, SectionStatus, Term } from "./section-parts.tsx";
import type { Rereading } from "./use-reread.ts";
import { shownWindow, useSection } from "./use-section.ts";
import type { LiveStage } from "./use-stage.ts";
import { VirtualTable } from "./virtual-table.tsx";

interface Props {
  readonly live: LiveStage;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  readonly rules: Rules | null;
  readonly rereading: Rereading;
}

const COLUMNS = [
  { name: "resource" },
  { name: "in the window", right: true, title: "Replayed stall time of the whole window" },
  { name: "of it", right: true, title: "Share of the window" },
  { name: "sampled", right: true, title: TERMS.sampled },
  { name: "replayed", right: true, title: "The replay between the same two samples" },
  { name: "difference", right: true, title: "Replay against the kernel's count" },
  { name: "tolerance", right: true, title: TERMS.tolerance },
  { name: "verdict" },
  { name: "label" },
];

/** Pressure as the kernel counted it beside what its rules make of the events. */
export function PressureTab({ live, stage, snapshot, rules, rereading }: Props) {
  const window = shownWindow(stage, snapshot);
  const state = useSection(live.sections.pressure, { window, rules });
  const { answer } = state;
  const picker = (
    <>
      <label className="rules-picker">
        <Term means={TERMS["what-if"]}>Same trace under another version's rules</Term>{" "}
        <select
          value={rules ?? ""}
          onChange={(event) => live.setDrawer({ rules: parseRules(event.currentTarget.value) })}
        >
          <option value="">as traced</option>
          {RULES.map((version) => (
            <option key={version} value={version}>
              {RULES_WORDS[version]}
            </option>
          ))}
        </select>
      </label>
      {rules !== null && <LabelBadge label="what-if" />}
      <SectionStatus state={state} />
    </>
  );
  if (!answer?.available) {
    return (
      <>
        <p className="tab-tools">{picker}</p>
        {answer && <AbsentSection section="pressure" reason={answer.reason} rereading={rereading} />}
      </>
    );
  }
  return (
    <>
      <p className="tab-tools">
        {picker}
        <PressureCsv psi={answer} />
      </p>
      <PressureTables psi={answer} />
    </>
  );
}

function PressureTables({ psi }: { readonly psi: PressureSection }) {
  const system = useMemo(() => systemRows(psi), [psi]);
  const span = { from: BigInt(psi.from_ns), to: BigInt(psi.to_ns) };
  const length = Number(span.to - span.from);
  const { rules_source: source, hz_source: hz } = psi;
  return (
    <div className="pressure-tab">
      <section aria-label="Pressure of the whole system">
        <GridTable columns={COLUMNS} testId="pressure-table" className="pressure-table">
          {system.rows.map((row) => (
            <SystemRow key={row.key} row={row} length={length} />
          ))}
          {system.absent.map(({ resource, reason }) => (
            <tr key={resource} className="absent">
              <td>{resource}</td>
              <td colSpan={COLUMNS.length - 1} className="muted sentence">
                {reason}
              </td>
            </tr>
          ))}
        </GridTable>
        <dl className="facts wide">
          <dt>window</dt>
          <dd className="num">{windowText(span)}</dd>
          <dt>rules</dt>
          <dd>
            {rulesText(psi)} <LabelBadge label={source.label} missing={source.missing} said />
          </dd>
          <dt title={TERMS.hz} className="term">
            HZ
          </dt>
          <dd>
            <span className="num">{psi.hz}</span> ({hz.name}){" "}
            <LabelBadge label={hz.label} missing={hz.missing} said />
          </dd>
          <dt className="term" title={TERMS.averages}>
            averages
          </dt>
          <dd data-testid="averages">
            {averagesText(psi.averages)} {psi.averages && <LabelBadge label={psi.averages.label} />}
          </dd>
          {psi.lost_us.cpu > 0 && (
            <>
              <dt className="term" title={TERMS.lostStall}>
                not counted
              </dt>
              <dd>
                <span className="num">{microText(psi.lost_us.cpu)}</span> of CPU pressure, in stretches
                shorter than a jiffy
              </dd>
            </>
          )}
          {psi.nodes.length > 1 && (
            <>
              <dt>CPU, by node</dt>
              <dd className="num">
                {psi.nodes
                  .map(
                    ({ nid, cpu_some_ns, nonidle_ns }) =>
                      `node ${nid}: ${formatDuration(cpu_some_ns)} some of ${formatDuration(nonidle_ns)} not idle`,
                  )
                  .join("; ")}
              </dd>
            </>
          )}
        </dl>
      </section>
      <Cgroups psi={psi} />
    </div>
  );
}

function SystemRow({ row, length }: { readonly row: PsiRow; readonly length: number }) {
  return (
    <tr>
      <th scope="row">
        {row.resource} <Term means={TERMS[row.line]}>{row.line}</Term>
      </th>
      <td className="num right">{microText(row.windowUs)}</td>
      <td className="num right">
        {formatPressure(row.windowUs === null ? null : (row.windowUs * 1000) / length)}
      </td>
      <td className="num right">{microText(row.sampledUs)}</td>
      <td className="num right">{row.sampledUs === null ? "–" : microText(row.replayedUs)}</td>
      <td className="num right">{errorText(row.errorPercent)}</td>
      <td className="num right">{row.tolerancePercent === null ? "–" : `± ${row.tolerancePercent} %`}</td>
      <td className={row.within === false && row.label !== "what-if" ? "cost" : ""}>{verdict(row)}</td>
      <td className="lacking">
        <LabelBadge label={row.label} missing={row.missing} said />
      </td>
    </tr>
  );
}

const CGROUP_HEAD = [
  "cgroup",
  "resource",
  "in the window",
  "sampled",
  "replayed",
  "difference",
  "verdict",
  "label",
];
const CGROUP_RIGHT: ReadonlySet<number> = new Set([2, 3, 4, 5]);

function Cgroups({ psi }: { readonly psi: PressureSection }) {
  const found = useMemo(() => cgroupRows(psi), [psi]);
  const rows = useMemo(
    () =>
      "available" in found
        ? []
        : found.map((row) => [
            row.cgroup,
            `${row.resource} ${row.line}`,
            microText(row.windowUs),
            microText(row.sampledUs),
            row.sampledUs === null ? "–" : microText(row.replayedUs),
            errorText(row.errorPercent),
            verdict(row),
            [row.label, missingText(row.missing)].filter((part) => part !== "").join(", "),
          ]),
    [found],
  );
  return (
    <section className="cgroup-pressure" aria-label="Pressure by cgroup">
      <p className="tab-tools">
        <b>By cgroup</b>
        {!("available" in found) && <span className="muted">{plural(rows.length, "row")}</span>}
      </p>
      {"available" in found ? (
        <p className="tab-empty muted" data-testid="no-cgroups">
          {found.reason} {howToRecord("cgroups")}
        </p>
      ) : (
        <VirtualTable
          label="Pressure by cgroup"
          head={CGROUP_HEAD}
          rows={rows}
          right={CGROUP_RIGHT}
          testId="cgroup-pressure"
        />
      )}
    </section>
  );
}

function PressureCsv({ psi }: { readonly psi: PressureSection }) {
  const found = cgroupRows(psi);
  const rows = [...systemRows(psi).rows, ...("available" in found ? [] : found)];
  return (
    <CsvButton
      name={`pressure-${psi.rules}`}
      head={[
        "cgroup",
        "resource",
        "line",
        "window_us",
        "sampled_us",
        "replayed_us",
        "error_percent",
        "tolerance_percent",
        "within",
        "label",
        "missing",
      ]}
      rows={rows.map((row) => [
        row.cgroup,
        row.resource,
        row.line,
        row.windowUs,
        row.sampledUs,
        row.replayedUs,
        row.errorPercent,
        row.tolerancePercent,
        row.within,
        row.label,
        row.missing.join("; "),
      ])}
    />
  );
}
