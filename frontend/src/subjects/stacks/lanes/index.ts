/** Samples of each CPU, as ticks at the lower edge of its lane. */

import type { SectionContent } from "../../../api/routes/sections.ts";
import { formatDuration, formatTime, plural } from "../../../lib/format.ts";
import { type AbsNs, parseNs, toAbs, toRel } from "../../../lib/time.ts";
import { inkOf, oneMark } from "../../../timeline/draw/glyphs.ts";
import type { LaneCanvas } from "../../../timeline/draw/strips.ts";
import type { PanelContext, Picked, Place } from "../../../timeline/panel.ts";
import type { WindowSource } from "../../../timeline/tiles/window-source.ts";
import { xOf } from "../../../ui/canvas/surface.ts";

export type StackMarksSection = SectionContent<"stack_marks">;

/** Height of a tick, CSS pixels. */
const TICK = 4;
/** Maximum distance of the pointer from a tick, CSS pixels. */
const REACH = 3;

export const SAMPLE = oneMark({ shape: "below", tone: "text", means: "sample" });

interface CpuMarks {
  /** Middle of each step, ns from the origin; ascending. */
  readonly at: Float64Array;
  readonly samples: readonly number[];
  readonly pid: readonly number[];
  readonly function: readonly number[];
}

interface Marks {
  readonly answer: StackMarksSection;
  readonly byCpu: ReadonlyMap<number, CpuMarks>;
}

export function sampleMarks(answer: StackMarksSection, origin: AbsNs): Marks {
  const from = toRel(origin, parseNs(answer.from_ns) ?? origin);
  const byCpu = new Map<number, CpuMarks>();
  for (const { cpu, at, samples, pid, function: names } of answer.cpus) {
    const middles = Float64Array.from(at, (step) => from + (step + 0.5) * answer.step_ns);
    byCpu.set(cpu, { at: middles, samples, pid, function: names });
  }
  return { answer, byCpu };
}

export class SampleMarks {
  readonly #origin: AbsNs;
  readonly #source: WindowSource<StackMarksSection, Marks>;

  constructor({ scene: { origin }, windows }: PanelContext) {
    this.#origin = origin;
    this.#source = windows.make("stack_marks", {
      prepare: (answer) => sampleMarks(answer, origin),
      // A shorter window has shorter steps.
      partial: () => true,
    });
  }

  set onChange(listen: () => void) {
    this.#source.onChange = listen;
  }

  readonly want = (view: Parameters<WindowSource<StackMarksSection, Marks>["want"]>[0]) =>
    this.#source.want(view);

  draw({ ctx, scale, box, ink }: LaneCanvas, cpu: number): void {
    const marks = this.#source.tracks?.byCpu.get(cpu);
    if (!marks) return;
    const top = box.y + box.height - TICK;
    ctx.fillStyle = inkOf(ink, SAMPLE);
    let drawn = Number.NEGATIVE_INFINITY;
    for (let i = firstFrom(marks.at, scale.from); i < marks.at.length; i += 1) {
      const x = Math.round(xOf(scale, marks.at[i] ?? 0));
      if (x > box.width) break;
      if (x === drawn) continue;
      ctx.fillRect(x, top, 1, TICK);
      drawn = x;
    }
  }

  pick({ box, y, at, perPixel }: Place): Picked | null {
    const tracks = this.#source.tracks;
    const marks = tracks?.byCpu.get(box.cpu);
    if (!tracks || !marks || y < box.height - TICK - 2) return null;
    const i = nearest(marks.at, at);
    const time = marks.at[i];
    if (time === undefined || Math.abs(time - at) > REACH * perPixel) return null;
    const { functions, step_ns: step, label } = tracks.answer;
    const samples = marks.samples[i] ?? 0;
    const name = functions[marks.function[i] ?? -1];
    const from = time - step / 2;
    const several = samples > 1 ? "first sample in" : "in";
    return {
      what: {
        title: plural(samples, "sample"),
        task: null,
        rows: [
          ["where", `CPU ${box.cpu}`],
          [several, name ?? "no stack"],
          ["pid", String(marks.pid[i] ?? -1)],
          ["from", `${formatTime(toAbs(this.#origin, Math.round(from)))}`],
          ["within", formatDuration(step)],
        ],
        label,
        note: "The tab Tasks, Stacks has the stacks of this window.",
      },
      swatch: null,
      outline: null,
      taken: null,
      zoom: { from: from - 10 * step, to: from + 11 * step },
    };
  }

  close(): void {
    this.#source.close();
  }
}

function firstFrom(values: Float64Array, from: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearest(values: Float64Array, at: number): number {
  const next = firstFrom(values, at);
  const before = next - 1;
  if (before < 0) return next;
  return Math.abs((values[before] ?? 0) - at) <= Math.abs((values[next] ?? Number.POSITIVE_INFINITY) - at)
    ? before
    : next;
}
