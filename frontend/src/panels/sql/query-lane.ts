/**
 * Rows of a query. A slice fills its row's height. Slices without space merge into a block with their number, as
 * high as the share of its time that was filled. A counter is its mean in front of its range, a moment a mark.
 */

import { firstFrom, oneMark, paintGlyphs } from "../../timeline/draw/glyphs.ts";
import { type LaneCanvas, paintArea } from "../../timeline/draw/strips.ts";
import { oklch, type Theme } from "../../ui/canvas/colour.ts";
import { xOf } from "../../ui/canvas/surface.ts";
import { type Blocks, counterColumns, type SliceRow, type SqlLane } from "./sql-track.ts";

const PAD = 3;
const LABEL_FROM = 26;
/** Hues of slices' names, distinct from red and paler than nodes and tasks: they mean nothing but the name. */
const HUES = [75, 110, 145, 180, 215, 250, 285, 320];
const FILLS: Readonly<Record<Theme, readonly string[]>> = {
  light: HUES.map((hue) => oklch(0.82, 0.085, hue)),
  dark: HUES.map((hue) => oklch(0.46, 0.075, hue)),
};

export interface QueryLook {
  readonly lane: SqlLane;
  /** Of a lane of slices, one for each depth. */
  readonly slices: readonly SliceRow[];
  readonly nameOf: (row: number) => string;
  readonly charWidth: number;
}

/** Position of a depth in a lane of slices, CSS pixels below its upper edge. */
export function sliceStrip(height: number, depths: number, depth: number): { top: number; height: number } {
  const each = (height - 2 * PAD) / Math.max(1, depths);
  return { top: PAD + depth * each, height: Math.max(2, each - 1) };
}

export const ROWS = oneMark({ shape: "diamond", tone: "accent", means: "row" });

export function paintQueryLane(on: LaneCanvas, look: QueryLook): void {
  const { ctx, box, ink } = on;
  const { palette } = ink;
  const { lane } = look;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, box.y + PAD, box.width, box.height - 2 * PAD);
  if (lane.kind === "counter") paintCounter(on, lane);
  else if (lane.marks) {
    paintGlyphs(on, lane.marks, box.y + box.height / 2, {
      looks: ROWS,
      labelOf: () => "observed",
    });
  } else {
    look.slices.forEach((row, depth) => {
      const strip = sliceStrip(box.height, look.slices.length, depth);
      paintSlices({ ...on, box: { ...box, y: box.y + strip.top, height: strip.height } }, row, look);
    });
  }
}

function paintSlices(lane: LaneCanvas, row: SliceRow, { nameOf, charWidth }: QueryLook): void {
  const { ctx, scale, box } = lane;
  const { palette } = lane.ink;
  const blocks = row.blocks(1 / scale.perNs);
  const snap = (x: number) => Math.round(x * box.ratio) / box.ratio;
  const hair = 1 / box.ratio;
  ctx.font = `11px ${palette.font}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (let i = firstSeen(blocks, scale.from); i < blocks.length; i += 1) {
    const x0 = snap(xOf(scale, blocks.t0[i] ?? 0));
    if (x0 > box.width) break;
    const width = Math.max(hair, snap(xOf(scale, blocks.t1[i] ?? 0)) - x0);
    const count = blocks.count[i] ?? 1;
    const name = nameOf(row.rows.row[blocks.first[i] ?? 0] ?? 0);
    const share = count > 1 ? Math.max(0.3, blocks.share[i] ?? 0) : 1;
    const height = Math.max(2, share * box.height);
    // Merged ones have many names: they have the colour of none.
    ctx.fillStyle = count > 1 ? palette.unknown : (FILLS[palette.theme][hueOf(name)] ?? palette.unknown);
    ctx.fillRect(x0, box.y + box.height - height, width > 3 ? width - hair : width, height);
    if (count > 1) paintCount(lane, count, x0, width);
    else if (width >= LABEL_FROM && box.height >= 10) {
      paintName(lane, name, x0, Math.min(width, box.width - x0), charWidth);
    }
  }
}

function paintCount({ ctx, box, ink }: LaneCanvas, count: number, x: number, width: number): void {
  const text = `×${count}`;
  if (box.height < 9 || width < 6 * text.length) return;
  ctx.fillStyle = ink.palette.text;
  ctx.fillText(text, x + 1, box.y + box.height / 2 + 0.5);
}

function paintName(
  { ctx, box, ink }: LaneCanvas,
  name: string,
  x: number,
  width: number,
  charWidth: number,
): void {
  // The name keeps inside the visible part of a slice that began off screen.
  const left = Math.max(x, 0) + 4;
  const fits = Math.floor((x + width - 3 - left) / charWidth);
  if (fits < 3) return;
  ctx.fillStyle = ink.palette.text;
  ctx.fillText(
    name.length <= fits ? name : `${name.slice(0, fits - 1)}…`,
    left,
    box.y + box.height / 2 + 0.5,
  );
}

function firstSeen({ t0, t1, length }: Blocks, from: number): number {
  let i = Math.max(0, firstFrom(t0, length, from) - 1);
  // Those of the deepest row may overlap: one that began long ago may still be seen.
  while (i > 0 && (t1[i - 1] ?? 0) > from) i -= 1;
  return i;
}

/** The same name has the same hue, here and in the next query. */
function hueOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return hash % HUES.length;
}

function paintCounter({ ctx, scale, box, ink }: LaneCanvas, { rows, scale: { low, high } }: SqlLane): void {
  const { palette } = ink;
  const [only] = rows;
  if (!only) return;
  const count = Math.round(box.width * box.ratio);
  const columns = counterColumns(only, scale.from, 1 / (scale.perNs * box.ratio), count);
  const height = box.height - 2 * PAD;
  const base = box.y + PAD + height;
  const perUnit = height / (high - low);
  const zero = base - (0 - low) * perUnit;
  // What it ranged over within a pixel, where that is more than one value.
  ctx.fillStyle = palette.accent;
  ctx.globalAlpha = 0.28;
  for (let x = 0; x < count; x += 1) {
    const [least, most] = [columns.low[x] ?? Number.NaN, columns.high[x] ?? Number.NaN];
    if (!(most > least)) continue;
    ctx.fillRect(
      x / box.ratio,
      base - (most - low) * perUnit,
      1 / box.ratio,
      Math.max(1, (most - least) * perUnit),
    );
  }
  ctx.globalAlpha = 1;
  if (low < 0) {
    paintSigned(ctx, columns.mean, { zero, perUnit, ratio: box.ratio }, palette.accent);
  } else {
    const values = columns.mean.map((value) => (Number.isNaN(value) ? 0 : value));
    paintArea(ctx, values, high, { base, height, ratio: box.ratio }, palette.accent);
  }
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, zero, box.width, 1);
}

/** Up and down from nothing. */
function paintSigned(
  ctx: CanvasRenderingContext2D,
  mean: Float64Array,
  { zero, perUnit, ratio }: { readonly zero: number; readonly perUnit: number; readonly ratio: number },
  colour: string,
): void {
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.6;
  for (let x = 0; x < mean.length; x += 1) {
    const value = mean[x] ?? Number.NaN;
    if (Number.isNaN(value) || value === 0) continue;
    const height = Math.max(1, Math.abs(value) * perUnit);
    ctx.fillRect(x / ratio, value > 0 ? zero - height : zero, 1 / ratio, height);
  }
  ctx.globalAlpha = 1;
}
