/** Frequencies, idle states, interrupts, steal and timers of the CPUs: a lane for each CPU and kind, once the panel is opened. */

import { bothDurations, formatShare, formatTime } from "../../../lib/format.ts";
import { asSentence, missingText } from "../../../lib/terms.ts";
import { type AbsNs, type Span, toAbs } from "../../../lib/time.ts";
import { inkOf } from "../../../timeline/draw/glyphs.ts";
import { paintScale } from "../../../timeline/draw/strips.ts";
import type { LaneBox, LaneSpec } from "../../../timeline/lanes.ts";
import {
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelState,
  type Picked,
  type Place,
} from "../../../timeline/panel.ts";
import type { WindowSource } from "../../../timeline/tiles/window-source.ts";
import { xOf } from "../../../ui/canvas/surface.ts";
import {
  Drawn,
  drawnAs,
  type HardwareSection,
  type HardwareTrack,
  type HardwareTracks,
  hardwareTracks,
  heightOf,
  KIND_WORDS,
  LEVELS,
  laneKey,
  rankOf,
  scaleText,
  valueText,
} from "./hardware-tracks.ts";

export interface HardwareSnapshot {
  readonly tracks: HardwareTracks | null;
}

/** Advice for recording the inputs. */
const RECORD =
  "Frequencies, idle states and interrupts come from cpu_frequency, cpu_idle, irq_handler_entry, irq_handler_exit, softirq_entry and softirq_exit. Hardware noise and late timers come from the tracers osnoise and timerlat. Steal comes from samples of /proc/stat, or exactly from the trace of the host (trace-cmd record -A).";
const PAD = 3;
/** Narrower bars have no words, CSS pixels. */
const WORDS_FROM = 44;

export class HardwarePanel implements Panel<HardwareSnapshot> {
  readonly #source: WindowSource<HardwareSection, HardwareTracks>;
  readonly #origin: AbsNs;
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor({ scene: { origin }, windows }: PanelContext) {
    this.#origin = origin;
    this.#source = windows.make("hardware", {
      prepare: (answer) => hardwareTracks(answer, origin),
      // A shorter window has shorter steps.
      partial: () => true,
    });
    this.#source.onChange = () => this.#learn();
  }

  /** Lanes stay when the window moves to where nothing of theirs is. */
  #learn(): void {
    const known = new Set(this.lanes.map(({ key }) => key));
    const fresh = (this.#source.tracks?.tracks ?? []).flatMap(({ key }) =>
      known.has(key) ? [] : (this.laneOf(key) ?? []),
    );
    if (fresh.length > 0)
      this.lanes = [...this.lanes, ...fresh].sort((a, b) => rankOf(a.key) - rankOf(b.key));
    this.onChange();
  }

  laneOf(key: string): LaneSpec | null {
    const lane = laneKey(key);
    if (!lane) return null;
    const { kind, cpu } = lane;
    const high = kind === "frequency";
    const title = `${KIND_WORDS[kind]} of CPU ${cpu}`;
    return { key, kind, resource: key, title, min: high ? 40 : 38, max: high ? 56 : 42, gap: 1 };
  }

  get state(): PanelState {
    const { problem, missing, tracks, loading, span } = this.#source;
    if (problem !== null) return { kind: "failed", note: problem };
    if (missing !== null) return { kind: "none", note: `${asSentence(missing)} ${RECORD}` };
    if (tracks || this.lanes.length > 0) return { kind: "ready", note: null };
    if (loading || span === null) return { kind: "loading", note: null };
    return { kind: "none", note: RECORD };
  }

  want(view: Span): void {
    this.#source.want(view);
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const tracks = this.#source.tracks;
    const lane = laneCanvas(frame, box, top);
    const { ctx, scale, ink } = lane;
    const { palette } = ink;
    const height = box.height - 2 * PAD;
    const base = lane.box.y + PAD + height;
    ctx.fillStyle = palette.track;
    ctx.fillRect(0, base - height, frame.width, height);
    const track = tracks?.byKey.get(box.key);
    if (!tracks || !track) return;
    const drawn = drawnAs(track.kind);
    const level = drawn === Drawn.Level;
    const fill = inkOf(ink, LEVELS, drawn);
    const words: [string, number, number][] = [];
    for (let i = 0; i < track.length; i += 1) {
      const x0 = xOf(scale, track.t0[i] ?? 0);
      const x1 = xOf(scale, track.t1[i] ?? 0);
      if (x1 < 0 || x0 > frame.width) continue;
      const wide = Math.max(1 / frame.ratio, x1 - x0);
      const h = Math.max(1, Math.round(heightOf(tracks, track, i) * height));
      ctx.globalAlpha = level ? 0.3 + 0.35 * (track.share[i] ?? 0) : 0.85;
      ctx.fillStyle = fill;
      ctx.fillRect(x0, base - h, wide, h);
      // A line for the level, so that a step is seen whatever its area.
      ctx.globalAlpha = 0.95;
      if (level) ctx.fillRect(x0, base - h, wide, 1);
      const left = Math.max(x0, 0);
      if (x1 - left > WORDS_FROM && height >= 12)
        words.push([valueText(tracks, track.kind, track.value[i] ?? 0), left + 3, x1 - left - 6]);
    }
    ctx.globalAlpha = 1;
    ctx.fillStyle = palette.text;
    for (const [text, x, room] of words) {
      const fits = Math.floor(room / frame.charWidth);
      if (fits >= text.length) ctx.fillText(text, x, base - height / 2);
    }
    if (track.kind === "frequency") paintScale(lane, { base, height }, scaleText(tracks, track.kind));
  }

  pick({ box, at, perPixel }: Place): Picked | null {
    const tracks = this.#source.tracks;
    const track = tracks?.byKey.get(box.key);
    if (!tracks || !track) return null;
    const i = placeAt(track, at, 2 * perPixel);
    if (i < 0) return null;
    const span = { from: track.t0[i] ?? 0, to: track.t1[i] ?? 0 };
    const { label, missing } = tracks.answer;
    const lacking = missingText(missing);
    const share: [string, string][] = [["part of the time", formatShare(track.share[i] ?? 0)]];
    const time = (t: number) => `${formatTime(toAbs(this.#origin, t))}`;
    return {
      what: {
        title: valueText(tracks, track.kind, track.value[i] ?? 0),
        task: null,
        rows: [
          ["where", `CPU ${track.cpu}`],
          ...share,
          ["from", time(span.from)],
          ["to", time(span.to)],
          ["length", bothDurations(span.to - span.from)],
        ],
        label,
        note: lacking === "" ? "Edges are exact to a step of the window: zoom in." : `It ${lacking}.`,
      },
      swatch: null,
      outline: null,
      taken: null,
      zoom: span,
    };
  }

  snapshot(): HardwareSnapshot {
    return { tracks: this.#source.tracks };
  }

  close(): void {
    this.#source.close();
  }
}

/** Item at a time, or one that ends or begins within reach. */
function placeAt({ t0, t1, length }: HardwareTrack, at: number, reach: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((t1[middle] ?? 0) <= at - reach) low = middle + 1;
    else high = middle;
  }
  return low < length && (t0[low] ?? 0) <= at + reach ? low : -1;
}
