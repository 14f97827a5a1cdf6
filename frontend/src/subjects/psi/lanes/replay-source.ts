/**
 * The replayed pressure of the lanes: of the whole trace when its points are few enough to come whole, else of an
 * interval around the view.
 */

import { type FetchSection, SectionSource } from "../../../api/routes/section-source.ts";
import type { SectionQuery } from "../../../api/routes/sections.ts";
import type { MissingPart, PressurePoint, PressureSection } from "../../../api/types.ts";
import type { Label } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type Span, spanLength, toAbs, toRel } from "../../../lib/time.ts";
import { type Average, type PressureSeries, seriesFrom } from "./pressure.ts";
import type { Rules } from "./psi-table.ts";

/** A series of this many points was thinned by the service: a narrower window has more. */
const THINNED = 2000;
/** A view this much shorter than a thinned answer requests its own. */
const CLOSER = 4;

export class ReplaySource {
  readonly #section: SectionSource<PressureSection | MissingPart>;
  readonly #origin: AbsNs;
  readonly #bounds: Span;
  #rules: Rules | null = null;
  #average: Average | null = null;
  #answer: PressureSection | null = null;
  #view: Span | null = null;
  #have: { readonly span: Span; readonly thinned: boolean; readonly rules: Rules | null } | null = null;

  replays: readonly Replay[] = [];
  onChange: () => void = () => {};

  constructor(fetch: FetchSection<PressureSection | MissingPart>, origin: AbsNs, bounds: Span) {
    this.#section = new SectionSource(fetch);
    this.#origin = origin;
    this.#bounds = bounds;
    this.#section.subscribe(() => this.#take());
  }

  get answered(): boolean {
    return this.#have !== null;
  }

  get rules(): Rules | null {
    return this.#rules;
  }

  set rules(rules: Rules | null) {
    if (rules === this.#rules) return;
    this.#rules = rules;
    if (this.#view) this.want(this.#view);
  }

  /** Average of the kernel that is shown instead of the counts. */
  set average(average: Average | null) {
    if (average === this.#average) return;
    this.#average = average;
    if (this.#have) this.#make(this.#have.span);
  }

  #make(span: Span): void {
    this.replays = this.#answer ? replays(this.#answer, span, this.#origin, this.#average) : [];
    this.onChange();
  }

  /** Sets what is visible now. Cheap when it is loaded; call it on every change of the view. */
  want(view: Span): void {
    this.#view = view;
    const have = this.#have;
    if (have && have.rules === this.#rules && this.#serves(have, view)) return;
    this.#section.want(this.#queryFor(view));
  }

  close(): void {
    this.#section.close();
  }

  #serves(have: { readonly span: Span; readonly thinned: boolean }, view: Span): boolean {
    const from = Math.max(view.from, this.#bounds.from);
    const to = Math.min(view.to, this.#bounds.to);
    if (from < have.span.from || to > have.span.to) return false;
    return !have.thinned || spanLength(have.span) <= CLOSER * spanLength(view);
  }

  #queryFor(view: Span): SectionQuery {
    const whole = !this.#have?.thinned || CLOSER * spanLength(view) >= spanLength(this.#bounds);
    // Time ranges begin at multiples of the view's length, so that a small move requests nothing new.
    const length = spanLength(view);
    const first = Math.floor(view.from / length) - 1;
    const span = whole
      ? this.#bounds
      : {
          from: Math.max(this.#bounds.from, first * length),
          to: Math.min(this.#bounds.to, (first + 4) * length),
        };
    return {
      window: { from: toAbs(this.#origin, span.from), to: toAbs(this.#origin, span.to) },
      rules: this.#rules,
    };
  }

  #take(): void {
    const { answer, query } = this.#section.getSnapshot();
    if (!answer || !query?.window) return;
    const span = { from: toRel(this.#origin, query.window.from), to: toRel(this.#origin, query.window.to) };
    const rules = query.rules ?? null;
    const same = this.#have && this.#have.span.from === span.from && this.#have.span.to === span.to;
    if (same && this.#have?.rules === rules) return;
    const thinned = answer.available && RESOURCES.some((name) => answer.series[name].length >= THINNED);
    this.#have = { span, rules, thinned };
    this.#answer = answer.available ? answer : null;
    this.#make(span);
  }
}

// The replayed totals as series, so that they are drawn, read and averaged as the sampled ones are.

/** Resources with points in the answer. */
export const RESOURCES = ["cpu", "memory", "io"] as const;

type ReplayPoint = Pick<PressurePoint, "t_ns"> & Partial<PressurePoint>;

export interface ReplayAnswer {
  readonly series: Readonly<Record<(typeof RESOURCES)[number], readonly ReplayPoint[]>>;
  readonly system: Readonly<Record<string, unknown>>;
}

/** One resource of the whole system from events. */
export interface Replay {
  readonly series: PressureSeries;
  readonly label: Label;
  /** Inputs that a better replay needs. */
  readonly missing: readonly string[];
}

/**
 * @param window requested window: totals count from its start
 * @param average the kernel's average over this many s instead of the totals
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

/** An answer without provenance counts as inferred. */
function section(part: unknown): { label: Label; missing: readonly string[] } {
  const { label, missing } = (part ?? {}) as { label?: unknown; missing?: unknown };
  return {
    label: LABELS.find((known) => known === label) ?? "inferred",
    missing: Array.isArray(missing) ? missing.map(String) : [],
  };
}
