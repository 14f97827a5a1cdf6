/** The sleeps in the lanes of tasks: of each lane those of an interval around the view, requested when nothing else is. */

import type { SectionSource, SectionSources } from "../../../api/routes/section-source.ts";
import type { SectionAnswer } from "../../../api/routes/sections.ts";
import type { TaskSleep } from "../../../api/types.ts";
import { type AbsNs, type RelNs, type Span, toAbs } from "../../../lib/time.ts";
import { intervalFor } from "../../../timeline/tiles/window-source.ts";
import { type SleepTrack, sleepAt, sleepTrack } from "./sleeps.ts";

/** Causes in a legend. */
const MOST_CAUSES = 5;

interface LaneSleeps {
  readonly source: SectionSource<SectionAnswer<"sleeps">>;
  readonly stop: () => void;
  track: SleepTrack | null;
}

export class SleepSources {
  readonly #sections: Pick<SectionSources, "of">;
  readonly #scene: { readonly origin: AbsNs; readonly bounds: Span };
  readonly #lanes = new Map<number, LaneSleeps>();
  onChange: () => void = () => {};

  constructor(
    sections: Pick<SectionSources, "of">,
    scene: { readonly origin: AbsNs; readonly bounds: Span },
  ) {
    this.#sections = sections;
    this.#scene = scene;
  }

  /** Sets the tasks whose lanes are visible now. Cheap when their sleeps are loaded. */
  want(pids: readonly number[], view: Span): void {
    const { origin, bounds } = this.#scene;
    const { from, to } = intervalFor(view, bounds);
    const window = { from: toAbs(origin, Math.floor(from)), to: toAbs(origin, Math.ceil(to)) };
    for (const pid of pids) this.#of(pid).source.want({ window, pid });
  }

  /** Returns the sleep of a task at a time; null where none is known. */
  at(pid: number, at: RelNs): TaskSleep | null {
    const track = this.#lanes.get(pid)?.track;
    return track ? sleepAt(track, at) : null;
  }

  /** Returns the causes of the sleeps that a window shows, those with most time first. */
  causes(pids: readonly number[], { from, to }: Span): readonly string[] {
    const sums = new Map<string, number>();
    for (const { t0, t1, sleeps } of pids.flatMap((pid) => this.#lanes.get(pid)?.track ?? [])) {
      sleeps.forEach(({ cause }, i) => {
        const ns = Math.min(to, t1[i] ?? 0) - Math.max(from, t0[i] ?? 0);
        if (ns > 0) sums.set(cause, (sums.get(cause) ?? 0) + ns);
      });
    }
    const ranked = [...sums].toSorted(([, a], [, b]) => b - a);
    return ranked.slice(0, MOST_CAUSES).map(([cause]) => cause);
  }

  close(): void {
    for (const { stop } of this.#lanes.values()) stop();
  }

  #of(pid: number): LaneSleeps {
    const known = this.#lanes.get(pid);
    if (known) return known;
    const source = this.#sections.of("sleeps", `lane ${pid}`);
    const take = () => {
      const { answer } = source.getSnapshot();
      if (answer?.available) lane.track = sleepTrack(answer.sleeps, this.#scene.origin);
      this.onChange();
    };
    const lane: LaneSleeps = { source, stop: source.subscribe(take), track: null };
    this.#lanes.set(pid, lane);
    return lane;
  }
}
