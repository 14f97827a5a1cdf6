/** The one time axis: D3's axis with ticks at round times of the trace clock, and the crosshair's time. */

import { axisBottom } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { formatAbs } from "../logic/format.ts";
import { tickLabel, timeTicks } from "../logic/ticks.ts";
import { type Span, spanLength, toAbs } from "../logic/time.ts";

/** Room that a label such as 1234567.890123 needs, CSS pixels. */
const LABEL_WIDTH = 118;

export function drawAxis(svg: SVGSVGElement, span: Span, width: number, origin: bigint): void {
  const ticks = timeTicks(origin, span, Math.max(2, Math.floor(width / LABEL_WIDTH)));
  const scale = scaleLinear([span.from, span.to], [0, width]);
  const axis = axisBottom(scale)
    .tickValues([...ticks.at])
    .tickSize(5)
    .tickPadding(3)
    .tickFormat((value) => tickLabel(origin, Number(value), ticks));
  const root = select(svg).attr("width", width).attr("height", 22);
  root.select<SVGGElement>("g.ticks").call(axis);
  // Labels at the very edges lean inwards instead of being cut.
  root.selectAll<SVGGElement, number>("g.ticks g.tick").each(function (value) {
    const x = scale(value);
    const anchor = x < LABEL_WIDTH / 2 ? "start" : x > width - LABEL_WIDTH / 2 ? "end" : "middle";
    select(this).select("text").attr("text-anchor", anchor);
  });
}

/** The exact time under the pointer, as finely as one pixel can tell. */
export function crosshairText(origin: bigint, span: Span, x: number, width: number): string {
  const perPixel = spanLength(span) / Math.max(1, width);
  const decimals = Math.min(9, Math.max(3, 9 - Math.floor(Math.log10(Math.max(1, perPixel)))));
  return formatAbs(toAbs(origin, span.from + x * perPixel), decimals);
}
