import { type PointerEvent, useCallback, useMemo, useState } from "react";
import type { Comparison } from "../../api/types.ts";
import { formatCount, formatDuration } from "../../lib/format.ts";
import { type Paint, useCanvas } from "../../ui/canvas/use-canvas.ts";
import { PictureButtons } from "../../ui/picture/picture-buttons.tsx";
import { CsvButton, LabelBadge, ToggleGroup } from "../../ui/section-parts.tsx";
import type { CompareState } from "./compare-state.ts";
import { binsCsv, waitsSay } from "./compare-table.ts";
import { binAt, paintWaits, type WaitChart } from "./wait-histogram.ts";

interface Props {
  readonly comparison: Comparison;
  readonly state: CompareState;
  readonly colours: readonly string[];
  readonly onChange: (state: CompareState) => void;
}

const CURVE_WORDS = { bins: "by length", sum: "up to a length" } as const;

/** How long tasks waited after wake-ups, all analyses over each other. */
export function CompareWaits({ comparison, state, colours, onChange }: Props) {
  const [bin, setBin] = useState<number | null>(null);
  const climbing = state.curve === "sum";
  const chart = useMemo(() => waitChart(comparison, climbing, colours), [comparison, climbing, colours]);
  const paint = useCallback<Paint>(
    (surface, palette) => paintWaits(surface, chart, bin, palette),
    [chart, bin],
  );
  const canvas = useCanvas(paint, 0);
  const move = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    setBin(binAt(chart, box.width, event.clientX - box.left));
  };
  const absent = comparison.latency.analyses.flatMap((part, at) =>
    part.available ? [] : [`${comparison.analyses[at]?.key}: ${part.reason}`],
  );
  return (
    <section aria-label="Wake-up waits by length" className="compare-section" data-picture>
      <h2>Wake-up waits by length</h2>
      <p className="tab-tools">
        <ToggleGroup
          label="Waits"
          choices={["bins", "sum"]}
          chosen={state.curve}
          words={CURVE_WORDS}
          onChoose={(curve) => onChange({ ...state, curve })}
        />
        <CsvButton name="compare-waits" {...binsCsv(comparison)} />
        <PictureButtons name="compare-waits" title={waitsSay(comparison)} />
        <span className="compare-legend">
          {comparison.latency.analyses.map((part, at) => {
            const analysis = comparison.analyses[at];
            if (!part.available || !analysis) return null;
            return (
              <span key={analysis.key}>
                <span className="swatch" style={{ backgroundColor: colours[analysis.side] }} />
                {analysis.key}: {formatCount(part.wakeups)}{" "}
                <LabelBadge label={part.label} missing={part.missing} />
              </span>
            );
          })}
        </span>
      </p>
      {absent.map((sentence) => (
        <p key={sentence} className="muted">
          {sentence}
        </p>
      ))}
      {chart.curves.length > 0 && (
        <>
          <canvas
            ref={canvas}
            className="compare-canvas compare-waits"
            data-testid="wait-histogram"
            role="img"
            aria-label={waitsSay(comparison)}
            onPointerMove={move}
            onPointerLeave={() => setBin(null)}
          />
          <p className="compare-readout muted">{bin === null ? "" : binText(comparison, bin)}</p>
        </>
      )}
    </section>
  );
}

function waitChart(
  { analyses, base, latency }: Comparison,
  climbing: boolean,
  colours: readonly string[],
): WaitChart {
  const curves = latency.analyses.flatMap((part, at) => {
    const analysis = analyses[at];
    if (!part.available || !analysis) return [];
    const { key, side } = analysis;
    const percent = climbing ? part.at_most_percent : part.percent;
    return [{ key, colour: colours[side] ?? "#808080", base: side === base, percent }];
  });
  return { edges: latency.edges_ns, climbing, curves };
}

function binText(comparison: Comparison, bin: number): string {
  const edges = comparison.latency.edges_ns;
  const [from, to] = [edges[bin - 1], edges[bin]];
  const where =
    to === undefined
      ? `${formatDuration(from ?? 0)} and longer`
      : `${formatDuration(from ?? 0)} – ${formatDuration(to)}`;
  const parts = comparison.latency.analyses.flatMap((part, at) =>
    part.available
      ? [
          `${comparison.analyses[at]?.key} ${formatCount(part.counts[bin] ?? 0)} (${(part.percent[bin] ?? 0).toFixed(2)} %, ${(part.at_most_percent[bin] ?? 0).toFixed(2)} % up to here)`,
        ]
      : [],
  );
  return `${where}: ${parts.join("; ")}`;
}
