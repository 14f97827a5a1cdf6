import { axisBottom } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { useEffect, useRef } from "react";
import { toShown } from "../../lib/clock.ts";
import { formatAbs, timeUnit } from "../../lib/format.ts";
import { type AbsNs, type RelNs, type Span, spanLength, toAbs } from "../../lib/time.ts";

interface WindowAxisProps {
  /** Window, relative, also for the charts below. */
  readonly window: Span;
  readonly origin: bigint;
}

/** The time of charts in the drawer, whose window may be held while the timeline moves on. */
export function WindowAxis({ window, origin }: WindowAxisProps) {
  const axis = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const svg = axis.current;
    const box = svg?.parentElement;
    if (!svg || !box) return undefined;
    const draw = () => drawAxis(svg, window, box.clientWidth, origin);
    const observer = new ResizeObserver(draw);
    observer.observe(box);
    return () => observer.disconnect();
  }, [window, origin]);
  return (
    <div className="cling-axis">
      <span className="muted">the whole window{timeUnit() && ", s"}</span>
      <div className="axis">
        <svg ref={axis} aria-hidden="true">
          <title>Time axis</title>
          <g className="ticks" />
        </svg>
      </div>
    </div>
  );
}

/** The one time axis: D3's axis with ticks at round times of the trace clock, and the crosshair's time. */

/** Room that a label such as 1234567.890123 needs, CSS pixels. */
const LABEL_WIDTH = 118;

/** State of an axis: for ticks that only moved, only the position is written. */
const drawn = new WeakMap<SVGSVGElement, { readonly ticks: Ticks; readonly width: number }>();

/** Of a character of a label, and of the gap between two labels, CSS pixels. */
const CHARACTER = 6.62;
const GAP = 3;

function labelWidth(origin: bigint, span: Span, ticks: Ticks): number {
  return CHARACTER * tickLabel(origin, span.to, ticks).length;
}

/**
 * Ticks of an axis of this width, CSS pixels: lines through the charts below are at the same times. A narrow axis
 * has finer steps, as far as its labels have space, until two of them are always visible: one tick alone gives no
 * scale.
 */
export function axisTicks(origin: bigint, span: Span, width: number): Ticks {
  const count = Math.max(2, Math.floor(width / LABEL_WIDTH));
  const usual = timeTicks(origin, span, count);
  for (let more = count, ticks = usual; more <= 2 * count + 1; more += 1) {
    ticks = timeTicks(origin, span, more);
    const apart = (ticks.step / Math.max(1, spanLength(span))) * width;
    // At an edge a label leans inwards by half its width.
    if (apart < 1.5 * labelWidth(origin, span, ticks) + GAP) break;
    if (2 * ticks.step <= spanLength(span)) return ticks;
  }
  return usual;
}

export function drawAxis(svg: SVGSVGElement, span: Span, width: number, origin: bigint): void {
  const ticks = axisTicks(origin, span, width);
  const scale = scaleLinear([span.from, span.to], [0, width]);
  const before = drawn.get(svg);
  const root = select(svg);
  if (before?.width !== width) root.attr("width", width).attr("height", 22);
  if (before && sameTicks(before.ticks, ticks)) place(svg, scale);
  else {
    const axis = axisBottom(scale)
      .tickValues([...ticks.at])
      .tickSize(5)
      .tickPadding(3)
      .tickFormat((value) => tickLabel(origin, Number(value), ticks));
    root.select<SVGGElement>("g.ticks").call(axis);
  }
  drawn.set(svg, { ticks, width });
  // Labels at the very edges lean inwards instead of being cut.
  const half = labelWidth(origin, span, ticks) / 2;
  root.selectAll<SVGTextElement, number>("g.ticks g.tick text").each(function (value) {
    const x = scale(value);
    const anchor = x < half ? "start" : x > width - half ? "end" : "middle";
    if (this.getAttribute("text-anchor") !== anchor) this.setAttribute("text-anchor", anchor);
  });
}

function sameTicks(a: Ticks, b: Ticks): boolean {
  return a.step === b.step && a.at.length === b.at.length && a.at.every((t, i) => t === b.at[i]);
}

/** As D3's axis does: on simple screens half a pixel aside, so that a line is one. */
function place(svg: SVGSVGElement, scale: (t: RelNs) => number): void {
  const aside = window.devicePixelRatio > 1 ? 0 : 0.5;
  select(svg)
    .selectAll<SVGGElement, number>("g.ticks g.tick")
    .attr("transform", (value) => `translate(${scale(value) + aside},0)`);
}

/** The exact time under the pointer, at the resolution of one pixel. */
export function crosshairText(origin: bigint, span: Span, x: number, width: number): string {
  const perPixel = spanLength(span) / Math.max(1, width);
  const decimals = Math.min(9, Math.max(3, 9 - Math.floor(Math.log10(Math.max(1, perPixel)))));
  return formatAbs(toAbs(origin, span.from + x * perPixel), decimals);
}

/** Ticks of the time axis: round numbers of the shown clock, not of the distance from the origin. */

export interface Ticks {
  /** Positions, ascending, inside the span. */
  readonly at: readonly RelNs[];
  /** Distance of two ticks in ns, 1, 2 or 5 times a power of ten. */
  readonly step: number;
  /** Digits after the point of a second that distinguish two neighbours. */
  readonly decimals: number;
}

/** The smallest step of 1, 2, 5 × 10^k ns (at least 1 ns) that makes at most `count` intervals. */
export function tickStep(length: number, count: number): number {
  const raw = Math.max(1, length / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(raw));
  for (const factor of [1, 2, 5]) {
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/** Ticks at round times of the shown clock. */
export function timeTicks(zero: AbsNs, span: Span, count: number): Ticks {
  const origin = toShown(zero);
  const step = tickStep(spanLength(span), count);
  const stepBig = BigInt(Math.round(step));
  const from = origin + BigInt(Math.ceil(span.from));
  const rest = from % stepBig;
  let tick = rest === 0n ? from : from - rest + (from > 0n ? stepBig : 0n);
  const at: RelNs[] = [];
  for (let guard = 0; guard < 1000; guard += 1) {
    const rel = Number(tick - origin);
    if (rel > span.to) break;
    at.push(rel);
    tick += stepBig;
  }
  const decimals = Math.min(9, Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9)));
  return { at, step, decimals };
}

export function tickLabel(origin: AbsNs, rel: RelNs, ticks: Ticks): string {
  return formatAbs(origin + BigInt(Math.round(rel)), ticks.decimals);
}
