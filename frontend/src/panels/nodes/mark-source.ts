/** Attempts to place tasks and the worst waits of the window, by lane. */

import type { Span } from "../../lib/time.ts";
import type { PanelContext } from "../../timeline/panel.ts";
import { nodeOfCpu } from "../../timeline/scene.ts";
import type { Available, WindowSource } from "../../timeline/tiles/window-source.ts";
import { type LaneMarks, laneMarks } from "./attempt-glyphs.ts";

/** Waits that get a mark: more would cover the lanes. */
const WORST = 60;

export class MarkSource {
  readonly #attempts: WindowSource<Available<"numa_balancing">, Available<"numa_balancing">>;
  readonly #waits: WindowSource<Available<"latency">, Available<"latency">>;
  marks: LaneMarks | null = null;
  onChange: () => void = () => {};

  constructor({ scene, windows }: Pick<PanelContext, "scene" | "windows">) {
    this.#attempts = windows.make("numa_balancing", {
      prepare: (answer) => answer,
      partial: ({ attempts_more }) => attempts_more > 0,
    });
    this.#waits = windows.make("latency", {
      prepare: (answer) => answer,
      // Only the worst are listed: a shorter window has worst ones of its own.
      partial: () => true,
      listed: WORST,
    });
    const { nodes, origin } = scene;
    let made: readonly unknown[] = [];
    const changed = () => {
      const parts = [this.#attempts.tracks, this.#waits.tracks] as const;
      if (parts.every((part, i) => part === made[i])) return;
      made = parts;
      this.marks = laneMarks(...parts, (cpu) => nodeOfCpu(nodes, cpu), origin);
      this.onChange();
    };
    this.#attempts.onChange = changed;
    this.#waits.onChange = changed;
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
