/** The theme's tokens as colours a canvas understands. Read once per theme change. */

import { nodeColour, type TaskColour, type Theme } from "./colour.ts";

export interface Palette {
  readonly theme: Theme;
  readonly ground: string;
  readonly track: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly accent: string;
  /** Red: kept for cost. */
  readonly cost: string;
  readonly costSoft: string;
  /** Pressure of which all tasks suffer, before that of some. */
  readonly full: string;
  /** Colour of warnings that are not costs. */
  readonly warn: string;
  readonly hatch: string;
  readonly unknown: string;
  readonly beyond: string;
  /** By place in topology order. */
  readonly nodes: readonly string[];
  readonly font: string;
}

const TOKENS = {
  ground: "--ground",
  track: "--track",
  line: "--line",
  text: "--text",
  muted: "--muted",
  accent: "--accent",
  cost: "--cost",
  costSoft: "--cost-soft",
  full: "--full",
  warn: "--warn",
  hatch: "--hatch",
  unknown: "--unknown",
  beyond: "--beyond",
} as const;

/** Tokens use light-dark(); only a computed property resolves it, so a probe element wears each in turn. */
export function readPalette(theme: Theme, nodeCount: number): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(
    Object.entries(TOKENS).map(([name, token]) => [name, read(token)]),
  ) as Record<keyof typeof TOKENS, string>;
  const root = getComputedStyle(document.documentElement);
  const palette: Palette = {
    theme,
    ...colours,
    nodes: Array.from({ length: nodeCount }, (_, i) => nodeColour(i, theme)),
    font: root.getPropertyValue("--sans").trim(),
  };
  probe.remove();
  return palette;
}

/** Diagonal lines for lost events: no colour alone says it. */
export function hatchPattern(
  ctx: CanvasRenderingContext2D,
  colour: string,
  ratio: number,
): CanvasPattern | string {
  return diagonals(ctx, colour, ratio, { every: 8, width: 1.4, rising: true });
}

/** Thin lines the other way for what was never so: the ground of a what-if. */
export function whatIfPattern(
  ctx: CanvasRenderingContext2D,
  colour: string,
  ratio: number,
): CanvasPattern | string {
  return diagonals(ctx, colour, ratio, { every: 6, width: 1, rising: false });
}

interface Lines {
  /** CSS pixels, as the width. */
  readonly every: number;
  readonly width: number;
  readonly rising: boolean;
}

function diagonals(
  ctx: CanvasRenderingContext2D,
  colour: string,
  ratio: number,
  { every, width, rising }: Lines,
): CanvasPattern | string {
  const size = Math.round(every * ratio);
  const [from, to] = rising ? [size, 0] : [0, size];
  return (
    tile(ctx, size, ratio, (c) => {
      c.strokeStyle = colour;
      c.lineWidth = width * ratio;
      c.beginPath();
      for (const shift of [-size, 0, size]) {
        c.moveTo(shift, from);
        c.lineTo(shift + size, to);
      }
      c.stroke();
    }) ?? colour
  );
}

/** Sparse dots for time before the first known task. */
export function dotPattern(
  ctx: CanvasRenderingContext2D,
  colour: string,
  ratio: number,
): CanvasPattern | string {
  const size = Math.round(6 * ratio);
  return (
    tile(ctx, size, ratio, (c) => {
      c.fillStyle = colour;
      c.beginPath();
      c.arc(size / 2, size / 2, 0.8 * ratio, 0, Math.PI * 2);
      c.fill();
    }) ?? colour
  );
}

function tile(
  ctx: CanvasRenderingContext2D,
  size: number,
  ratio: number,
  draw: (c: CanvasRenderingContext2D) => void,
): CanvasPattern | null {
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  const c = canvas.getContext("2d");
  if (!c) return null;
  draw(c);
  const pattern = ctx.createPattern(canvas, "repeat");
  // The tile is in device pixels while painters work in CSS pixels.
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

/** Common values of the painters of lanes. */
export interface Ink {
  readonly palette: Palette;
  readonly hatch: CanvasPattern | string;
  readonly dots: CanvasPattern | string;
  readonly whatIf: CanvasPattern | string;
  /** By row of the task table. */
  readonly tasks: readonly TaskColour[];
}
