import { useCallback, useMemo } from "react";
import type { DrawerView, TabProps } from "../../../../analysis/tab.ts";
import { shownWindow, useSection } from "../../../../analysis/use-section.ts";
import type { UtilisationSection, WasteSection } from "../../../../api/types.ts";
import { formatAbs, formatDuration, formatExactNs, formatShare, formatTime } from "../../../../lib/format.ts";
import { asSentence, TERMS, windowText } from "../../../../lib/terms.ts";
import type { Stage } from "../../../../timeline/stage/stage.ts";
import { CauseBar, CauseList } from "../../../../ui/canvas/cause-bar.tsx";
import { CopyButton } from "../../../../ui/copy-button.tsx";
import { InlineSelect } from "../../../../ui/fields.tsx";
import { PictureButtons } from "../../../../ui/picture/picture-buttons.tsx";
import { AbsentSection, HeldWindow, LabelBadge, SectionStatus, Term } from "../../../../ui/section-parts.tsx";
import { DataGrid } from "../../../../ui/table/data-grid.tsx";
import { VirtualTable } from "../../../../ui/table/virtual-table.tsx";
import {
  heatClass,
  imbalanceOf,
  imbalanceText,
  isDark,
  MOST_STEPS,
  mailTable,
  modesText,
  nodeSumTable,
  stepChoices,
  stepStarts,
  stepsFor,
  stepTable,
} from "./node-table.ts";
import "./nodes.css";
import { beginFrame, type Paint, type Surface, useCanvas } from "../../../../ui/canvas/surface.ts";
import "../../../../ui/canvas/canvas.css";

export const view: DrawerView = {
  id: "nodes",
  title: "Nodes",
  Body: NodesTab,
};

