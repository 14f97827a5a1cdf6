/** Marks of single events on a lane, and their merging where there is no space for all. */

import { bisectLeft } from "d3-array";
import type { Label } from "../../lib/terms.ts";
import type { RelNs } from "../../lib/time.ts";
import type { Ink, Palette } from "../../ui/canvas/palette.ts";
import { xOf } from "../../ui/canvas/surface.ts";
import type { LaneCanvas } from "./strips.ts";

/** Events of a lane, ascending in time. All arrays have the same length. */
export interface Glyphs {
  readonly length: number;
  readonly t: Float64Array;
  /** Kind of each: an index into the lane's own list of looks; merged ones show the highest. */
  readonly kind: Uint8Array;
}

/** Neighbours with less than a mark's room between them. All arrays have the same length. */
export interface Clusters {
  readonly length: number;
  /** Index of the first event. */
  readonly first: Uint32Array;
  readonly count: Uint32Array;
  readonly t0: Float64Array;
  readonly t1: Float64Array;
  readonly kind: Uint8Array;
}

/** Room that a mark and its count need, CSS pixels. */
export const GLYPH_ROOM = 25;

/**
 * Merges from the left, over the whole lane and not only what is seen: so a mark keeps its neighbours while the window moves.
 * @param room ns that a mark takes
 */
export function mergeGlyphs({ length, t, kind }: Glyphs, room: number): Clusters {
  const first = new Uint32Array(length);
  const count = new Uint32Array(length);
  const t0 = new Float64Array(length);
  const t1 = new Float64Array(length);
  const kinds = new Uint8Array(length);
  let n = 0;
  for (let i = 0; i < length; i += 1) {
    const at = t[i] ?? 0;
    const own = kind[i] ?? 0;
    const last = n - 1;
    if (last >= 0 && at - (t0[last] ?? 0) < room) {
      count[last] = (count[last] ?? 0) + 1;
      t1[last] = at;
      if (own > (kinds[last] ?? 0)) kinds[last] = own;
      continue;
    }
    first[n] = i;
    count[n] = 1;
    t0[n] = at;
    t1[n] = at;
    kinds[n] = own;
    n += 1;
  }
  return { length: n, first, count, t0, t1, kind: kinds };
}

/** Index of the first of ascending times that is not before `at`; their number when there is none. */
export function firstFrom(times: Float64Array, length: number, at: RelNs): number {
  return bisectLeft(times, at, 0, length);
}

/** Number of marks in an interval of time. */
export function clustersIn({ t0, length }: Clusters, from: RelNs, to: RelNs): number {
  return firstFrom(t0, length, to) - firstFrom(t0, length, from);
}

/** Index of the mark under a pointer, -1 for none. Marks are at their first event. */
export function clusterAt({ t0, length }: Clusters, at: RelNs, reach: number): number {
  const next = firstFrom(t0, length, at);
  let best = -1;
  let distance = reach;
  for (const i of [next - 1, next]) {
    if (i < 0 || i >= length) continue;
    const away = Math.abs((t0[i] ?? 0) - at);
    if (away <= distance) {
      best = i;
      distance = away;
    }
  }
  return best;
}

/** A lane's marks with their last merging, which holds for as long as the zoom does. */
export class GlyphTrack {
  readonly glyphs: Glyphs;
  #room = -1;
  #merged: Clusters | null = null;

  constructor(glyphs: Glyphs) {
    this.glyphs = glyphs;
  }

  /** @param perPixel ns of a CSS pixel */
  clusters(perPixel: number): Clusters {
    const room = perPixel * GLYPH_ROOM;
    // A zoom by less than a thousandth is none: floats of a window that moves differ in their last digits.
    if (!this.#merged || Math.abs(room - this.#room) > this.#room * 1e-3) {
      this.#merged = mergeGlyphs(this.glyphs, room);
      this.#room = room;
    }
    return this.#merged;
  }
}

