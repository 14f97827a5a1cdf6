/** Canvases in words, for who does not see them. */

import { formatAbs, formatDuration, formatShare, plural } from "../../lib/format.ts";
import { type AbsNs, type Span, spanLength, toAbs } from "../../lib/time.ts";
import type { Scene } from "../scene.ts";
import type { StageSnapshot } from "../stage/stage-parts.ts";

/** `Timeline from 12.004 s, 1.2 s long.` and what each panel that is shown says of itself. */
export function lanesSummary(scene: Scene, { view, panels }: Pick<StageSnapshot, "view" | "panels">): string {
  const words = panels.flatMap(({ kind, shown, hidden }) =>
    hidden ? [] : (kind.inWords?.(shown, scene) ?? []),
  );
  const window = `Timeline from ${formatAbs(toAbs(scene.origin, view.from), 3)} s, ${formatDuration(spanLength(view))} long.`;
  return [window, ...words].join(" ");
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
