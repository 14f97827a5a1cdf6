/** Strokes and words that charts have in common. */

import type { Palette } from "./palette.ts";

/** Sets the style of the following words. */
export function setText(
  ctx: CanvasRenderingContext2D,
  font: string,
  colour: string,
  align: CanvasTextAlign = "left",
  baseline: CanvasTextBaseline = "middle",
): void {
  ctx.font = font;
  ctx.fillStyle = colour;
  ctx.textAlign = align;
  ctx.textBaseline = baseline;
}

/** A straight stroke in the present style. */
export function strokeLine(
  ctx: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}

/** A rectangle that other colours show through. */
export function fillFaint(
  ctx: CanvasRenderingContext2D,
  colour: string,
  alpha: number,
  [x, y, width, height]: readonly [number, number, number, number],
): void {
  ctx.globalAlpha = alpha;
  ctx.fillStyle = colour;
  ctx.fillRect(x, y, width, height);
  ctx.globalAlpha = 1;
}

export interface Tick {
  /** CSS pixels. */
  readonly at: number;
  /** null leaves the tick without words. */
  readonly words: string | null;
}

/**
 * Ticks below a chart whose lower edge is at `top`, with words that stay inside of the range.
 * @param below distance of the words from the edge, CSS pixels
 */
export function paintTicks(
  ctx: CanvasRenderingContext2D,
  palette: Palette,
  ticks: readonly Tick[],
  top: number,
  [least, most]: readonly [number, number],
  below = 6,
): void {
  setText(ctx, `11px ${palette.font}`, palette.muted, "center", "top");
  ctx.strokeStyle = palette.line;
  for (const { at: exact, words } of ticks) {
    const at = Math.round(exact) + 0.5;
    strokeLine(ctx, at, top, at, top + 4);
    if (words !== null) ctx.fillText(words, Math.min(Math.max(at, least), most), top + below);
  }
}

/** The outline of a mark that distinguishes lines without colour: a circle, a square, a triangle, and so on. */
export function traceMark(
  ctx: CanvasRenderingContext2D,
  x: number,
  y: number,
  place: number,
  radius: number,
): void {
  ctx.beginPath();
  if (place % 3 === 0) ctx.arc(x, y, radius, 0, 2 * Math.PI);
  else if (place % 3 === 1) ctx.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  else {
    ctx.moveTo(x, y - radius - 1);
    ctx.lineTo(x + radius + 1, y + radius);
    ctx.lineTo(x - radius - 1, y + radius);
    ctx.closePath();
  }
}
