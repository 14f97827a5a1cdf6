/** Marks of single events. The form says what it is, fill and outline how it is known, a number how many are merged. */

import type { Label } from "../../lib/section-words.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import { firstFrom, type GlyphTrack } from "./glyphs.ts";

export type Shape =
  | "cross"
  | "right"
  | "swap"
  | "square"
  | "circle"
  | "down"
  | "up"
  | "bar"
  | "ring"
  | "diamond";

export interface GlyphLook {
  readonly shape: Shape;
  readonly colour: string;
}

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

export interface GlyphRow {
  /** Middle of the row, CSS pixels. */
  readonly y: number;
  readonly width: number;
}

export interface GlyphStyle {
  /** By kind. */
  readonly looks: readonly GlyphLook[];
  readonly labelOf: (index: number) => Label;
  readonly palette: Palette;
  /** A ring of the ground around each: it stands on what others draw. */
  readonly halo?: boolean;
}

export function paintGlyphs(
  ctx: CanvasRenderingContext2D,
  track: GlyphTrack,
  scale: TimeScale,
  row: GlyphRow,
  { looks, labelOf, palette, halo = false }: GlyphStyle,
): void {
  const clusters = track.clusters(1 / scale.perNs);
  const { length, t0, count, kind, first } = clusters;
  const margin = 24 / scale.perNs;
  ctx.font = `10px ${palette.mono}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (let i = firstFrom(t0, length, scale.from - margin); i < length; i += 1) {
    const x = xOf(scale, t0[i] ?? 0);
    if (x > row.width + GLYPH) break;
    const look = looks[kind[i] ?? 0] ?? looks[0];
    if (!look) continue;
    const many = count[i] ?? 1;
    if (halo) {
      ctx.fillStyle = palette.ground;
      ctx.globalAlpha = 0.75;
      ctx.fillRect(x - GLYPH - 2, row.y - GLYPH - 2, 2 * GLYPH + 4 + (many > 1 ? 10 : 0), 2 * GLYPH + 4);
      ctx.globalAlpha = 1;
    }
    paintGlyph(ctx, look, x, row.y, labelOf(first[i] ?? 0), palette);
    if (many < 2) continue;
    ctx.fillStyle = look.colour;
    ctx.fillText(many > 99 ? "99+" : String(many), x + GLYPH + 1.5, row.y + 0.5);
  }
}

export function paintGlyph(
  ctx: CanvasRenderingContext2D,
  { shape, colour }: GlyphLook,
  x: number,
  y: number,
  label: Label,
  palette: Palette,
): void {
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
