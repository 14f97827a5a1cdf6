/** Pressure of the whole system or a cgroup: the kernel's counts, and values from events. */

import type { TimeWindow } from "../../../api/types.ts";
import { bothDurations, formatCount, formatPressure, formatTime } from "../../../lib/format.ts";
import { placedSentence } from "../../../lib/input-words.ts";
import type { Label } from "../../../lib/terms.ts";
import { type AbsNs, type RelNs, type Span, toAbs } from "../../../lib/time.ts";
import type { LaneBox, LaneSpec } from "../../../timeline/lanes.ts";
import {
  type Described,
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelFields,
  type PanelState,
  type Picked,
  type Place,
} from "../../../timeline/panel.ts";
import {
  type Average,
  type Interval,
  intervalAt,
  type PressureMeans,
  type PressureSeries,
  pressureMeans,
  pressureScale,
  shareOf,
  USUAL_RESOURCES,
} from "./pressure.ts";
import { type PressureLane, paintPressureLane } from "./pressure-lane.ts";
import { PressureSource } from "./pressure-source.ts";
import type { Rules } from "./psi-table.ts";
import { type Replay, ReplaySource } from "./replay-source.ts";

/** State of PSI: none, samples without alignment, or samples that can be drawn. */
export type PressureState = "none" | "unplaced" | "placed";

declare module "../../../timeline/panel.ts" {
  interface PanelFields {
    /** Cgroup of the lanes; null leaves it to the page. */
    readonly cgroup: string | null;
    /** Average of the kernel to show instead of the counts. */
    readonly average: Average | null;
  }
}

export interface PressureSnapshot {
  readonly state: PressureState;
  readonly open: boolean;
  /** Empty for the whole system. */
  readonly cgroup: string;
  /** Cgroups to choose from; empty for the whole system. */
  readonly cgroups: readonly string[];
  /** null: what was counted between samples. */
  readonly average: Average | null;
  /** Share at a lane's full height. */
  readonly scale: number;
  /** By resource. */
  readonly means: ReadonlyMap<string, PressureMeans>;
  /** Labels of the lines above the areas, each once; empty while there are none. */
  readonly replayed: readonly Label[];
  /** Rules of the replay instead of the traced kernel's. */
  readonly rules: Rules | null;
  readonly loading: boolean;
  readonly tooMany: boolean;
  readonly problem: string | null;
}

/** Chosen view; null leaves it to the page. */
export interface PressureView {
  readonly cgroup: string | null;
  readonly average: Average | null;
}

const MIN = 34;
const MAX = 64;

export class PsiPanel implements Panel<PressureSnapshot> {
  readonly #context: PanelContext;
  readonly #origin: AbsNs;
  readonly #state: PressureState;
  readonly #source: PressureSource | null;
  /** The same pressure as the events give it. */
  readonly #replay: ReplaySource;
  /** True if the events allow a replay. */
  readonly #replayable: boolean;
  #resources: readonly string[];
  #scale = 0;
  #shown: PressureView = { cgroup: null, average: null };
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor(context: PanelContext) {
    const { api, id, timeline, scene, sections } = context;
    const { origin, bounds } = scene;
    const table = timeline.samples.find((samples) => samples.table === "psi");
    this.#context = context;
    this.#origin = origin;
    this.#state = !table || table.rows === 0 ? "none" : table.placed === 0 ? "unplaced" : "placed";
    // A task that ran and waited was stalled for CPUs, sampled or not; what else there was the replay says.
    this.#replayable = (timeline.event_counts["sched_switch"] ?? 0) > 0;
    this.#resources = this.#state === "placed" ? USUAL_RESOURCES : this.#replayable ? ["cpu"] : [];
    this.#layLanes();
    const fetch = async (window: TimeWindow | null, signal: AbortSignal) =>
      (await api.downloads.open(api.downloads.samples(id, "psi", "arrow", window), signal)).arrayBuffer();
    this.#source =
      table && this.#state === "placed" ? new PressureSource(fetch, table, origin, bounds) : null;
    this.#replay = new ReplaySource(sections.fetch("psi"), origin, bounds);
    if (this.#source) this.#source.onChange = () => this.#changed();
    this.#replay.onChange = () => this.#changed();
  }

  /** Replays as a kernel with these rules would count; null is the traced kernel. */
  set rules(rules: Rules | null) {
    this.#replay.rules = rules;
  }

  get state(): PanelState {
    const [state, source] = [this.#state, this.#source];
    if (source && source.problem !== null) return { kind: "failed", note: source.problem };
    if (state !== "placed") {
      const { replays, answered } = this.#replay;
      const absent = !this.#replayable || (answered && replays.length === 0);
      return { kind: absent ? "none" : answered ? "ready" : "loading", note: null };
    }
    return {
      kind: source && source.series.length === 0 && !source.answered ? "loading" : "ready",
      note: null,
    };
  }

  /** Cgroup and average that the reader chose. */
  show(shown: PressureView): void {
    this.#show(shown);
    this.#context.commit();
  }

  fields() {
    return this.#shown;
  }

  adopt({ cgroup, average }: PanelFields): void {
    this.#show({ cgroup, average });
  }

  #show(shown: PressureView): void {
    const { cgroup, average } = this.#shown;
    if (shown.cgroup === cgroup && shown.average === average) return;
    this.#shown = shown;
    this.#scale = 0;
    this.#replay.average = shown.average;
    if (this.#source) this.#source.reading = shown;
  }

  #changed(): void {
    const all = [...(this.#source?.series ?? []), ...this.#replay.replays.map(({ series }) => series)];
    // What has no samples in this interval keeps its lane: others may.
    const found = all.map(({ resource }) => resource);
    if (found.some((name) => !this.#resources.includes(name))) {
      this.#resources = [...new Set([...this.#resources, ...found])];
      this.#layLanes();
    }
    // It only ever grows, so that nothing jumps back.
    this.#scale = Math.max(this.#scale, pressureScale(all));
    this.onChange();
  }

  #layLanes(): void {
    this.lanes = this.#resources.map((resource) => ({
      key: `psi:${resource}`,
      kind: "pressure",
      title: `${resource} pressure`,
      resource,
      min: MIN,
      max: MAX,
    }));
  }

