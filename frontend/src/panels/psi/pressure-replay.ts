/** The replayed totals as series, so that they are drawn, read and averaged as the sampled ones are. */

import type { Label } from "../../lib/section-words.ts";
import { type AbsNs, parseNs, type Span, toRel } from "../../lib/time.ts";
import { type Average, type PressureSeries, seriesFrom } from "./pressure.ts";

/** Those of which the answer has points. */
export const RESOURCES = ["cpu", "memory", "io"] as const;

export interface ReplayPoint {
  readonly t_ns: string;
  readonly some_total_us: number | null;
  readonly full_total_us: number | null;
  readonly some_avg10?: number | null;
  readonly some_avg60?: number | null;
  readonly some_avg300?: number | null;
  readonly full_avg10?: number | null;
  readonly full_avg60?: number | null;
  readonly full_avg300?: number | null;
}

export interface ReplayAnswer {
  readonly series: Readonly<Record<(typeof RESOURCES)[number], readonly ReplayPoint[]>>;
  readonly system: Readonly<Record<string, unknown>>;
}

/** One resource of the whole system as the events tell it. */
export interface Replay {
  readonly series: PressureSeries;
  readonly label: Label;
  /** What a better replay would need. */
  readonly missing: readonly string[];
}

/**
 * @param window what was requested: totals count from its begin
 * @param average the kernel's average over so many s in place of the totals
 */
export function replays(
  answer: ReplayAnswer,
  window: Span,
  origin: AbsNs,
  average: Average | null = null,
): Replay[] {
  const found: Replay[] = [];
  for (const resource of RESOURCES) {
    const points = answer.series[resource];
    if (points.length === 0) continue;
    const times = points.map(({ t_ns }) => toRel(origin, parseNs(t_ns) ?? 0n));
    // The kernel added up at a moment before the window, too: only its distance is known, not its place.
    const starts = average === null && (times[0] ?? 0) > window.from;
    const column = (pick: (point: ReplayPoint) => number | null | undefined, unit: number) => {
      const values = points.map((point) => (pick(point) ?? Number.NaN) * unit);
      return Float64Array.from(starts ? [Number.isNaN(values[0]) ? Number.NaN : 0, ...values] : values);
    };
    const series = seriesFrom(
      {
        resource,
        cgroup: "",
        input: -1,
        at: Float64Array.from(starts ? [window.from, ...times] : times),
        some:
          average === null
            ? column((point) => point.some_total_us, 1)
            : column((point) => point[`some_avg${average}`], 0.01),
        full:
          average === null
            ? column((point) => point.full_total_us, 1)
            : column((point) => point[`full_avg${average}`], 0.01),
        longest: Number.POSITIVE_INFINITY,
        average,
      },
      window,
    );
    found.push({ series, ...section(answer.system[resource]) });
  }
  return found;
}

const LABELS: readonly Label[] = ["observed", "replayed", "inferred", "what-if"];

/** Nothing is called better than it is: an answer that does not say counts as inferred. */
function section(part: unknown): { label: Label; missing: readonly string[] } {
  const { label, missing } = (part ?? {}) as { label?: unknown; missing?: unknown };
  return {
    label: LABELS.find((known) => known === label) ?? "inferred",
    missing: Array.isArray(missing) ? missing.map(String) : [],
  };
}
