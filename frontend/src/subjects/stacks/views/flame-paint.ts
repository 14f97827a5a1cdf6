/** Boxes of a flame graph on a canvas. */

import { contrast, oklch } from "../../../ui/canvas/colour.ts";
import type { Palette } from "../../../ui/canvas/palette.ts";
import { setText } from "../../../ui/canvas/pen.ts";
import { beginFrame, type Surface } from "../../../ui/canvas/surface.ts";
import { type Flame, type FlameView, NO_BOX, type StacksSection } from "./flame.ts";

/** Height of a box, CSS pixels. */
export const BOX = 18;
/** Narrower ones have no words. */
const WORDS_FROM = 34;
/** Narrower ones are one with their neighbours. */
const SEEN_FROM = 0.6;
/** Hues of files, the kernel's first; reds are kept for cost. */
const HUES = [255, 75, 165, 305, 210, 110, 140, 280];

export interface FlameLook {
  readonly view: FlameView;
  /** Scroll position, CSS pixels. */
  readonly top: number;
  /** The functions that are looked for, by place; null for none. */
  readonly found: ReadonlySet<number> | null;
  readonly here: number;
  /** Zoomed box. */
  readonly chosen: number;
}

export interface BoxColour {
  readonly fill: string;
  readonly ink: string;
}

/** One hue for all functions of a file, in three tones, so that neighbours differ; what has no name is grey. */
export function boxColours({ functions }: StacksSection, theme: Palette["theme"]): readonly BoxColour[] {
  const samples = new Map<string, number>();
  for (const { module, own } of functions) samples.set(module, (samples.get(module) ?? 0) + own + 1);
  const ranked = [...samples].sort((a, b) => Number(isKernel(b[0])) - Number(isKernel(a[0])) || b[1] - a[1]);
  const rank = new Map(ranked.map(([module], at) => [module, at]));
  const made = new Map<string, BoxColour>();
  return functions.map(({ name, module }) => {
    const unnamed = /\+0x[0-9a-f]+$|^0x[0-9a-f]+$/.test(name);
    const tone = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7) % 3;
    const place = rank.get(module) ?? 0;
    const key = `${unnamed} ${place} ${tone}`;
    let colour = made.get(key);
    if (!colour) {
      const chroma = module === "" ? 0.01 : unnamed ? 0.045 : place < HUES.length ? 0.1 : 0.05;
      const lightness = (theme === "light" ? 0.8 : 0.62) + (tone - 1) * 0.045;
      const fill = oklch(lightness, chroma, HUES[place % HUES.length] ?? 0);
      const ink = contrast(fill, "#101418") >= contrast(fill, "#ffffff") ? "#101418" : "#ffffff";
      colour = { fill, ink };
      made.set(key, colour);
    }
    return colour;
  });
}

export function isKernel(module: string): boolean {
  return module.startsWith("[") && module !== "[vdso]";
}

/** Common values of a frame's boxes. */
interface Brush extends FlameLook {
  readonly ctx: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly colours: readonly BoxColour[];
  readonly stacks: StacksSection;
  /** CSS pixels of the whole graph. */
  readonly scale: number;
  readonly width: number;
  /** Of a letter, CSS pixels. */
  readonly letter: number;
}

export function paintFlame(
  surface: Surface,
  flame: Flame,
  stacks: StacksSection,
  colours: readonly BoxColour[],
  look: FlameLook,
  palette: Palette,
): void {
  const ctx = beginFrame(surface, null);
  const { width, height } = surface;
  const { view, top } = look;
  setText(ctx, `11px ${palette.font}`, palette.text);
  const letter = ctx.measureText("mmmmiiii").width / 8;
  const brush = {
    ...look,
    ctx,
    palette,
    colours,
    stacks,
    width,
    letter,
    scale: width / (view.to - view.from),
  };
  /** Right edge of what is inked of each row. */
  const inked = new Float64Array(flame.depths).fill(Number.NEGATIVE_INFINITY);
  for (let box = 0; box < flame.length; box += 1) {
    const depth = flame.depth[box] ?? 0;
    const y = depth * BOX - top;
    if (y + BOX < 0 || y > height) continue;
    const { left, right } = edgesOf(flame, box, brush);
    if (right <= 0 || left >= width || right - (inked[depth] ?? 0) < SEEN_FROM) continue;
    inked[depth] = right;
    paintBox(brush, stacks.nodes.function[flame.node[box] ?? 0] ?? 0, left, right - left, y);
  }
  ctx.globalAlpha = 1;
  outline(brush, flame, look.chosen, 1);
  outline(brush, flame, look.here, 2);
}

function edgesOf(flame: Flame, box: number, { view, scale, width }: Brush) {
  return {
    left: Math.max(0, ((flame.x0[box] ?? 0) - view.from) * scale),
    right: Math.min(width, ((flame.x1[box] ?? 0) - view.from) * scale),
  };
}

function paintBox(brush: Brush, at: number, left: number, wide: number, y: number): void {
  const { ctx, palette, found, letter } = brush;
  const { fill, ink } = brush.colours[at] ?? { fill: palette.muted, ink: palette.text };
  const lit = found?.has(at) === true;
  const dimmed = found !== null && !lit;
  ctx.globalAlpha = dimmed ? 0.28 : 1;
  ctx.fillStyle = lit ? palette.accent : fill;
  ctx.fillRect(left, y, wide > 3 ? wide - 1 : Math.max(SEEN_FROM, wide), BOX - 1);
  if (wide < WORDS_FROM) return;
  const name = brush.stacks.functions[at]?.name ?? "";
  const fits = Math.floor((wide - 8) / letter);
  ctx.globalAlpha = 1;
  ctx.fillStyle = dimmed ? palette.muted : lit ? palette.ground : ink;
  ctx.fillText(name.length <= fits ? name : `${name.slice(0, fits - 1)}…`, left + 4, y + BOX / 2);
}

function outline(brush: Brush, flame: Flame, box: number, thick: number): void {
  if (box === NO_BOX || box >= flame.length) return;
  const { ctx } = brush;
  const { left, right } = edgesOf(flame, box, brush);
  ctx.strokeStyle = brush.palette.text;
  ctx.lineWidth = thick;
  const y = (flame.depth[box] ?? 0) * BOX - brush.top;
  ctx.strokeRect(left + thick / 2, y + thick / 2, Math.max(2, right - left - 1 - thick), BOX - 1 - thick);
  ctx.lineWidth = 1;
}