  want(view: Span): void {
    if (this.#state !== "placed" && !this.#replayable) return;
    this.#source?.want(view);
    this.#replay.want(view);
  }

  /**
   * The lanes' samples are those of the whole system, or of one cgroup; only the former has a replay next to them.
   */
  lane(resource: string): PressureLane {
    const series = this.#source?.series.find((one) => one.resource === resource) ?? null;
    const comparable = (series?.cgroup ?? this.#shown.cgroup ?? "") === "";
    return { series, replay: comparable ? this.#replayOf(resource) : null };
  }

  #replayOf(resource: string): Replay | null {
    return this.#replay.replays.find(({ series }) => series.resource === resource) ?? null;
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    paintPressureLane(laneCanvas(frame, box, top), this.lane(box.resource), frame.view, this.#scale);
  }

  pick({ box, at }: Place): Picked | null {
    const { series, replay } = this.lane(box.resource);
    const origin = this.#origin;
    const what: Described | null = series
      ? describePressure(
          series,
          at,
          origin,
          placedSentence(this.#context.inputs[series.input]?.alignment),
          replay,
        )
      : replay && describeReplay(replay, at, origin);
    return what && { what, swatch: null, outline: null, taken: null, zoom: null };
  }

  snapshot(view: Span, _width: number, open: boolean): PressureSnapshot {
    const [state, source, replay] = [this.#state, this.#source, this.#replay];
    const means = new Map<string, PressureMeans>();
    const labels = new Set<Label>();
    for (const resource of open ? this.#resources : []) {
      const lane = this.lane(resource);
      if (lane.replay) labels.add(lane.replay.label);
      const series = lane.series ?? lane.replay?.series;
      const mean = series && pressureMeans(series, view);
      if (mean) means.set(resource, mean);
    }
    return {
      state,
      open,
      cgroup: this.#shown.cgroup ?? source?.series[0]?.cgroup ?? "",
      cgroups: source?.cgroups ?? [],
      average: this.#shown.average,
      scale: this.#scale,
      means,
      replayed: [...labels],
      rules: replay.rules,
      loading: source?.loading ?? false,
      tooMany: source?.tooMany ?? false,
      problem: source?.problem ?? null,
    };
  }

  close(): void {
    this.#source?.close();
    this.#replay.close();
  }
}

// What a pressure lane says under the pointer.

const GAP_WORDS: Record<NonNullable<Interval["gap"]>, string> = {
  before: "Sampling had not started.",
  after: "Sampling had ended.",
  pause: "No sample in this time range: when the stall occurred within it is unknown.",
  reset: "A total is missing or smaller than the one before.",
};

/**
 * @param placed how the samples came onto this clock, one sentence; null when they always were on it
 * @param replay the same resource from events; null without one
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
  const place = (name: string, ns: RelNs) => rows.push([name, `${formatTime(toAbs(origin, ns))}`]);
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

/** Text of a lane that only the replay draws: nothing was sampled. */
export function describeReplay(replay: Replay, at: RelNs, origin: AbsNs): Described | null {
  const rows = replayRows(replay, at);
  const interval = intervalAt(replay.series, at);
  if (!interval || rows.length === 0) return null;
  return {
    title: `pressure ${replay.series.resource}`,
    task: null,
    rows: [
      ...rows,
      ["from", `${formatTime(toAbs(origin, interval.from))}`],
      ["to", `${formatTime(toAbs(origin, interval.to))}`],
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
