/** What a pressure lane says under the pointer. */

import { bothDurations, formatAbs, formatCount, formatPressure } from "../../lib/format.ts";
import { type AbsNs, type RelNs, toAbs } from "../../lib/time.ts";
import type { Described } from "../../timeline/panel.ts";
import { type PressureSeries, type Stretch, shareOf, stretchAt } from "./pressure.ts";
import type { Replay } from "./pressure-replay.ts";

const GAP_WORDS: Record<NonNullable<Stretch["gap"]>, string> = {
  before: "Sampling had not begun.",
  after: "Sampling had ended.",
  pause: "Nobody sampled in between: when in this stretch it stalled is not known.",
  reset: "A total is missing or smaller than the one before.",
};

/**
 * @param placed how the samples came onto this clock, one sentence; null when they always were on it
 * @param replay the same resource as the events tell it; null without one
 */
export function describePressure(
  series: PressureSeries,
  at: RelNs,
  origin: AbsNs,
  placed: string | null,
  replay: Replay | null = null,
): Described | null {
  const stretch = stretchAt(series, at);
  if (!stretch) return null;
  const rows: [string, string][] = [];
  const add = (name: string, stallUs: number | null) => {
    const share = shareOf(stretch, stallUs);
    if (share !== null) rows.push([nameOf(name, series), shareText(share, stallUs, series)]);
  };
  add("some", stretch.someUs);
  add("full", stretch.fullUs);
  if (series.cgroup !== "") rows.push(["cgroup", series.cgroup]);
  const place = (name: string, ns: RelNs) => rows.push([name, `${formatAbs(toAbs(origin, ns))} s`]);
  if (stretch.gap !== "before") place("from", stretch.from);
  if (stretch.gap !== "after") place("to", stretch.to);
  rows.push(["duration", bothDurations(stretch.to - stretch.from)]);
  if (replay) rows.push(...replayRows(replay, at));
  const why = stretch.gap === null ? null : GAP_WORDS[stretch.gap];
  return {
    title: stretch.gap === null ? `pressure ${series.resource}` : `pressure ${series.resource}: no samples`,
    task: null,
    rows,
    label: stretch.gap === null || stretch.gap === "pause" ? "observed" : null,
    note: [why, placed].filter((part) => part !== null).join(" ") || null,
  };
}

/** What a lane says that only the replay draws: nothing was sampled. */
export function describeReplay(replay: Replay, at: RelNs, origin: AbsNs): Described | null {
  const rows = replayRows(replay, at);
  const stretch = stretchAt(replay.series, at);
  if (!stretch || rows.length === 0) return null;
  return {
    title: `pressure ${replay.series.resource}`,
    task: null,
    rows: [
      ...rows,
      ["from", `${formatAbs(toAbs(origin, stretch.from))} s`],
      ["to", `${formatAbs(toAbs(origin, stretch.to))} s`],
    ],
    label: replay.label,
    note: replay.missing.length > 0 ? `Lacks ${replay.missing.join(", ")}.` : null,
  };
}

function replayRows({ series, label }: Replay, at: RelNs): [string, string][] {
  const stretch = stretchAt(series, at);
  if (!stretch || stretch.gap !== null) return [];
  const rows: [string, string][] = [];
  for (const [name, us] of [
    ["some", stretch.someUs],
    ["full", stretch.fullUs],
  ] as const) {
    const share = shareOf(stretch, us);
    if (share !== null) rows.push([`${nameOf(name, series)}, ${label}`, shareText(share, us, series)]);
  }
  return rows;
}

function nameOf(name: string, { average }: PressureSeries): string {
  return average === null ? name : `${name} avg${average}`;
}

/** An average was read as it is: no stall time belongs to it. */
function shareText(share: number, stallUs: number | null, { average }: PressureSeries): string {
  const text = formatPressure(share);
  return average === null ? `${text} (${formatCount(stallUs ?? 0)} µs)` : text;
}
