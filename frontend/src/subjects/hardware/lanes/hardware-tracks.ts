/** State of the CPUs' hardware, and times without their kernel, as columns of lanes. */

import type { SectionContent } from "../../../api/routes/sections.ts";
import { causeTitle } from "../../../lib/causes.ts";
import { formatCount, plural } from "../../../lib/format.ts";
import { type AbsNs, parseNs, type RelNs, type Span, toRel } from "../../../lib/time.ts";
import { markTable } from "../../../timeline/draw/glyphs.ts";

export type HardwareSection = SectionContent<"hardware">;

export type HardwareKind = HardwareSection["kinds"][number];

export const KIND_WORDS: Readonly<Record<HardwareKind, string>> = {
  frequency: "frequency",
  idle: "idle state",
  irq: "interrupts",
  softirq: "softirqs",
  steal: "steal",
  hardware_noise: causeTitle("hardware_noise"),
  timer_latency: "timer latency",
};

export const Drawn = { Level: 0, Time: 1 } as const;

export const LEVELS = markTable(Drawn, {
  Level: { shape: "area", tone: "accent", means: "frequency or depth of idle state" },
  Time: { shape: "area", tone: "warn", means: "share of time" },
});

/** Mark that a lane is drawn with: frequencies and idle states are levels, everything else takes time. */
export const drawnAs = (kind: HardwareKind) =>
  kind === "frequency" || kind === "idle" ? Drawn.Level : Drawn.Time;

const KINDS = Object.keys(KIND_WORDS) as readonly HardwareKind[];

/** Subject of a lane with this key; null for one of another panel. */
export function laneKey(key: string): { readonly kind: HardwareKind; readonly cpu: number } | null {
  const [, name, cpu] = /^hw:(\w+):(\d{1,6})$/.exec(key) ?? [];
  const kind = KINDS.find((each) => each === name);
  return kind && cpu !== undefined ? { kind, cpu: Number(cpu) } : null;
}

/** Order of lanes: by kind, then by CPU. */
export function rankOf(key: string): number {
  const lane = laneKey(key);
  return lane ? KINDS.indexOf(lane.kind) * 1e6 + lane.cpu : -1;
}

/** Softirqs by vector (`include/linux/interrupt.h`). */
const SOFTIRQS = [
  "HI",
  "TIMER",
  "NET_TX",
  "NET_RX",
  "BLOCK",
  "IRQ_POLL",
  "TASKLET",
  "SCHED",
  "HRTIMER",
  "RCU",
];

export interface HardwareTrack {
  readonly key: string;
  readonly cpu: number;
  readonly kind: HardwareKind;
  readonly length: number;
  /** ns from the origin. */
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  readonly value: Uint32Array;
  /** Part of the time, 0 to 1. */
  readonly share: Float32Array;
  readonly ns: number;
  readonly count: number;
}

export interface HardwareTracks {
  readonly answer: HardwareSection;
  readonly span: Span;
  readonly tracks: readonly HardwareTrack[];
  readonly byKey: ReadonlyMap<string, HardwareTrack>;
}

export function hardwareTracks(answer: HardwareSection, origin: AbsNs): HardwareTracks {
  const at = (text: string): RelNs => toRel(origin, parseNs(text) ?? origin);
  const span = { from: at(answer.from_ns), to: at(answer.to_ns) };
  const tracks = answer.lanes.map((lane): HardwareTrack => {
    const length = lane.at.length;
    const t0 = Float64Array.from(lane.at, (step) => span.from + step * answer.step_ns);
    const t1 = Float64Array.from(lane.at, (step, i) =>
      Math.min(span.to, span.from + (step + (lane.steps[i] ?? 0)) * answer.step_ns),
    );
    return {
      key: `hw:${lane.kind}:${lane.cpu}`,
      cpu: lane.cpu,
      kind: lane.kind,
      length,
      t0,
      t1,
      value: Uint32Array.from(lane.value),
      share: Float32Array.from(lane.permille, (permille) => permille / 1000),
      ns: lane.ns,
      count: lane.count,
    };
  });
  return { answer, span, tracks, byKey: new Map(tracks.map((track) => [track.key, track])) };
}

/** `2.4 GHz`. */
export function frequencyText(khz: number): string {
  if (khz >= 1e6) return `${(khz / 1e6).toFixed(2).replace(/\.?0+$/, "")} GHz`;
  return `${formatCount(Math.round(khz / 1000))} MHz`;
}

/** Height of a value, 0 to 1: of the scale for frequencies, of the deepest for idle states, of the time for interrupts. */
export function heightOf({ answer }: HardwareTracks, track: HardwareTrack, i: number): number {
  const value = track.value[i] ?? 0;
  if (track.kind === "frequency") return value / Math.max(1, answer.highest_khz ?? value);
  if (track.kind === "idle") return (value + 1) / ((answer.deepest_idle ?? value) + 1);
  return track.share[i] ?? 0;
}

/** Full height of a lane. */
export function scaleText({ answer }: HardwareTracks, kind: HardwareKind): string {
  if (kind === "frequency") return frequencyText(answer.highest_khz ?? 0);
  if (kind === "idle") return `state ${answer.deepest_idle ?? 0}`;
  return "100 %";
}

/** Value in words: a frequency, an idle state, an interrupt with its handler, a softirq. */
export function valueText({ answer }: HardwareTracks, kind: HardwareKind, value: number): string {
  if (kind === "frequency") return frequencyText(value);
  if (kind === "idle") return `idle state ${value}`;
  if (kind === "softirq") return `softirq ${SOFTIRQS[value] ?? value}`;
  if (kind === "steal") return "not run by the host";
  if (kind === "hardware_noise") return "hardware or firmware";
  if (kind === "timer_latency") return `timer ${formatCount(value)} µs late`;
  const irq = answer.irqs[value];
  return irq ? `irq ${irq.number}${irq.name === "" ? "" : ` ${irq.name}`}` : "irq";
}

/** The lanes in words. */
export function hardwareSays({ answer, tracks }: HardwareTracks): string {
  const kinds = answer.kinds.map((kind) => KIND_WORDS[kind]).join(", ");
  const cpus = new Set(tracks.map(({ cpu }) => cpu)).size;
  return `Hardware of ${plural(cpus, "CPU")}: ${kinds}.`;
}
