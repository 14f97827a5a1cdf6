import { useMemo } from "react";
import type { UtilisationSection, WasteSection } from "../data/types.ts";
import { mainCause } from "../logic/causes.ts";
import { formatAbs, formatDuration, formatExactNs, formatShare } from "../logic/format.ts";
import {
  heatTenths,
  imbalanceOf,
  imbalanceText,
  MOST_STEPS,
  mailTable,
  stepStarts,
  stepsCsv,
  stepsFor,
  stepText,
} from "../logic/node-table.ts";
import { windowText } from "../logic/section-words.ts";
import { TERMS } from "../logic/terms.ts";
import type { Stage } from "../view/stage.ts";
import type { StageSnapshot } from "../view/stage-parts.ts";
import { CauseBar, CauseList } from "./cause-bar.tsx";
import { CopyButton } from "./copy-button.tsx";
import { LabelBadge } from "./label-badge.tsx";
import { Residency } from "./residency.tsx";
import { AbsentSection, CsvButton, SectionStatus, Term } from "./section-parts.tsx";
import { Sparkline } from "./sparkline.tsx";
import type { Rereading } from "./use-reread.ts";
import { shownWindow, useSection } from "./use-section.ts";
import type { LiveStage } from "./use-stage.ts";

interface Props {
  readonly live: LiveStage;
  readonly stage: Stage;
  readonly snapshot: StageSnapshot;
  /** ns; null leaves it to the server. */
  readonly step: number | null;
  readonly rereading: Rereading;
}

/** How the nodes used their CPUs in the window, and what stood idle beside tasks that waited. */
export function NodesTab({ live, stage, snapshot, step, rereading }: Props) {
  const window = shownWindow(stage, snapshot);
  const length = Number(window.to - window.from);
  const steps = stepsFor(length, step);
  // The server's own step is one column of a short window: then the longest that makes a table is asked for.
  const asked = step ?? (length < 2 * SERVER_STEP ? (steps.at(-1) ?? null) : null);
  const use = useSection(live.sections.utilisation, { window, stepNs: asked });
  const waste = useSection(live.sections.waste, { window });
  const { answer } = use;
  const lost = waste.answer;
  return (
    <>
      <p className="tab-tools">
        <label>
          step{" "}
          <select
            value={step ?? ""}
            onChange={(event) => {
              const { value } = event.currentTarget;
              live.setDrawer({ step: value === "" ? null : Number(value) });
            }}
          >
            <option value="">as it fits</option>
            {steps.map((choice) => (
              <option key={choice} value={choice}>
                {stepText(choice)}
              </option>
            ))}
          </select>
        </label>
        {answer?.available && (
          <>
            <span className="muted">
              {windowText({ from: BigInt(answer.from_ns), to: BigInt(answer.to_ns) })}
            </span>
            <LabelBadge label={answer.label} missing={answer.missing} said />
            <CsvButton name="utilisation" {...stepsCsv(answer, BigInt(answer.from_ns))} />
            <span className="copy-place">
              <CopyButton
                text={mailTable(answer)}
                label="copy as text: the whole table"
                word="copy as text"
              />
            </span>
          </>
        )}
        <SectionStatus
          state={{ loading: use.loading || waste.loading, problem: use.problem ?? waste.problem }}
        />
      </p>
      {answer && !answer.available && (
        <AbsentSection section="nodes" reason={answer.reason} rereading={rereading} />
      )}
      {answer?.available && (
        <div className="nodes-tab">
          <NodeSums use={answer} waste={lost?.available ? lost : null} stage={stage} />
          <StepTable use={answer} stage={stage} />
          {lost && (lost.available ? <WasteFacts waste={lost} /> : <p className="muted">{lost.reason}</p>)}
          <Residency live={live} window={window} />
        </div>
      )}
    </>
  );
}

/** Of seed 001's table. */
const SERVER_STEP = 5e9;

interface PartProps {
  readonly use: UtilisationSection;
  readonly stage: Stage;
}

