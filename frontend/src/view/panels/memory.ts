/** Pages and tasks that went to other nodes, per interval. */

import type { MigrationSection } from "../../data/types.ts";
import type { WindowSource } from "../../data/window-source.ts";
import { paintRateLane } from "../../draw/rate-lane.ts";
import type { Described, Label } from "../../logic/describe.ts";
import { bothDurations, formatAbs, formatCount, formatDuration } from "../../logic/format.ts";
import type { LaneBox, LaneSpec } from "../../logic/lanes.ts";
import { type MemoryTracks, mostOf, type RateTrack, roundScale } from "../../logic/memory-tracks.ts";
import { howToRecord, missingText } from "../../logic/section-words.ts";
import { itemAt } from "../../logic/tiles.ts";
import { type AbsNs, type Span, toAbs } from "../../logic/time.ts";
import { type Frame, laneBox, type Panel, type PanelState, type Picked, type Place } from "../panel.ts";

export type MemorySource = WindowSource<MigrationSection, MemoryTracks | null>;

export interface MemorySnapshot {
  readonly tracks: MemoryTracks | null;
  /** Rate at a lane's full height, per second. */
  readonly scales: { readonly pages: number; readonly moves: number };
}

const LANES: readonly LaneSpec[] = [
  { key: "memory:pages", kind: "rate", resource: "pages", min: 48, max: 96, gap: 1 },
  { key: "memory:moves", kind: "rate", resource: "moves", min: 38, max: 72 },
];

export class MemoryPanel implements Panel {
  readonly id = "memory";
  readonly #source: MemorySource;
  readonly #origin: AbsNs;
  #scales = { pages: 1, moves: 1 };
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor(source: MemorySource, origin: AbsNs) {
    this.#source = source;
    this.#origin = origin;
    source.onChange = () => {
      const { tracks } = source;
      if (tracks) {
        this.lanes = LANES;
        this.#scales = {
          pages: roundScale(mostOf(tracks.pages)),
          moves: roundScale(mostOf(tracks.moves)),
        };
      } else if (!source.loading) this.lanes = [];
      this.onChange();
    };
  }

  get state(): PanelState {
    const { problem, missing, tracks, loading, span } = this.#source;
    if (problem !== null) return { kind: "failed", note: problem };
    if (missing !== null) return { kind: "none", note: `${missing} ${howToRecord("memory")}` };
    if (tracks) return { kind: "ready", note: null };
    return loading || !span ? { kind: "loading", note: null } : { kind: "none", note: howToRecord("memory") };
  }

  want(view: Span): void {
    this.#source.want(view);
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const { tracks } = this.#source;
    if (!tracks) return;
    const { palette } = frame.ink;
    const pages = box.resource === "pages";
    const whole = [{ track: pages ? tracks.pages : tracks.moves, colour: palette.accent }];
    const parts = tracks.byNode.map(({ nid, track }) => ({ track, colour: frame.nodeColour(nid) }));
    paintRateLane(
      frame.ctx,
      {
        parts: pages && parts.length > 0 ? parts : whole,
        cost: pages ? tracks.late : null,
        most: pages ? this.#scales.pages : this.#scales.moves,
        span: tracks.span,
      },
      frame.scale,
      laneBox(frame, box, top),
      frame.ink,
    );
  }

  pick({ box, at, perPixel }: Place): Picked | null {
    const { tracks } = this.#source;
    if (!tracks) return null;
    const pages = box.resource === "pages";
    const { items } = pages ? tracks.pages : tracks.moves;
    const i = itemAt(items, at, 0);
    if (i < 0) return null;
    const span = { from: items.t0[i] ?? 0, to: items.t1[i] ?? 0 };
    const wide = (span.to - span.from) / perPixel >= 4;
    return {
      what: pages ? this.#pagesWords(tracks, i, span) : this.#movesWords(tracks, i, span),
      swatch: null,
      outline: wide ? { span, top: 3, height: box.height - 6 } : null,
      taken: null,
      zoom: span,
    };
  }

  #pagesWords(tracks: MemoryTracks, i: number, span: Span): Described {
    const late = tracks.late.counts[i] ?? 0;
    const rows: [string, string][] = [
      ["on fault", countAndRate(tracks.pages, i)],
      ...tracks.byNode.map(({ nid, track }): [string, string] => [
        `to node ${nid}`,
        formatCount(track.counts[i] ?? 0),
      ]),
      ["just too late", formatCount(late)],
    ];
    return this.#words("pages migrated", rows, span, tracks.label.pages, tracks.missing.pages);
  }

  #movesWords(tracks: MemoryTracks, i: number, span: Span): Described {
    return this.#words(
      "tasks that changed node",
      [["moves", countAndRate(tracks.moves, i)]],
      span,
      tracks.label.moves,
      [],
    );
  }

  #words(
    title: string,
    rows: [string, string][],
    span: Span,
    label: Label,
    missing: readonly string[],
  ): Described {
    const at = (t: number) => `${formatAbs(toAbs(this.#origin, t))} s`;
    const lacking = missingText(missing);
    return {
      title,
      task: null,
      rows: [
        ...rows,
        ["from", at(span.from)],
        ["to", at(span.to)],
        ["step", bothDurations(span.to - span.from)],
      ],
      label,
      note: lacking === "" ? null : `It ${lacking}.`,
    };
  }

  snapshot(): MemorySnapshot {
    return { tracks: this.#source.tracks, scales: this.#scales };
  }

  close(): void {
    this.#source.close();
  }
}

function countAndRate({ counts, items }: RateTrack, i: number): string {
  return `${formatCount(counts[i] ?? 0)} (${formatCount(items.busy[i] ?? 0)} per s)`;
}

/** Beside the name of the lanes. */
export function stepText(step: number): string {
  return `per ${formatDuration(step)}`;
}
