import type { MigrationSection, PlacementSection } from "../../../api/types.ts";
import { bothDurations, formatCount, formatDuration, formatTime } from "../../../lib/format.ts";
import { absentText, howToRecord, type Label, missingText } from "../../../lib/terms.ts";
import { type AbsNs, type Span, toAbs } from "../../../lib/time.ts";
import { inkOf, markTable } from "../../../timeline/draw/glyphs.ts";
import { type LaneCanvas, paintArea, paintColumns } from "../../../timeline/draw/strips.ts";
import type { LaneBox, LaneSpec } from "../../../timeline/lanes.ts";
import {
  type Described,
  type Frame,
  laneCanvas,
  type Panel,
  type PanelContext,
  type PanelState,
  type Picked,
  type Place,
} from "../../../timeline/panel.ts";
import { itemAt } from "../../../timeline/tiles/tiles.ts";
import { resample, type WindowSource } from "../../../timeline/tiles/window-source.ts";
import { xOf } from "../../../ui/canvas/surface.ts";
import {
  type MemoryTracks,
  memoryTracks,
  mostOf,
  type PlacedRow,
  type PlacementTracks,
  placementTracks,
  type RateTrack,
  roundScale,
  sharesText,
} from "./memory-tracks.ts";

const Rate = { Whole: 0, Late: 1 } as const;

export const RATES = markTable(Rate, {
  Whole: { shape: "area", tone: "accent", means: "to any node" },
  Late: { shape: "area", tone: "cost", means: "late page migration" },
});

/** Pages and tasks that went to other nodes, per interval. */

export interface MemorySnapshot {
  readonly tracks: MemoryTracks | null;
  /** Rate at a lane's full height, per second. */
  readonly scales: { readonly pages: number; readonly moves: number };
  /** CPU use by numa group and node. */
  readonly placement: PlacementTracks | null;
  /** CPUs at the full height of a group's lane. */
  readonly cpus: number;
}

const LANES: readonly LaneSpec[] = [
  { key: "memory:pages", kind: "rate", resource: "pages", min: 48, max: 96, gap: 1 },
  { key: "memory:moves", kind: "rate", resource: "moves", min: 38, max: 72 },
];

export class MemoryPanel implements Panel<MemorySnapshot> {
  readonly #source: WindowSource<MigrationSection, MemoryTracks | null>;
  readonly #placement: WindowSource<PlacementSection, PlacementTracks>;
  readonly #origin: AbsNs;
  readonly #nodes: number;
  #cpus = 1;
  #scales = { pages: 1, moves: 1 };
  lanes: readonly LaneSpec[] = [];
  onChange: () => void = () => {};