function NodeSums({ use, waste, stage }: PartProps & { readonly waste: WasteSection | null }) {
  const { depth } = use;
  const most = Math.max(1, ...depth.nodes.flatMap(({ max }) => max));
  return (
    <section aria-label="Sums by node">
      <table className="node-table node-sums" data-testid="node-sums">
        <thead>
          <tr>
            <th scope="col">node</th>
            <th scope="col">busy</th>
            <th scope="col">idle</th>
            <th scope="col" title={TERMS.notKnown}>
              not known
            </th>
            <th scope="col" title={TERMS.waste}>
              wasted
            </th>
            <th scope="col" className="words">
              mostly
            </th>
            <th scope="col" title={`${TERMS.depth} Solid: mean, faint: most; full height is ${most}.`}>
              waiting, up to {most}
            </th>
          </tr>
        </thead>
        <tbody>
          {use.nodes.map((node) => {
            const whole = node.busy_ns + node.idle_ns + node.unknown_ns;
            const spark = depth.nodes.find(({ nid }) => nid === node.nid);
            const lost = waste?.per_node.find(({ nid }) => nid === node.nid);
            const peak = Math.max(0, ...(spark?.max ?? []));
            return (
              <tr key={node.nid}>
                <th scope="row">
                  <span className="swatch" style={{ backgroundColor: stage.nodeColour(node.nid) }} />
                  {node.nid}
                </th>
                <Amount ns={node.busy_ns} whole={whole} />
                <Amount ns={node.idle_ns} whole={whole} />
                <Amount ns={node.unknown_ns} whole={whole} />
                <td className={lost && lost.cpu_ns > 0 ? "cost" : ""} title={exact(lost?.cpu_ns)}>
                  {lost ? formatDuration(lost.cpu_ns) : "–"}
                </td>
                <td className="words">{lost ? mainCause(lost.causes) : ""}</td>
                <td className="spark-cell">
                  {spark && (
                    <Sparkline
                      mean={spark.mean}
                      max={spark.max}
                      most={most}
                      says={`Tasks waiting on node ${node.nid} over the window, at most ${peak}`}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function exact(ns: number | undefined): string {
  return ns === undefined ? "" : formatExactNs(ns);
}

function Amount({ ns, whole }: { readonly ns: number; readonly whole: number }) {
  return (
    <td title={formatExactNs(ns)}>
      {formatDuration(ns)} <span className="muted">{formatShare(ns / whole)}</span>
    </td>
  );
}

function StepTable({ use, stage }: PartProps) {
  const starts = useMemo(() => stepStarts(use, BigInt(use.from_ns)).slice(0, MOST_STEPS), [use]);
  const spread = imbalanceOf(use);
  const count = Math.max(0, ...use.nodes.map(({ percent }) => percent.length));
  return (
    <section className="step-table" aria-label="Utilisation by step">
      <h3>
        <Term means={TERMS.utilisation}>Utilisation over time in per cent</Term>, steps of{" "}
        {stepText(use.step_ns)}
        {count > MOST_STEPS && ` (the first ${MOST_STEPS} of ${count}; CSV has all)`}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section className="step-scroll" tabIndex={0} aria-label="Utilisation of each node in each step">
        <table className="heat-table" data-testid="utilisation-table">
          <thead>
            <tr>
              <th scope="col">node</th>
              <th scope="col" title="Mean over the window">
                AVR
              </th>
              {starts.map((start) => (
                <th key={String(start)} scope="col" title={`from ${formatAbs(start)} s`}>
                  {formatAbs(start, use.step_ns < 1e9 ? 2 : 0)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {use.nodes.map((node) => (
              <tr key={node.nid}>
                <th scope="row">
                  <span className="swatch" style={{ backgroundColor: stage.nodeColour(node.nid) }} />
                  {node.nid}
                </th>
                <td className="average">{node.average}</td>
                {starts.map((start, i) => (
                  <td key={String(start)} className={`heat-${heatTenths(node.percent[i] ?? 0)}`}>
                    {node.percent[i] ?? ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {spread && (
        <p className="muted" data-testid="imbalance" title={TERMS.imbalance}>
          {imbalanceText(spread)}
        </p>
      )}
    </section>
  );
}

function WasteFacts({ waste }: { readonly waste: WasteSection }) {
  const { affine_cpu_seconds: affine } = waste;
  return (
    <section className="waste-facts" aria-label="CPU time wasted">
      <h3>
        <Term means={TERMS.waste}>CPUs idle beside waiting tasks</Term>{" "}
        <LabelBadge label={waste.label} missing={waste.missing} said />
      </h3>
      {waste.cpu_ns === 0 ? (
        <p className="muted">None in this window: no CPU stood idle while a task waited on another.</p>
      ) : (
        <>
          <CauseBar causes={waste.causes} />
          <CauseList causes={waste.causes} testId="waste-causes" sum="CPU time wasted" />
        </>
      )}
      {affine !== null && (
        <p className="muted" title={TERMS.affine}>
          {formatDuration(Math.round(affine * 1e9))} of it beside tasks that were allowed on the idle CPU.
        </p>
      )}
    </section>
  );
}
