/** Attempts to place tasks and the worst waits of the window, by lane. */

import type { BalancingSection, LatencySection } from "../../api/types.ts";
import type { AbsNs, Span } from "../../lib/time.ts";
import type { WindowSource } from "../../timeline/tiles/window-source.ts";
import { type LaneMarks, laneMarks } from "./attempt-glyphs.ts";

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
