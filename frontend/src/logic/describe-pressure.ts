/** What a pressure lane says under the pointer. */

import type { Described } from "./describe.ts";
import { bothDurations, formatAbs, formatCount, formatPressure } from "./format.ts";
import { type PressureSeries, type Stretch, shareOf, stretchAt } from "./pressure.ts";
import { type AbsNs, type RelNs, toAbs } from "./time.ts";

const GAP_WORDS: Record<NonNullable<Stretch["gap"]>, string> = {
  before: "Sampling had not begun.",
  after: "Sampling had ended.",
  pause: "Nobody sampled in between: when in this stretch it stalled is not known.",
  reset: "A total is missing or smaller than the one before.",
};

/** @param placed how the samples came onto this clock, one sentence; null when they always were on it */
export function describePressure(
  series: PressureSeries,
  at: RelNs,
  origin: AbsNs,
  placed: string | null,
): Described | null {
  const stretch = stretchAt(series, at);
  if (!stretch) return null;
  const rows: [string, string][] = [];
  const add = (name: string, stallUs: number | null) => {
    const share = shareOf(stretch, stallUs);
    if (share !== null) rows.push([name, `${formatPressure(share)} (${formatCount(stallUs ?? 0)} µs)`]);
  };
  add("some", stretch.someUs);
  add("full", stretch.fullUs);
  if (series.cgroup !== "") rows.push(["cgroup", series.cgroup]);
  const place = (name: string, ns: RelNs) => rows.push([name, `${formatAbs(toAbs(origin, ns))} s`]);
  if (stretch.gap !== "before") place("from", stretch.from);
  if (stretch.gap !== "after") place("to", stretch.to);
  rows.push(["duration", bothDurations(stretch.to - stretch.from)]);
  const why = stretch.gap === null ? null : GAP_WORDS[stretch.gap];
  return {
    title: stretch.gap === null ? `pressure ${series.resource}` : `pressure ${series.resource}: no samples`,
    task: null,
    rows,
    label: stretch.gap === null || stretch.gap === "pause" ? "observed" : null,
    note: [why, placed].filter((part) => part !== null).join(" ") || null,
  };
}