/** Columns of events in any order; `order` has their original positions. */
export function glyphsOf<T>(
  events: readonly T[],
  timeOf: (event: T) => RelNs,
  kindOf: (event: T) => number,
): { readonly glyphs: Glyphs; readonly order: Uint32Array } {
  const times = Float64Array.from(events, timeOf);
  const order = Uint32Array.from(events.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
  return {
    glyphs: {
      length: events.length,
      t: Float64Array.from(order, (i) => times[i] ?? 0),
      kind: Uint8Array.from(order, (i) => {
        const event = events[i];
        return event === undefined ? 0 : kindOf(event);
      }),
    },
    order,
  };
}

// Marks of single events. The form says what it is, fill and outline how it is known, a number how many are merged.

/** Forms of marks, and the signs for them in a legend. Those behind `ring` have painters of their own. */
export const SIGNS = {
  cross: "✕",
  right: "▸",
  swap: "⧓",
  square: "■",
  circle: "●",
  down: "▾",
  up: "▴",
  bar: "❙",
  diamond: "◆",
  ring: "○",
  edge: "▔",
  above: "▘",
  below: "▖",
  line: "│",
  arrow: "↓",
  hatch: "▨",
  dots: "░",
  area: "▆",
} as const;

export type Shape = keyof typeof SIGNS;

/** Look of a mark; a tone is a token of the palette. */
export interface MarkLook {
  readonly shape: Shape;
  readonly tone: "text" | "muted" | "accent" | "cost" | "full" | "warn";
  /** Text of the legend. */
  readonly means: string;
  /** Definition of that text. */
  readonly title?: string;
}

declare const listed: unique symbol;
/** Looks of a family of marks by kind: lanes paint by it, and the panel's legend has all its rows. */
export type MarkTable = readonly MarkLook[] & { readonly [listed]: true };

/** Each kind has a look. */
export function markTable<K extends string>(
  kinds: Readonly<Record<K, number>>,
  looks: Readonly<Record<K, MarkLook>>,
): MarkTable {
  const table: MarkLook[] = [];
  for (const name of Object.keys(kinds) as K[]) table[kinds[name]] = looks[name];
  return table as readonly MarkLook[] as MarkTable;
}

/** Colour of a mark of its own painter. */
export function inkOf({ palette }: Ink, table: MarkTable, kind = 0): string {
  return palette[table[kind]?.tone ?? "text"];
}

/** A family of one. */
export const oneMark = (look: MarkLook) => markTable({ mark: 0 }, { mark: look });

/** Solid is what was recorded or follows from it, dashed lacks something, dotted never was; CSS pixels. */
export const DASHES: Readonly<Record<Label, readonly number[]>> = {
  observed: [],
  replayed: [],
  inferred: [5, 3],
  "what-if": [1.5, 2.5],
};
/** The same around a mark, which is small. */
const FINE_DASHES: Readonly<Record<Label, readonly number[]>> = {
  observed: [],
  replayed: [],
  inferred: [2, 1.5],
  "what-if": [1, 1.5],
};

export const GLYPH = 4;

export interface GlyphStyle {
  readonly looks: MarkTable;
  readonly labelOf: (index: number) => Label;
  /** If true, a ring of the ground around each: it lies over other drawings. */
  readonly halo?: boolean;
}

/** @param y middle of the row, CSS pixels */
export function paintGlyphs(lane: LaneCanvas, track: GlyphTrack, y: number, style: GlyphStyle): void {
  const { ctx, scale, box } = lane;
  const { palette } = lane.ink;
  const { looks, labelOf, halo = false } = style;
  const clusters = track.clusters(1 / scale.perNs);
  const { length, t0, count, kind, first } = clusters;
  const margin = 24 / scale.perNs;
  ctx.font = `10px ${palette.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (let i = firstFrom(t0, length, scale.from - margin); i < length; i += 1) {
    const x = xOf(scale, t0[i] ?? 0);
    if (x > box.width + GLYPH) break;
    const look = looks[kind[i] ?? 0] ?? looks[0];
    if (!look) continue;
    const many = count[i] ?? 1;
    if (halo) {
      ctx.fillStyle = palette.ground;
      ctx.globalAlpha = 0.75;
      ctx.fillRect(x - GLYPH - 2, y - GLYPH - 2, 2 * GLYPH + 4 + (many > 1 ? 10 : 0), 2 * GLYPH + 4);
      ctx.globalAlpha = 1;
    }
    paintGlyph(ctx, look, x, y, labelOf(first[i] ?? 0), palette);
    if (many < 2) continue;
    ctx.fillStyle = palette[look.tone];
    ctx.fillText(many > 99 ? "99+" : String(many), x + GLYPH + 1.5, y + 0.5);
  }
}

export function paintGlyph(
  ctx: CanvasRenderingContext2D,
  { shape, tone }: MarkLook,
  x: number,
  y: number,
  label: Label,
  palette: Palette,
): void {
  const colour = palette[tone];
  trace(ctx, shape, x, y);
  ctx.setLineDash([...FINE_DASHES[label]]);
  ctx.lineWidth = shape === "cross" || shape === "bar" ? 2 : 1.4;
  ctx.strokeStyle = colour;
  if (shape !== "cross" && shape !== "bar" && shape !== "ring") {
    ctx.fillStyle = label === "observed" ? colour : palette.ground;
    ctx.fill();
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function trace(ctx: CanvasRenderingContext2D, shape: Shape, x: number, y: number): void {
  const r = GLYPH - 0.5;
  ctx.beginPath();
  switch (shape) {
    case "cross":
      lines(ctx, [x - r, y - r, x + r, y + r], [x - r, y + r, x + r, y - r]);
      break;
    case "bar":
      lines(ctx, [x, y - r, x, y + r]);
      break;
    case "swap":
      closed(ctx, x - r, y - r, x + r, y + r, x + r, y - r, x - r, y + r);
      break;
    case "right":
      closed(ctx, x - r, y - r, x + r, y, x - r, y + r);
      break;
    case "down":
      closed(ctx, x - r, y - r, x + r, y - r, x, y + r);
      break;
    case "up":
      closed(ctx, x - r, y + r, x + r, y + r, x, y - r);
      break;
    case "diamond":
      closed(ctx, x - r - 0.5, y, x, y - r - 0.5, x + r + 0.5, y, x, y + r + 0.5);
      break;
    case "square":
      ctx.rect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1);
      break;
    case "circle":
    case "ring":
      ctx.arc(x, y, r - 0.3, 0, 2 * Math.PI);
  }
}

function lines(ctx: CanvasRenderingContext2D, ...each: readonly [number, number, number, number][]): void {
  for (const [x0, y0, x1, y1] of each) {
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
  }
}

function closed(ctx: CanvasRenderingContext2D, ...points: readonly number[]): void {
  for (let i = 0; i + 1 < points.length; i += 2) {
    if (i === 0) ctx.moveTo(points[0] ?? 0, points[1] ?? 0);
    else ctx.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
  }
  ctx.closePath();
}
