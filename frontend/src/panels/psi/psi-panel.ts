/** Pressure: what the kernel counted, and what the events tell of it; the whole system's or a cgroup's. */

import type { TimeWindow } from "../../api/window.ts";
import { placedSentence } from "../../lib/input-words.ts";
import type { Label } from "../../lib/section-words.ts";
import type { AbsNs, Span } from "../../lib/time.ts";
import type { LaneBox, LaneSpec } from "../../timeline/lanes.ts";
import type { Described } from "../../timeline/panel.ts";
import {
  type Frame,
  lanePlace,
  type Panel,
  type PanelContext,
  type PanelFields,
  type PanelState,
  type Picked,
  type Place,
} from "../../timeline/panel.ts";
import { describePressure, describeReplay } from "./describe-pressure.ts";
import {
  type Average,
  type PressureMeans,
  pressureMeans,
  pressureScale,
  USUAL_RESOURCES,
} from "./pressure.ts";
import { type PressureLane, paintPressureLane } from "./pressure-lane.ts";
import type { Replay } from "./pressure-replay.ts";
import { PressureSource } from "./pressure-source.ts";
import type { Rules } from "./psi-table.ts";
import { ReplaySource } from "./replay-source.ts";

/** What there is of PSI: nothing, samples without a place in time, or samples that can be drawn. */
export type PressureState = "none" | "unplaced" | "placed";

declare module "../../timeline/panel.ts" {
  interface PanelFields {
    /** Whether the pressure lanes are shown; null leaves it to the page. */
    readonly pressure: boolean | null;
    /** Whose pressure the lanes show; null leaves it to the page. */
    readonly cgroup: string | null;
    /** Which of the kernel's averages they show in place of what was counted. */
    readonly average: Average | null;
  }
}

/** What React shows of it. */
export interface PressureSnapshot {
  readonly state: PressureState;
  readonly open: boolean;
  /** Empty for the whole system. */
  readonly cgroup: string;
  /** Those that can be chosen; empty for the whole system. */
  readonly cgroups: readonly string[];
  /** null: what was counted between samples. */
  readonly average: Average | null;
  /** Share at a lane's full height. */
  readonly scale: number;
  /** By resource. */
  readonly means: ReadonlyMap<string, PressureMeans>;
  /** What the lines above the areas are, each label once; empty while there are none. */
  readonly replayed: readonly Label[];
  /** Whose rules the replay goes by in place of the traced kernel's. */
  readonly rules: Rules | null;
  readonly loading: boolean;
  readonly tooMany: boolean;
  readonly problem: string | null;
}

/** What of it is shown; null leaves it to the page. */
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
  /** Samples that can be drawn. */
  readonly #source: PressureSource | null;
  /** The same pressure as the events give it. */
  readonly #replay: ReplaySource;
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
    this.#resources = this.#state === "placed" ? USUAL_RESOURCES : [];
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
    if (state !== "placed") return { kind: "none", note: null };
    return {
      kind: source && source.series.length === 0 && !source.answered ? "loading" : "ready",
      note: null,
    };
  }

  /** Whose pressure, and which reading of it, as the reader chose. */
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

  want(view: Span, lanes: readonly LaneBox[]): void {
    // Without samples nothing is laid out before the replay says what there is.
    if (this.#state !== "placed" && !lanes.some(({ open }) => open)) return;
    this.#source?.want(view);
    this.#replay.want(view);
  }

  /** The lanes' samples speak for the whole system, or for one cgroup; only the former has a replay to stand next to. */
  lane(resource: string): PressureLane {
    const series = this.#source?.series.find((one) => one.resource === resource) ?? null;
    const comparable = (series?.cgroup ?? this.#shown.cgroup ?? "") === "";
    return { series, replay: comparable ? this.#replayOf(resource) : null };
  }

  #replayOf(resource: string): Replay | null {
    return this.#replay.replays.find(({ series }) => series.resource === resource) ?? null;
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const place = lanePlace(frame, box, top);
    paintPressureLane(
      frame.ctx,
      this.lane(box.resource),
      frame.view,
      frame.scale,
      place,
      frame.ink,
      this.#scale,
    );
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
