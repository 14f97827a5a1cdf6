/** Marks, findings and committed ranges over the lanes and on the minimap. */

import type { Palette } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import { markTable } from "../draw/glyphs.ts";

const Note = { Mark: 0, Finding: 1, Place: 2 } as const;

/** Marks over the lanes and on the minimap. */
export const NOTES = markTable(Note, {
  Mark: { shape: "line", tone: "accent", means: "mark" },
  Finding: { shape: "edge", tone: "text", means: "finding, longer if more serious (above the whole trace)" },
  Place: { shape: "edge", tone: "cost", means: "occurrence of the opened finding" },
});

const toneOf = (palette: Palette, kind: number) => palette[NOTES[kind]?.tone ?? "text"];

interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface NotePlaces {
  readonly marks: readonly { readonly at: number }[];
  readonly findings: readonly (Interval & { readonly severity: string; readonly chosen: boolean })[];
  readonly places: readonly MarkedPlace[];
}

type MarkedPlace = Interval & { readonly chosen: boolean };

/** A lane with what is marked on it. */
export interface PlaceLane {
  /** Upper edge, CSS pixels below that of the visible part. */
  readonly y: number;
  readonly places: readonly MarkedPlace[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels of the ticks at the top of the minimap. */
const TICK: Readonly<Record<string, number>> = { high: 9, medium: 6, low: 4 };

/** Draws over the lanes: lines of marks, the parts outside a committed range, and the ends of the opened occurrence. */
export function paintNotes(
  ctx: CanvasRenderingContext2D,
  size: Size,
  scale: TimeScale,
  notes: NotePlaces,
  limits: Interval,
  palette: Palette,
): void {
  paintOutside(ctx, size, scale, limits, palette);
  for (const { from, to } of notes.places.filter(({ chosen }) => chosen)) {
    ctx.fillStyle = toneOf(palette, Note.Place);
    const [x0, x1] = [xOf(scale, from), xOf(scale, to)];
    ctx.globalAlpha = 0.7;
    for (const x of [x0, x1]) if (x >= 0 && x <= size.width) ctx.fillRect(Math.round(x), 0, 1, size.height);
    ctx.globalAlpha = 1;
    const left = Math.max(0, x0);
    const right = Math.min(size.width, x1);
    if (right > left) ctx.fillRect(left, 0, Math.max(1, right - left), 2);
  }
  ctx.fillStyle = toneOf(palette, Note.Mark);
  for (const { at } of notes.marks) {
    const x = Math.round(xOf(scale, at));
    if (x >= 0 && x <= size.width) ctx.fillRect(x, 0, 1, size.height);
  }
}

/** CSS pixels. */
const PLACE_HEIGHT = 3;
const PLACE_WIDTH = 3;

/** Draws occurrences at the upper edge of the lanes of their CPUs: the opened one filled, the others outlined. */
export function paintPlaces(
  ctx: CanvasRenderingContext2D,
  { width }: Size,
  scale: TimeScale,
  lanes: readonly PlaceLane[],
  palette: Palette,
): void {
  for (const { y, places } of lanes) {
    // The worst come first: they lie above.
    for (const { from, to, chosen } of places.toReversed()) {
      const x0 = Math.max(-2, Math.round(xOf(scale, from)));
      const x1 = Math.min(width + 2, Math.max(x0 + PLACE_WIDTH, Math.round(xOf(scale, to))));
      if (x1 < 0 || x0 > width) continue;
      ctx.fillStyle = palette.ground;
      ctx.fillRect(x0 - 1, y, x1 - x0 + 2, PLACE_HEIGHT + 1);
      ctx.fillStyle = toneOf(palette, Note.Place);
      ctx.fillRect(x0, y, x1 - x0, PLACE_HEIGHT);
      if (chosen) continue;
      ctx.fillStyle = palette.ground;
      if (x1 - x0 > 2) ctx.fillRect(x0 + 1, y + 1, x1 - x0 - 2, PLACE_HEIGHT - 2);
    }
  }
}

/** Returns whether `paintNotes` or `paintPlaces` has anything to draw. */
export function notesSeen(
  { width }: Size,
  scale: TimeScale,
  { marks, places }: NotePlaces,
  limits: Interval,
): boolean {
  const seen = (from: number, to: number) => xOf(scale, to) >= 0 && xOf(scale, from) <= width;
  return (
    xOf(scale, limits.from) > 0 ||
    xOf(scale, limits.to) < width ||
    marks.some(({ at }) => seen(at, at)) ||
    places.some(({ from, to }) => seen(from, to))
  );
}

/**
 * On the minimap: a tick at the start of every finding, longer for more serious ones; the occurrences of the
 * chosen one; marks; ranges.
 */
export function paintMinimapNotes(
  ctx: CanvasRenderingContext2D,
  size: Size,
  scale: TimeScale,
  notes: NotePlaces,
  ranges: readonly Interval[],
  palette: Palette,
): void {
  const innermost = ranges.at(-1);
  if (innermost) paintOutside(ctx, size, scale, innermost, palette);
  // The graver above the others, the chosen one above all.
  const order = [...notes.findings].sort(
    (a, b) => Number(a.chosen) - Number(b.chosen) || tickOf(a.severity) - tickOf(b.severity),
  );
  for (const { from, severity, chosen } of order) {
    const x = Math.round(xOf(scale, from));
    ctx.fillStyle = palette.ground;
    ctx.fillRect(x - 1, 0, 4, tickOf(severity) + 1);
    ctx.fillStyle = chosen ? toneOf(palette, Note.Place) : toneOf(palette, Note.Finding);
    ctx.fillRect(x, 0, 2, tickOf(severity));
  }
  for (const { from, to, chosen } of notes.places.toReversed()) {
    const x = Math.round(xOf(scale, from));
    ctx.fillStyle = palette.ground;
    ctx.fillRect(x - 1, 0, 4, chosen ? 10 : 6);
    ctx.fillStyle = toneOf(palette, Note.Place);
    ctx.fillRect(x, 0, 2, chosen ? 9 : 5);
    ctx.fillRect(x, 0, Math.max(2, xOf(scale, to) - x), 2);
  }
  ctx.fillStyle = toneOf(palette, Note.Mark);
  for (const { at } of notes.marks) {
    const x = Math.round(xOf(scale, at));
    ctx.fillRect(x, 0, 1, size.height);
    ctx.beginPath();
    ctx.moveTo(x, size.height - 7);
    ctx.lineTo(x + 6, size.height - 4);
    ctx.lineTo(x, size.height - 1);
    ctx.fill();
  }
}

function tickOf(severity: string): number {
  return TICK[severity] ?? 4;
}

/** Fades the outside; a line closes the inside. */
function paintOutside(
  ctx: CanvasRenderingContext2D,
  { width, height }: Size,
  scale: TimeScale,
  { from, to }: Interval,
  palette: Palette,
): void {
  const x0 = xOf(scale, from);
  const x1 = xOf(scale, to);
  ctx.fillStyle = palette.ground;
  ctx.globalAlpha = 0.72;
  if (x0 > 0) ctx.fillRect(0, 0, x0, height);
  if (x1 < width) ctx.fillRect(x1, 0, width - x1, height);
  ctx.globalAlpha = 1;
  ctx.fillStyle = palette.muted;
  for (const x of [x0, x1]) if (x > 0.5 && x < width - 0.5) ctx.fillRect(Math.round(x), 0, 1, height);
}