/** CPU use of the nodes in the window, and idle CPUs next to waiting tasks. */
function NodesTab({ live, snapshot, drawer }: TabProps) {
  const { stage } = live;
  const { step, held } = drawer;
  const window = held ?? shownWindow(stage, snapshot);
  const length = Number(window.to - window.from);
  const steps = stepsFor(length, step);
  // The server's own step is one column of a short window: then the longest that makes a table is requested.
  const wanted = step ?? (length < 2 * SERVER_STEP ? (steps.at(-1) ?? null) : null);
  const use = useSection(live.section("utilisation"), { window, stepNs: wanted });
  const waste = useSection(live.section("waste"), { window });
  const { answer } = use;
  const lost = waste.answer;
  return (
    <>
      <p className="tab-tools">
        <InlineSelect
          label="step"
          value={String(step ?? "")}
          choices={stepChoices(steps)}
          onChoose={(value) => live.setDrawer({ step: value === "" ? null : Number(value) })}
        />
        {held && <HeldWindow window={held} onFollow={() => live.hold(null)} />}
        {answer?.available && (
          <>
            <span className="muted">
              {windowText({ from: BigInt(answer.from_ns), to: BigInt(answer.to_ns) })}
            </span>
            <LabelBadge label={answer.label} missing={answer.missing} said />
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
      {answer && !answer.available && <AbsentSection section="nodes" reason={answer.reason} />}
      {answer?.available && (
        <div className="nodes-tab">
          <NodeSums use={answer} waste={lost?.available ? lost : null} stage={stage} />
          <StepTable use={answer} stage={stage} />
          {lost &&
            (lost.available ? (
              <WasteFacts waste={lost} />
            ) : (
              <p className="muted">{asSentence(lost.reason)}</p>
            ))}
        </div>
      )}
    </>
  );
}

/** Of the per-node table. */
const SERVER_STEP = 5e9;

interface PartProps {
  readonly use: UtilisationSection;
  readonly stage: Stage;
}

function NodeSums({ use, waste, stage }: PartProps & { readonly waste: WasteSection | null }) {
  const { depth } = use;
  const most = Math.max(1, ...depth.nodes.flatMap(({ max }) => max));
  const table = useMemo(() => nodeSumTable(use, waste), [use, waste]);
  return (
    <section aria-label="Aggregate by node">
      <DataGrid
        label="Aggregate by node"
        table={table}
        name="node-sums"
        testId="node-sums"
        className="node-sums"
        cell={(row, column) => {
          const node = use.nodes[row];
          if (!node) return undefined;
          const whole = node.busy_ns + node.idle_ns + node.unknown_ns;
          if (column === 0) {
            return (
              <>
                <span className="swatch" style={{ backgroundColor: stage.nodeColour(node.nid) }} />
                {node.nid}
              </>
            );
          }
          if (isDark(node) && column !== 3) return undefined;
          if (column === 1) return <Amount ns={node.busy_ns} whole={whole} />;
          if (column === 2) return <Amount ns={node.idle_ns} whole={whole} />;
          if (column === 3) return <Amount ns={node.unknown_ns} whole={whole} />;
          if (column !== SPARK) return undefined;
          const spark = depth.nodes.find(({ nid }) => nid === node.nid);
          const peak = Math.max(0, ...(spark?.max ?? []));
          return (
            spark && (
              <Sparkline
                mean={spark.mean}
                max={spark.max}
                most={most}
                says={`Tasks waiting on node ${node.nid} over the window, at most ${peak}`}
              />
            )
          );
        }}
        cellClass={(row, column) =>
          column === SPARK
            ? "spark-cell"
            : column === WASTED &&
                (waste?.per_node.find(({ nid }) => nid === use.nodes[row]?.nid)?.cpu_ns ?? 0) > 0
              ? "cost"
              : ""
        }
      />
    </section>
  );
}

/** Columns of the table of nodes. */
const WASTED = 4;
const SPARK = 6;

function Amount({ ns, whole }: { readonly ns: number; readonly whole: number }) {
  return (
    <span title={formatExactNs(ns)}>
      {formatDuration(ns)} <span className="muted">{formatShare(ns / whole)}</span>
    </span>
  );
}

function StepTable({ use, stage }: PartProps) {
  const starts = useMemo(() => stepStarts(use, BigInt(use.from_ns)).slice(0, MOST_STEPS), [use]);
  const spread = imbalanceOf(use);
  const rows = useMemo(() => stepTable(use, BigInt(use.from_ns)), [use]);
  const count = Math.max(0, ...use.nodes.map(({ percent }) => percent.length));
  return (
    <section className="step-table" aria-label="Utilisation by step" data-picture>
      <h3>
        <Term means={TERMS.utilisation}>Utilisation over time in percent</Term>, steps of{" "}
        {formatDuration(use.step_ns)}
        {count > MOST_STEPS && ` (the first ${MOST_STEPS} of ${count}; CSV has all)`}{" "}
        <PictureButtons name="utilisation" title="Utilisation of each node over time in percent" />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section className="step-scroll" tabIndex={0} aria-label="Utilisation of each node in each step">
        <table className="heat-table" data-testid="utilisation-table">
          <thead>
            <tr>
              <th scope="col">node</th>
              <th scope="col" title="Mean over the window">
                avg
              </th>
              {starts.map((start) => (
                <th key={String(start)} scope="col" title={`from ${formatTime(start)}`}>
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
                <td className="average">{node.average ?? "–"}</td>
                {starts.map((start, i) => (
                  <td key={String(start)} className={heatClass(node.percent[i])}>
                    {node.percent[i] ?? "–"}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <details className="step-rows">
        <summary>Step by step, to sort, filter and save</summary>
        <VirtualTable
          label="Utilisation step by step"
          table={rows}
          name="utilisation"
          testId="step-rows"
          upTo={STEP_ROWS_HEIGHT}
        />
      </details>
      {spread && (
        <p className="muted" data-testid="imbalance" title={TERMS.imbalance}>
          {imbalanceText(spread)}
        </p>
      )}
      {use.modes && (
        <p className="muted" data-testid="modes">
          {modesText(use.modes)} <LabelBadge label={use.modes.label} missing={[]} />
        </p>
      )}
    </section>
  );
}

/** CSS pixels. */
const STEP_ROWS_HEIGHT = 220;

function WasteFacts({ waste }: { readonly waste: WasteSection }) {
  const { affine_cpu_seconds: affine } = waste;
  return (
    <section className="waste-facts" aria-label="CPU time wasted">
      <h3>
        <Term means={TERMS.waste}>Idle CPUs while tasks wait</Term>{" "}
        <LabelBadge label={waste.label} missing={waste.missing} said />
      </h3>
      {waste.cpu_ns === 0 ? (
        <p className="muted">None in this window: no CPU was idle while a task waited on another.</p>
      ) : (
        <>
          <CauseBar causes={waste.causes} />
          <CauseList causes={waste.causes} testId="waste-causes" sum="CPU time wasted" />
        </>
      )}
      {affine !== null && (
        <p className="muted" title={TERMS.affine}>
          {formatDuration(Math.round(affine * 1e9))} while the idle CPU was within the affinity of waiting
          tasks.
        </p>
      )}
    </section>
  );
}

interface Props extends Spark {
  /** The text for a reader who does not see it. */
  readonly says: string;
}

export function Sparkline({ mean, max, most, says }: Props) {
  const paint = useCallback<Paint>(
    (surface, palette) => paintSparkline(surface, { mean, max, most }, palette.cost, palette.costSoft),
    [mean, max, most],
  );
  const canvas = useCanvas(paint, 0);
  return <canvas ref={canvas} className="sparkline" role="img" aria-label={says} />;
}

export interface Spark {
  readonly mean: readonly number[];
  readonly max: readonly number[];
  /** Value at full height, the same for all charts below each other. */
  readonly most: number;
}

export function paintSparkline(
  surface: Surface,
  { mean, max, most }: Spark,
  solid: string,
  soft: string,
): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const count = Math.max(1, mean.length);
  const step = width / count;
  const bars = (values: readonly number[], fill: string) => {
    ctx.fillStyle = fill;
    for (const [i, value] of values.entries()) {
      if (value <= 0) continue;
      const tall = Math.max(1, Math.min(height, (value / Math.max(most, 1e-9)) * height));
      ctx.fillRect(i * step, height - tall, Math.max(1, step), tall);
    }
  };
  bars(max, soft);
  bars(mean, solid);
}
