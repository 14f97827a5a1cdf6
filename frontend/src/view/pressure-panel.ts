/** The pressure lanes of the timeline: whether they are shown, what they hold, and what they say. */

import type { PressureSource } from "../data/pressure-source.ts";
import type { Described } from "../logic/describe.ts";
import { describePressure } from "../logic/describe-pressure.ts";
import type { LaneBox, PressureLanes } from "../logic/lanes.ts";
import {
  type PressureMeans,
  type PressureSeries,
  pressureMeans,
  pressureScale,
  USUAL_RESOURCES,
} from "../logic/pressure.ts";
import type { AbsNs, RelNs, Span } from "../logic/time.ts";

/** What there is of PSI: nothing, samples without a place in time, or samples that can be drawn. */
export type PressureState = "none" | "unplaced" | "placed";

export interface PressureInput {
  readonly state: PressureState;
  /** Only for samples that can be drawn. */
  readonly source: PressureSource | null;
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
    const { source } = this.#input;
    if (!source) return;
    source.onChange = () => {
      // What has no samples in this stretch keeps its lane: others may.
      const found = source.series.map(({ resource }) => resource);
      if (found.some((name) => !this.#resources.includes(name))) {
        this.#resources = [...new Set([...this.#resources, ...found])];
      }
      this.#scale = Math.max(this.#scale, pressureScale(source.series));
      listener();
    };
  }

  want(view: Span): void {
    if (this.#open) this.#input.source?.want(view);
  }

  series(resource: string): PressureSeries | null {
    return this.#input.source?.series.find((series) => series.resource === resource) ?? null;
  }

  describe(box: LaneBox, at: RelNs, origin: AbsNs): Described | null {
    const series = this.series(box.resource);
    return series && describePressure(series, at, origin, this.#input.placed(series.input));
  }

  snapshot(view: Span): PressureSnapshot {
    const { state, source } = this.#input;
    const means = new Map<string, PressureMeans>();
    for (const series of this.#open ? (source?.series ?? []) : []) {
      const mean = pressureMeans(series, view);
      if (mean) means.set(series.resource, mean);
    }
    return {
      state,
      open: this.#open,
      cgroup: source?.series[0]?.cgroup ?? "",
      scale: this.#scale,
      means,
      loading: source?.loading ?? false,
      tooMany: source?.tooMany ?? false,
      problem: source?.problem ?? null,
    };
  }
}
