/** Canvases in words, for who does not see them. */

import { formatAbs, formatCount, formatDuration, formatShare, plural } from "../../lib/format.ts";
import { type AbsNs, type Span, spanLength, toAbs } from "../../lib/time.ts";

interface NodeMean {
  readonly busy: number;
  readonly wait: number;
  readonly peak: number;
}

/** `Timeline from 12.004 s, 1.2 s long. Node 0: 97 % busy, 17.2 tasks waiting on average, 33 at most. …` */
export function lanesSummary(
  origin: AbsNs,
  view: Span,
  nodes: readonly { readonly nid: number }[],
  means: ReadonlyMap<number, NodeMean>,
): string {
  const told = nodes.map(({ nid }) => {
    const mean = means.get(nid);
    if (!mean) return `Node ${nid}: nothing known yet.`;
    const waiting = mean.wait.toFixed(mean.wait < 10 ? 2 : 1);
    return `Node ${nid}: ${formatShare(mean.busy)} busy, ${waiting} tasks waiting on average, ${formatCount(mean.peak)} at most.`;
  });
  return `Timeline from ${formatAbs(toAbs(origin, view.from), 3)} s, ${formatDuration(spanLength(view))} long. ${told.join(" ")}`;
}

/** What the strip with the whole trace shows. */
export function minimapSummary(
  origin: AbsNs,
  bounds: Span,
  view: Span,
  findings: number,
  marks: number,
): string {
  const share = Math.min(1, spanLength(view) / Math.max(1, spanLength(bounds)));
  return (
    `The whole trace, ${formatDuration(spanLength(bounds))} from ${formatAbs(toAbs(origin, bounds.from), 3)} s: ` +
    `waiting tasks above, busy CPUs by node below, with ${plural(findings, "finding")} and ${plural(marks, "mark")}. ` +
    `The window is ${formatShare(share)} of it.`
  );
}
