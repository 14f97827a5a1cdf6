import { scaleLinear, scaleLog } from "d3-scale";
import { type PointerEvent, useCallback, useMemo, useState } from "react";
import type { Comparison } from "../../api/types.ts";
import { formatCount, formatDuration } from "../../lib/format.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import { fillFaint, paintTicks, setText, strokeLine, type Tick } from "../../ui/canvas/pen.ts";
import { beginFrame, type Paint, type Surface, useCanvas } from "../../ui/canvas/surface.ts";
import { PictureButtons } from "../../ui/picture/picture-buttons.tsx";
import { CsvButton, LabelBadge, ToggleGroup } from "../../ui/section-parts.tsx";
import type { CompareState } from "./compare-state.ts";
import { binsCsv, waitsSay } from "./compare-table.ts";

interface Props {
  readonly comparison: Comparison;
  readonly state: CompareState;
  readonly colours: readonly string[];
  readonly onChange: (state: CompareState) => void;
}

const CURVE_WORDS = { bins: "by length", sum: "up to a length" } as const;

/** Waits after wakeups by length, all analyses over each other. */
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
    <section aria-label="Wakeup waits by length" className="compare-section" data-picture>
      <h2>Wakeup waits by length</h2>
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

// Waits by length, several over each other on one logarithmic axis.

export interface WaitCurve {
  /** Label, at its highest place. */
  readonly key: string;
  readonly colour: string;
  /** Filled, behind the others. */
  readonly base: boolean;
  /** By bin, percent. */
  readonly percent: readonly number[];
}

export interface WaitChart {
  /** Upper edges of all bins but the last, ns. */
  readonly edges: readonly number[];
  readonly curves: readonly WaitCurve[];
  /** True for steps that climb to 100, instead of bins. */
  readonly climbing: boolean;
}

const LEFT = 46;
const RIGHT = 14;
const TOP = 14;
const BOTTOM = 26;

/** First and last bin with anything in it, one more on each side. */
export function usedBins(curves: readonly WaitCurve[], climbing: boolean, count: number): [number, number] {
  const some = (bin: number) =>
    curves.some(({ percent }) => {
      const here = percent[bin] ?? 0;
      return climbing ? here > (percent[bin - 1] ?? 0) : here > 0;
    });
  let first = 0;
  while (first < count - 1 && !some(first)) first += 1;
  let last = count - 1;
  while (last > first && !some(last)) last -= 1;
  return [Math.max(0, first - 1), Math.min(count - 1, last + 1)];
}

function scalesOf({ edges, curves, climbing }: WaitChart, width: number, height: number) {
  const [first, last] = usedBins(curves, climbing, edges.length + 1);
  const lower = (bin: number) => edges[bin - 1] ?? (edges[0] ?? 1) / 1.26;
  const x = scaleLog()
    .domain([lower(first), Math.max(lower(last + 1), lower(first) * 2)])
    .range([LEFT, Math.max(LEFT + 1, width - RIGHT)]);
  const most = climbing ? 100 : Math.max(1e-9, ...curves.flatMap(({ percent }) => percent));
  const y = scaleLinear()
    .domain([0, most])
    .nice(4)
    .range([height - BOTTOM, TOP]);
  return { first, last, lower, x, y };
}

/** The bin under a CSS pixel; null outside of the axis. */
export function binAt(chart: WaitChart, width: number, at: number): number | null {
  const { x, first, last, lower } = scalesOf(chart, width, 100);
  const ns = x.invert(at);
  for (let bin = first; bin <= last; bin += 1) {
    if (ns >= lower(bin) && ns < lower(bin + 1)) return bin;
  }
  return null;
}

export function paintWaits(surface: Surface, chart: WaitChart, bin: number | null, palette: Palette): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const { first, last, lower, x, y } = scalesOf(chart, width, height);
  paintGrid(ctx, palette, x, y, width, height);
  if (bin !== null && bin >= first && bin <= last) {
    ctx.fillStyle = palette.beyond;
    ctx.fillRect(x(lower(bin)), TOP, x(lower(bin + 1)) - x(lower(bin)), height - BOTTOM - TOP);
  }
  // The base lies behind.
  for (const curve of [...chart.curves].sort((a, b) => Number(b.base) - Number(a.base))) {
    ctx.beginPath();
    ctx.moveTo(x(lower(first)), y(0));
    for (let here = first; here <= last; here += 1) {
      const top = y(curve.percent[here] ?? 0);
      ctx.lineTo(x(lower(here)), top);
      ctx.lineTo(x(lower(here + 1)), top);
    }
    if (!chart.climbing) ctx.lineTo(x(lower(last + 1)), y(0));
    ctx.strokeStyle = curve.colour;
    ctx.lineWidth = 1.75;
    ctx.stroke();
    ctx.lineWidth = 1;
    if (curve.base && !chart.climbing) {
      ctx.globalAlpha = 0.16;
      ctx.fillStyle = curve.colour;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
  }
  for (const [place, curve] of chart.curves.entries()) {
    paintKey(ctx, curve, chart, place, palette, { x, y, lower, first, last });
  }
}

type Scales = ReturnType<typeof scalesOf>;

function paintGrid(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  x: Scales["x"],
  y: Scales["y"],
  width: number,
  height: number,
): void {
  setText(ctx, `11px ${palette.font}`, palette.muted, "right");
  ctx.strokeStyle = palette.line;
  for (const tick of y.ticks(4)) {
    const at = Math.round(y(tick)) + 0.5;
    strokeLine(ctx, LEFT, at, width - RIGHT, at);
    ctx.fillText(`${tick} %`, LEFT - 6, at);
  }
  const [from = 1, to = 1] = x.domain();
  const decades: Tick[] = [];
  for (let decade = 10 ** Math.ceil(Math.log10(from) - 1e-9); decade <= to * 1.001; decade *= 10) {
    decades.push({ at: x(decade), words: formatDuration(decade) });
  }
  paintTicks(ctx, palette, decades, height - BOTTOM, [LEFT + 12, width - 22], 7);
}

/** The letter at the curve's peak, on the ground so that it can be read over other curves. */
function paintKey(
  ctx: CanvasRenderingContext2D,
  curve: WaitCurve,
  { climbing, curves }: WaitChart,
  place: number,
  palette: Palette,
  { x, y, lower, first, last }: Pick<Scales, "x" | "y" | "lower" | "first" | "last">,
): void {
  let peak = first;
  for (let bin = first; bin <= last; bin += 1) {
    if (climbing) {
      // Spread along the climb, so that letters do not lie on each other.
      const wanted = 25 + (50 * (place + 0.5)) / curves.length;
      if ((curve.percent[bin] ?? 0) <= wanted) peak = bin;
    } else if ((curve.percent[bin] ?? 0) > (curve.percent[peak] ?? 0)) peak = bin;
  }
  const middle = Math.sqrt(lower(peak) * lower(peak + 1));
  const [at, top] = [x(middle), y(curve.percent[peak] ?? 0) - (climbing ? 0 : 8)];
  setText(ctx, `600 11px ${palette.font}`, palette.ground, "center");
  const wide = ctx.measureText(curve.key).width + 6;
  fillFaint(ctx, palette.ground, 0.85, [at - wide / 2, top - 7, wide, 14]);
  ctx.fillStyle = curve.colour;
  ctx.fillText(curve.key, at, top);
}
