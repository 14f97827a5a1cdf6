/** The one time axis: D3's axis with ticks at round times of the trace clock, and the crosshair's time. */

import { axisBottom } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { formatAbs } from "../../lib/format.ts";
import { type RelNs, type Span, spanLength, toAbs } from "../../lib/time.ts";
import { type Ticks, tickLabel, timeTicks } from "./ticks.ts";

/** Room that a label such as 1234567.890123 needs, CSS pixels. */
const LABEL_WIDTH = 118;

/** What an axis has: of ticks that only moved nothing but the place is written. */
const drawn = new WeakMap<SVGSVGElement, { readonly ticks: Ticks; readonly width: number }>();

export function drawAxis(svg: SVGSVGElement, span: Span, width: number, origin: bigint): void {
  const ticks = timeTicks(origin, span, Math.max(2, Math.floor(width / LABEL_WIDTH)));
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
  root.selectAll<SVGTextElement, number>("g.ticks g.tick text").each(function (value) {
    const x = scale(value);
    const anchor = x < LABEL_WIDTH / 2 ? "start" : x > width - LABEL_WIDTH / 2 ? "end" : "middle";
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

/** The exact time under the pointer, as finely as one pixel can tell. */
export function crosshairText(origin: bigint, span: Span, x: number, width: number): string {
  const perPixel = spanLength(span) / Math.max(1, width);
  const decimals = Math.min(9, Math.max(3, 9 - Math.floor(Math.log10(Math.max(1, perPixel)))));
  return formatAbs(toAbs(origin, span.from + x * perPixel), decimals);
}
