/** The pressure lanes of the timeline: whether they are shown, what they hold, and what they say. */

import type { PressureSource } from "../data/pressure-source.ts";
import type { ReplaySource } from "../data/replay-source.ts";
import type { PressureLane } from "../draw/pressure-lane.ts";
import type { Described, Label } from "../logic/describe.ts";
import { describePressure, describeReplay } from "../logic/describe-pressure.ts";
import type { LaneBox, PressureLanes } from "../logic/lanes.ts";
import { type PressureMeans, pressureMeans, pressureScale, USUAL_RESOURCES } from "../logic/pressure.ts";
import type { Replay } from "../logic/pressure-replay.ts";
import type { Rules } from "../logic/psi-table.ts";
import type { AbsNs, RelNs, Span } from "../logic/time.ts";

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

export class PressurePanel {
  readonly #input: PressureInput;
  #open: boolean;
  #resources: readonly string[];
  #scale = 0;

  constructor(input: PressureInput) {
    this.#input = input;
    this.#open = this.defaultOpen;
    this.#resources = input.state === "placed" ? USUAL_RESOURCES : [];
  }

  /** Folded where there is nothing to see: then the section says why. */
  get defaultOpen(): boolean {
    return this.#input.state === "placed";
  }

  get open(): boolean {
    return this.#open;
  }

  set open(open: boolean) {
    this.#open = open;
  }

  get lanes(): PressureLanes {
    return { open: this.#open, resources: this.#resources };
  }

  /** Share at a lane's full height; it only ever grows, so that nothing jumps back. */
  get scale(): number {
    return this.#scale;
  }

  set onChange(listener: () => void) {
    const { source, replay } = this.#input;
    const changed = () => {
      const all = [...(source?.series ?? []), ...(replay?.replays ?? []).map(({ series }) => series)];
      // What has no samples in this stretch keeps its lane: others may.
      const found = all.map(({ resource }) => resource);
      if (found.some((name) => !this.#resources.includes(name))) {
        this.#resources = [...new Set([...this.#resources, ...found])];
      }
      this.#scale = Math.max(this.#scale, pressureScale(all));
      listener();
    };
    if (source) source.onChange = changed;
    if (replay) replay.onChange = changed;
  }

  want(view: Span): void {
    if (!this.#open) return;
    this.#input.source?.want(view);
    this.#input.replay?.want(view);
  }

  /** The lanes' samples speak for the whole system, or for one cgroup; only the former has a replay to stand beside. */
  lane(resource: string): PressureLane {
    const series = this.#input.source?.series.find((one) => one.resource === resource) ?? null;
    const comparable = series === null || series.cgroup === "";
    return { series, replay: comparable ? this.#replay(resource) : null };
  }

  describe(box: LaneBox, at: RelNs, origin: AbsNs): Described | null {
    const { series, replay } = this.lane(box.resource);
    if (series) return describePressure(series, at, origin, this.#input.placed(series.input), replay);
    return replay && describeReplay(replay, at, origin);
  }

  #replay(resource: string): Replay | null {
    return this.#input.replay?.replays.find(({ series }) => series.resource === resource) ?? null;
  }

  snapshot(view: Span): PressureSnapshot {
    const { state, source, replay } = this.#input;
    const means = new Map<string, PressureMeans>();
    const labels = new Set<Label>();
    for (const resource of this.#open ? this.#resources : []) {
      const lane = this.lane(resource);
      if (lane.replay) labels.add(lane.replay.label);
      const series = lane.series ?? lane.replay?.series;
      const mean = series && pressureMeans(series, view);
      if (mean) means.set(resource, mean);
    }
    return {
      state,
      open: this.#open,
      cgroup: source?.series[0]?.cgroup ?? "",
      scale: this.#scale,
      means,
      replayed: [...labels],
      rules: replay?.rules ?? null,
      loading: source?.loading ?? false,
      tooMany: source?.tooMany ?? false,
      problem: source?.problem ?? null,
    };
  }
}
