/** The whole trace in one strip: waiting tasks as a skyline, busy CPUs stacked by node below it. */

import { type BrushBehavior, brushX, type D3BrushEvent } from "d3-brush";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { type Span, spanLength } from "../../lib/time.ts";
import type { Palette } from "../../ui/canvas/palette.ts";
import { type TimeScale, xOf } from "../../ui/canvas/surface.ts";
import { paintColumns } from "../draw/strips.ts";
import type { Piece } from "../tiles/tiles.ts";
import { type Columns, resample } from "../tiles/window-source.ts";

export interface MinimapLane {
  readonly pieces: readonly Piece[];
  readonly colour: string;
  /** The node's share of all CPUs. */
  readonly weight: number;
}

export interface MinimapSize {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

interface CommonWindow {
  readonly from: number;
  readonly to: number;
}

/** Adds the nodes' columns up. */
function together(
  nodes: readonly Columns[],
  pick: (columns: Columns) => Float64Array,
  count: number,
): Float64Array {
  const sum = new Float64Array(count);
  for (const node of nodes) {
    const values = pick(node);
    for (let x = 0; x < count; x += 1) sum[x] = (sum[x] ?? 0) + (values[x] ?? 0);
  }
  return sum;
}

export function paintMinimap(
  ctx: CanvasRenderingContext2D,
  lanes: readonly MinimapLane[],
  scale: TimeScale,
  size: MinimapSize,
  palette: Palette,
  common: CommonWindow,
): void {
  const { width, height, ratio } = size;
  const count = Math.round(width * ratio);
  const nodes = lanes.map(({ pieces }) =>
    resample(
      pieces.map(({ tile, span }) => ({ items: tile.bars, span })),
      scale.from,
      scale.perNs * ratio,
      count,
    ),
  );
  const waitHeight = Math.round(height * 0.54);
  const busyHeight = height - waitHeight - 3;
  ctx.fillStyle = palette.track;
  ctx.fillRect(0, 0, width, height);

  const peak = together(nodes, (node) => node.peak, count);
  const most = peak.reduce((a, b) => Math.max(a, b), 1);
  const skyline = { base: waitHeight, height: waitHeight, ratio };
  ctx.fillStyle = palette.costSoft;
  paintColumns(ctx, peak, most, skyline);
  ctx.fillStyle = palette.cost;
  paintColumns(
    ctx,
    together(nodes, (node) => node.wait, count),
    most,
    skyline,
  );

  // Stacked with the first node on top, as the lanes are: the whole stack first, then what is below each.
  const stack = new Float64Array(count);
  const steps = lanes.map(({ weight }, n) => {
    const below = lanes.length - 1 - n;
    const values = nodes[below]?.busy;
    const share = lanes[below]?.weight ?? weight;
    for (let x = 0; x < count; x += 1) stack[x] = (stack[x] ?? 0) + (values?.[x] ?? 0) * share;
    return { total: stack.slice(), colour: lanes[below]?.colour ?? "" };
  });
  for (const { total, colour } of steps.reverse()) {
    ctx.fillStyle = colour;
    paintColumns(ctx, total, 1, { base: height, height: busyHeight, ratio });
  }
  ctx.fillStyle = palette.line;
  ctx.fillRect(0, waitHeight + 1, width, 1);
  paintCommonWindow(ctx, scale, size, palette, common);
}

/** Narrower than this the window could not be seen or held, CSS pixels. */
export const MIN_WIDTH = 3;

/** The window on the whole trace: what it leaves out steps back, a frame goes around what it shows. */
export function paintMinimapWindow(
  ctx: CanvasRenderingContext2D,
  { width, height }: MinimapSize,
  { x0, x1 }: { readonly x0: number; readonly x1: number },
  palette: Palette,
): void {
  ctx.fillStyle = palette.ground;
  ctx.globalAlpha = 0.62;
  if (x0 > 0) ctx.fillRect(0, 0, Math.min(x0, width), height);
  if (x1 < width) ctx.fillRect(Math.max(0, x1), 0, width - Math.max(0, x1), height);
  ctx.globalAlpha = 1;
  const middle = (x0 + x1) / 2;
  const half = Math.max(MIN_WIDTH, x1 - x0) / 2;
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 1.5;
  ctx.strokeRect(middle - half, 0.75, 2 * half, height - 1.5);
}

/** Shades what lies outside the common window and marks its edges. */
export function paintCommonWindow(
  ctx: CanvasRenderingContext2D,
  scale: TimeScale,
  size: { readonly width: number; readonly height: number },
  palette: Palette,
  common: CommonWindow,
): void {
  const x0 = xOf(scale, common.from);
  const x1 = xOf(scale, common.to);
  ctx.fillStyle = palette.beyond;
  if (x0 > 0) ctx.fillRect(0, 0, Math.min(x0, size.width), size.height);
  if (x1 < size.width) ctx.fillRect(Math.max(0, x1), 0, size.width - Math.max(0, x1), size.height);
  ctx.strokeStyle = palette.muted;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  for (const x of [x0, x1]) {
    if (x <= 0.5 || x >= size.width - 0.5) continue;
    ctx.moveTo(Math.round(x) + 0.5, 0);
    ctx.lineTo(Math.round(x) + 0.5, size.height);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

// The window on the minimap as a D3 brush: drag it, pull its edges, or click elsewhere to move it there.

export interface BrushHandlers {
  readonly move: (span: Span) => void;
  readonly end: () => void;
}

/** No window is this: the first that is shown differs. */
const NOWHERE: Span = { from: 0, to: 0 };

export class MinimapBrush {
  readonly #group: SVGGElement;
  readonly #handlers: BrushHandlers;
  readonly #brush: BrushBehavior<undefined>;
  #bounds: Span = { from: 0, to: 1 };
  #width = 0;
  #height = 0;
  #view: Span = NOWHERE;
  /** Last position of the brush. */
  #shown: Span = NOWHERE;
  #busy = false;

  constructor(group: SVGGElement, handlers: BrushHandlers) {
    this.#group = group;
    this.#handlers = handlers;
    this.#brush = brushX<undefined>()
      .on("start brush", (event: D3BrushEvent<undefined>) => this.#moved(event))
      .on("end", (event: D3BrushEvent<undefined>) => this.#ended(event));
  }

  resize(width: number, height: number, bounds: Span): void {
    if (this.#width === width && this.#height === height && this.#bounds === bounds) return;
    this.#width = width;
    this.#height = height;
    this.#bounds = bounds;
    this.#brush.extent([
      [0, 0],
      [width, height],
    ]);
    select<SVGGElement, undefined>(this.#group).call(this.#brush);
    this.#shown = NOWHERE;
  }

  /**
   * Puts the brush at the window. During moves the canvas below shows it, and invisible elements need not follow
   * with every frame.
   */
  show(view: Span): void {
    this.#view = view;
    const same = view.from === this.#shown.from && view.to === this.#shown.to;
    // While a hand holds it, the brush is where the hand is.
    if (this.#width === 0 || this.#busy || same) return;
    this.#shown = view;
    const scale = this.#scale();
    let x0 = scale(view.from);
    let x1 = scale(view.to);
    if (x1 - x0 < MIN_WIDTH) {
      const centre = (x0 + x1) / 2;
      x0 = centre - MIN_WIDTH / 2;
      x1 = centre + MIN_WIDTH / 2;
    }
    const inside = (x: number) => Math.min(Math.max(x, 0), this.#width);
    select<SVGGElement, undefined>(this.#group).call(this.#brush.move, [inside(x0), inside(x1)]);
  }

  destroy(): void {
    this.#brush.on("start brush end", null);
    select(this.#group).on(".brush", null).selectAll("*").remove();
  }

  #scale() {
    return scaleLinear([this.#bounds.from, this.#bounds.to], [0, this.#width]);
  }

  #moved(event: D3BrushEvent<undefined>): void {
    // Without a source event it was show() that moved the brush.
    if (!event.sourceEvent) return;
    this.#busy = true;
    const range = event.selection as [number, number] | null;
    if (event.type !== "brush" || !range) return;
    const scale = this.#scale();
    const from = scale.invert(range[0]);
    if (event.mode === "drag") {
      // Carried as a whole: the length stays what it was to the ns, whatever the pixels say.
      this.#handlers.move({ from, to: from + spanLength(this.#view) });
    } else if (range[1] - range[0] >= MIN_WIDTH) {
      this.#handlers.move({ from, to: scale.invert(range[1]) });
    }
  }

  #ended(event: D3BrushEvent<undefined>): void {
    if (!event.sourceEvent) return;
    this.#busy = false;
    // Where the hand left it may not be where the window came to rest.
    this.#shown = NOWHERE;
    if (!event.selection && event.sourceEvent instanceof MouseEvent) {
      const left = this.#group.ownerSVGElement?.getBoundingClientRect().left ?? 0;
      const centre = this.#scale().invert(event.sourceEvent.clientX - left);
      const half = spanLength(this.#view) / 2;
      this.#handlers.move({ from: centre - half, to: centre + half });
    }
    this.#handlers.end();
  }
}
