/** Pressure: what the kernel counted, and what the events tell of it; the whole system's or a cgroup's. */

import type { AbsNs, Span } from "../../lib/time.ts";
import type { Described, Label } from "../../timeline/describe.ts";
import type { LaneBox, LaneSpec } from "../../timeline/lanes.ts";
import {
  type Frame,
  laneBox,
  type Panel,
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
import type { PressureSource } from "./pressure-source.ts";
import type { Rules } from "./psi-table.ts";
import type { ReplaySource } from "./replay-source.ts";

/** What there is of PSI: nothing, samples without a place in time, or samples that can be drawn. */
export type PressureState = "none" | "unplaced" | "placed";

export interface PressureInput {
  readonly state: PressureState;
  /** Only for samples that can be drawn. */
  readonly source: PressureSource | null;
  /** The same pressure as the events tell it; null where nothing asks for it. */
  readonly replay: ReplaySource | null;
  /** How an input's samples came onto the clock, one sentence; null where nothing is to be said. */
  readonly placed: (input: number) => string | null;
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

export class PsiPanel implements Panel {
  readonly id = "psi";
  readonly #input: PressureInput;
  readonly #origin: AbsNs;
  #resources: readonly string[];
  #scale = 0;
  #shown: PressureView = { cgroup: null, average: null };
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor(input: PressureInput, origin: AbsNs) {
    this.#input = input;
    this.#origin = origin;
    this.#resources = input.state === "placed" ? USUAL_RESOURCES : [];
    this.#layLanes();
    const { source, replay } = input;
    if (source) source.onChange = () => this.#changed();
    if (replay) replay.onChange = () => this.#changed();
  }

  get state(): PanelState {
    const { state, source } = this.#input;
    if (source && source.problem !== null) return { kind: "failed", note: source.problem };
    if (state !== "placed") return { kind: "none", note: null };
    return { kind: source && source.series.length === 0 && !source.told ? "loading" : "ready", note: null };
  }

  get shown(): PressureView {
    return this.#shown;
  }

  set shown(shown: PressureView) {
    const { cgroup, average } = this.#shown;
    if (shown.cgroup === cgroup && shown.average === average) return;
    this.#shown = shown;
    this.#scale = 0;
    const { source, replay } = this.#input;
    if (replay) replay.average = shown.average;
    if (source) source.choice = shown;
  }

  #changed(): void {
    const { source, replay } = this.#input;
    const all = [...(source?.series ?? []), ...(replay?.replays ?? []).map(({ series }) => series)];
    // What has no samples in this stretch keeps its lane: others may.
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
      resource,
      min: MIN,
      max: MAX,
    }));
  }

  want(view: Span, lanes: readonly LaneBox[]): void {
    // Without samples nothing is laid out before the replay has told what there is.
    if (this.#input.state !== "placed" && !lanes.some(({ open }) => open)) return;
    this.#input.source?.want(view);
    this.#input.replay?.want(view);
  }

  /** The lanes' samples speak for the whole system, or for one cgroup; only the former has a replay to stand beside. */
  lane(resource: string): PressureLane {
    const series = this.#input.source?.series.find((one) => one.resource === resource) ?? null;
    const comparable = (series?.cgroup ?? this.#shown.cgroup ?? "") === "";
    return { series, replay: comparable ? this.#replay(resource) : null };
  }

  #replay(resource: string): Replay | null {
    return this.#input.replay?.replays.find(({ series }) => series.resource === resource) ?? null;
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const place = laneBox(frame, box, top);
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
      ? describePressure(series, at, origin, this.#input.placed(series.input), replay)
      : replay && describeReplay(replay, at, origin);
    return what && { what, swatch: null, outline: null, taken: null, zoom: null };
  }

  snapshot(view: Span, open: boolean): PressureSnapshot {
    const { state, source, replay } = this.#input;
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
      rules: replay?.rules ?? null,
      loading: source?.loading ?? false,
      tooMany: source?.tooMany ?? false,
      problem: source?.problem ?? null,
    };
  }

  close(): void {
    this.#input.source?.close();
    this.#input.replay?.close();
  }
}
