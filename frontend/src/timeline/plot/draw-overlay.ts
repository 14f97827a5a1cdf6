/** What follows the pointer: crosshair, outlines, the interval being marked. Drawn above the lanes. */

import type { Palette } from "../../ui/canvas/palette.ts";

export interface Outline {
  readonly x0: number;
  readonly x1: number;
  readonly top: number;
  readonly height: number;
}

export interface OverlayState {
  /** CSS pixels from the plot's left edge, null when the pointer is elsewhere. */
  readonly crosshair: number | null;
  readonly hovered: Outline | null;
  readonly selected: Outline | null;
  /** Around the mark of an event that was clicked: what it stands on must be seen through it. */
  readonly taken: Outline | null;
  /** Stretch under a Shift drag. */
  readonly marking: { readonly x0: number; readonly x1: number } | null;
}

export function isEmpty({ crosshair, hovered, selected, taken, marking }: OverlayState): boolean {
  return crosshair === null && !hovered && !selected && !taken && !marking;
}

export function paintOverlay(
  ctx: CanvasRenderingContext2D,
  size: { readonly width: number; readonly height: number },
  state: OverlayState,
  palette: Palette,
): void {
  if (state.marking) {
    const left = Math.min(state.marking.x0, state.marking.x1);
    const width = Math.abs(state.marking.x1 - state.marking.x0);
    ctx.fillStyle = palette.accent;
    ctx.globalAlpha = 0.14;
    ctx.fillRect(left, 0, width, size.height);
    ctx.globalAlpha = 1;
    ctx.fillRect(left, 0, 1, size.height);
    ctx.fillRect(left + width - 1, 0, 1, size.height);
  }
  if (state.crosshair !== null) {
    ctx.fillStyle = palette.text;
    ctx.globalAlpha = 0.45;
    ctx.fillRect(Math.round(state.crosshair), 0, 1, size.height);
    ctx.globalAlpha = 1;
  }
  if (state.taken) paintTaken(ctx, state.taken, palette);
  if (state.hovered) outline(ctx, state.hovered, palette.text, 1, size.width);
  if (state.selected) {
    // Two rings, so that it stands out on any task's colour.
    outline(ctx, state.selected, palette.ground, 4, size.width);
    outline(ctx, state.selected, palette.text, 2, size.width);
  }
}

function paintTaken(ctx: CanvasRenderingContext2D, { x0, x1, top, height }: Outline, palette: Palette): void {
  ctx.fillStyle = palette.accent;
  ctx.globalAlpha = 0.16;
  ctx.fillRect(x0, top, x1 - x0, height);
  ctx.globalAlpha = 1;
  ctx.fillRect(Math.round(x0), top, 1, height);
  ctx.fillRect(Math.round(x1) - 1, top, 1, height);
}

function outline(
  ctx: CanvasRenderingContext2D,
  box: Outline,
  colour: string,
  width: number,
  plotWidth: number,
): void {
  const x0 = Math.max(-4, box.x0);
  const x1 = Math.min(plotWidth + 4, Math.max(box.x1, box.x0 + 2));
  if (x1 < 0 || x0 > plotWidth) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.strokeRect(x0, box.top + 0.5, x1 - x0, box.height - 1);
}
