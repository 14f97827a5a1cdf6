/** Attempts to place tasks and the worst waits of the window, by lane. */

import { type LaneMarks, laneMarks } from "../logic/attempt-glyphs.ts";
import type { AbsNs, Span } from "../logic/time.ts";
import type { BalancingSection, LatencySection } from "./types.ts";
import type { WindowSource } from "./window-source.ts";

export class MarkSource {
  readonly #attempts: WindowSource<BalancingSection, BalancingSection>;
  readonly #waits: WindowSource<LatencySection, LatencySection>;
  marks: LaneMarks | null = null;
  onChange: () => void = () => {};

  /** @param nodeOf null for a CPU of no known node */
  constructor(
    attempts: WindowSource<BalancingSection, BalancingSection>,
    waits: WindowSource<LatencySection, LatencySection>,
    nodeOf: (cpu: number) => number | null,
    origin: AbsNs,
  ) {
    this.#attempts = attempts;
    this.#waits = waits;
    let made: readonly unknown[] = [];
    const changed = () => {
      const parts = [attempts.tracks, waits.tracks];
      if (parts.every((part, i) => part === made[i])) return;
      made = parts;
      this.marks = laneMarks(attempts.tracks, waits.tracks, nodeOf, origin);
      this.onChange();
    };
    attempts.onChange = changed;
    waits.onChange = changed;
  }

  want(view: Span): void {
    this.#attempts.want(view);
    this.#waits.want(view);
  }

  close(): void {
    this.#attempts.close();
    this.#waits.close();
  }
}