  constructor({ scene: { origin, nodes }, windows }: PanelContext) {
    this.#origin = origin;
    this.#nodes = nodes.length;
    // A shorter window has shorter steps.
    const partial = () => true;
    this.#source = windows.make("page_migration", {
      prepare: (answer) => memoryTracks(answer, origin),
      partial,
    });
    this.#placement = windows.make("placement", {
      prepare: (answer) => placementTracks(answer, origin),
      partial,
    });
    this.#source.onChange = () => this.#learn();
    this.#placement.onChange = () => this.#learn();
  }

  /** Lays out the lanes again only when they differ. */
  #learn(): void {
    const { tracks, loading } = this.#source;
    const placed = this.#placement.tracks;
    if (tracks) {
      this.#scales = { pages: roundScale(mostOf(tracks.pages)), moves: roundScale(mostOf(tracks.moves)) };
    }
    if (placed) this.#cpus = roundScale(placed.most);
    const groups = (placed?.rows ?? []).map(
      ({ key }): LaneSpec => ({ key, kind: "rate", resource: key, min: 42, max: 56, gap: 1 }),
    );
    const lanes = [...groups, ...(tracks ? LANES : [])];
    const same =
      lanes.length === this.lanes.length && lanes.every(({ key }, i) => key === this.lanes[i]?.key);
    if (!same && (lanes.length > 0 || !loading)) this.lanes = lanes;
    this.onChange();
  }

  /** The group that a lane is of; null for the others. */
  #rowOf(resource: string): PlacedRow | null {
    return this.#placement.tracks?.rows.find(({ key }) => key === resource) ?? null;
  }

  /** Nothing is placed between the nodes of a machine that has one. */
  get absent(): boolean {
    return this.#nodes < 2;
  }

  get state(): PanelState {
    const { problem, missing, tracks, loading, span } = this.#source;
    if (problem !== null) return { kind: "failed", note: problem };
    if (missing !== null && !this.#placement.tracks)
      return { kind: "none", note: absentText("memory", missing) };
    if (tracks || this.#placement.tracks) return { kind: "ready", note: null };
    return loading || !span ? { kind: "loading", note: null } : { kind: "none", note: howToRecord("memory") };
  }

  want(view: Span): void {
    this.#source.want(view);
    this.#placement.want(view);
  }

  draw(frame: Frame, box: LaneBox, top: number): void {
    const row = this.#rowOf(box.resource);
    const { tracks } = this.#source;
    if (row) this.#drawGroup(frame, box, top, row);
    if (row || !tracks) return;
    const pages = box.resource === "pages";
    const whole = [
      { track: pages ? tracks.pages : tracks.moves, colour: inkOf(frame.ink, RATES, Rate.Whole) },
    ];
    const parts = tracks.byNode.map(({ nid, track }) => ({ track, colour: frame.nodeColour(nid) }));
    paintRateLane(laneCanvas(frame, box, top), {
      parts: pages && parts.length > 0 ? parts : whole,
      cost: pages ? tracks.late : null,
      most: pages ? this.#scales.pages : this.#scales.moves,
      span: tracks.span,
    });
  }

  #drawGroup(frame: Frame, box: LaneBox, top: number, row: PlacedRow): void {
    const span = this.#placement.tracks?.span;
    if (!span) return;
    const parts = row.nodes.map(({ nid, track }) => ({ track, colour: frame.nodeColour(nid) }));
    paintRateLane(laneCanvas(frame, box, top), { parts, cost: null, most: this.#cpus, span });
  }

  pick({ box, at, perPixel }: Place): Picked | null {
    const { tracks } = this.#source;
    const row = this.#rowOf(box.resource);
    const pages = box.resource === "pages";
    const track = row ? row.nodes[0]?.track : pages ? tracks?.pages : tracks?.moves;
    if (!track) return null;
    const { items } = track;
    const i = itemAt(items, at, 0);
    if (i < 0) return null;
    const span = { from: items.t0[i] ?? 0, to: items.t1[i] ?? 0 };
    const wide = (span.to - span.from) / perPixel >= 4;
    return {
      what: this.#saying(row, pages, i, span),
      swatch: null,
      outline: wide ? { span, top: 3, height: box.height - 6 } : null,
      taken: null,
      zoom: span,
    };
  }

  #saying(row: PlacedRow | null, pages: boolean, i: number, span: Span): Described {
    const { tracks } = this.#source;
    if (row || !tracks) return this.#groupWords(row, i, span);
    return pages ? this.#pagesWords(tracks, i, span) : this.#movesWords(tracks, i, span);
  }

  /** CPUs of each node that a group used in a step, and where its time was in the whole window. */
  #groupWords(row: PlacedRow | null, i: number, span: Span): Described {
    const { nodes = [], inferredNs = 0, label = "inferred" } = row ?? {};
    const rows = nodes.map(({ nid, track }): [string, string] => [
      `CPUs of node ${nid}`,
      (track.items.busy[i] ?? 0).toFixed(2),
    ]);
    if (row) rows.push(["of its CPU time", sharesText(row)]);
    if (inferredNs > 0) rows.push(["before the first event", formatDuration(inferredNs)]);
    const missing = label === "inferred" ? (this.#placement.tracks?.missing ?? []) : [];
    return this.#words(row?.name ?? "", rows, span, label, missing);
  }

  #pagesWords(tracks: MemoryTracks, i: number, span: Span): Described {
    const late = tracks.late.counts[i] ?? 0;
    const rows: [string, string][] = [
      ["on fault", countAndRate(tracks.pages, i)],
      ...tracks.byNode.map(({ nid, track }): [string, string] => [
        `to node ${nid}`,
        formatCount(track.counts[i] ?? 0),
      ]),
      ["late page migration", formatCount(late)],
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
    const at = (t: number) => `${formatTime(toAbs(this.#origin, t))}`;
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
    return {
      tracks: this.#source.tracks,
      scales: this.#scales,
      placement: this.#placement.tracks,
      cpus: this.#cpus,
    };
  }

  close(): void {
    this.#source.close();
    this.#placement.close();
  }
}

function countAndRate({ counts, items }: RateTrack, i: number): string {
  return `${formatCount(counts[i] ?? 0)} (${formatCount(items.busy[i] ?? 0)} per s)`;
}

/** Counts per step as rates: an area, or areas of nodes on top of each other, and what of them was in vain before it in red. */

const PAD = 3;

export interface RateLook {
  /** Stacked, the first on top. */
  readonly parts: readonly { readonly track: RateTrack; readonly colour: string }[];
  /** Of them all. */
  readonly cost: RateTrack | null;
  /** Rate at the lane's full height. */
  readonly most: number;
  /** Range of the counts: nothing outside is known yet. */
  readonly span: Span;
}

export function paintRateLane(
  { ctx, scale, box, ink }: LaneCanvas,
  { parts, cost, most, span }: RateLook,
): void {
  const { palette } = ink;
  const height = box.height - 2 * PAD;
  const base = box.y + PAD + height;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, height);
  const count = Math.round(box.width * box.ratio);
  const strip = { base, height, ratio: box.ratio };
  const columns = (track: RateTrack) =>
    resample([{ items: track.items, span }], scale.from, scale.perNs * box.ratio, count).busy;
  const stack = new Float64Array(count);
  const layers = parts.toReversed().map(({ track, colour }) => {
    const values = columns(track);
    for (let x = 0; x < count; x += 1) stack[x] = (stack[x] ?? 0) + (values[x] ?? 0);
    return { colour, values: stack.slice() };
  });
  // The whole stack first, then what is below each.
  ctx.globalAlpha = 0.85;
  for (const { colour, values } of layers.toReversed()) {
    ctx.fillStyle = colour;
    paintColumns(ctx, values, most, strip);
  }
  ctx.globalAlpha = 1;
  if (cost) paintArea(ctx, columns(cost), most, strip, inkOf(ink, RATES, Rate.Late));
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, base, box.width, 1);
  const [from, to] = [xOf(scale, span.from), xOf(scale, span.to)];
  ctx.fillStyle = ink.dots;
  if (from > 0) ctx.fillRect(0, box.y + PAD, Math.min(from, box.width), height);
  if (to < box.width) ctx.fillRect(Math.max(0, to), box.y + PAD, box.width - Math.max(0, to), height);
}
