/** What a pressure lane says under the pointer. */

import { bothDurations, formatAbs, formatCount, formatPressure } from "../../lib/format.ts";
import { type AbsNs, type RelNs, toAbs } from "../../lib/time.ts";
import type { Described } from "../../timeline/panel.ts";
import { type Interval, intervalAt, type PressureSeries, shareOf } from "./pressure.ts";
import type { Replay } from "./pressure-replay.ts";

const GAP_WORDS: Record<NonNullable<Interval["gap"]>, string> = {
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
  const interval = intervalAt(series, at);
  if (!interval) return null;
  const rows: [string, string][] = [];
  const add = (name: string, stallUs: number | null) => {
    const share = shareOf(interval, stallUs);
    if (share !== null) rows.push([nameOf(name, series), shareText(share, stallUs, series)]);
  };
  add("some", interval.someUs);
  add("full", interval.fullUs);
  if (series.cgroup !== "") rows.push(["cgroup", series.cgroup]);
  const place = (name: string, ns: RelNs) => rows.push([name, `${formatAbs(toAbs(origin, ns))} s`]);
  if (interval.gap !== "before") place("from", interval.from);
  if (interval.gap !== "after") place("to", interval.to);
  rows.push(["duration", bothDurations(interval.to - interval.from)]);
  if (replay) rows.push(...replayRows(replay, at));
  const why = interval.gap === null ? null : GAP_WORDS[interval.gap];
  return {
    title: interval.gap === null ? `pressure ${series.resource}` : `pressure ${series.resource}: no samples`,
    task: null,
    rows,
    label: interval.gap === null || interval.gap === "pause" ? "observed" : null,
    note: [why, placed].filter((part) => part !== null).join(" ") || null,
  };
}

/** What a lane says that only the replay draws: nothing was sampled. */
export function describeReplay(replay: Replay, at: RelNs, origin: AbsNs): Described | null {
  const rows = replayRows(replay, at);
  const interval = intervalAt(replay.series, at);
  if (!interval || rows.length === 0) return null;
  return {
    title: `pressure ${replay.series.resource}`,
    task: null,
    rows: [
      ...rows,
      ["from", `${formatAbs(toAbs(origin, interval.from))} s`],
      ["to", `${formatAbs(toAbs(origin, interval.to))} s`],
    ],
    label: replay.label,
    note: replay.missing.length > 0 ? `Lacks ${replay.missing.join(", ")}.` : null,
  };
}

function replayRows({ series, label }: Replay, at: RelNs): [string, string][] {
  const interval = intervalAt(series, at);
  if (!interval || interval.gap !== null) return [];
  const rows: [string, string][] = [];
  for (const [name, us] of [
    ["some", interval.someUs],
    ["full", interval.fullUs],
  ] as const) {
    const share = shareOf(interval, us);
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
