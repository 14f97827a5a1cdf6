/** Puts one frame on the canvases. Knows where things go; the painters in draw/ know how they look. */

import { type Span, spanLength } from "../../lib/time.ts";
import { axisTicks } from "../../ui/canvas/axis.tsx";
import { type Theme, taskColours } from "../../ui/canvas/colour.ts";
import {
  dotPattern,
  hatchPattern,
  type Ink,
  type Palette,
  readPalette,
  whatIfPattern,
} from "../../ui/canvas/palette.ts";
import {
  beginFrame,
  fitSurface,
  makeSurface,
  type Surface,
  timeScale,
  xOf,
} from "../../ui/canvas/surface.ts";
import { HEADING, type LaneBox } from "../lanes.ts";
import type { Notes } from "../notes.ts";
import type { PanelStack } from "../panel-stack.ts";
import type { Scene } from "../scene.ts";
import { coverWith } from "../tiles/tiles.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";
import { paintCommonWindow, paintMinimap, paintMinimapWindow } from "./draw-minimap.ts";
import { notesSeen, type PlaceLane, paintMinimapNotes, paintNotes, paintPlaces } from "./draw-notes.ts";
import { isEmpty, type Outline, type OverlayState, paintOverlay } from "./draw-overlay.ts";

export interface PlotSize {
  readonly width: number;
  readonly height: number;
  readonly minimapHeight: number;
  readonly ratio: number;
}

/** CSS pixels below a lane's upper edge. */
export interface Strip {
  readonly top: number;
  readonly height: number;
}

export interface FrameState {
  readonly view: Span;
  readonly visible: readonly LaneBox[];
  readonly scrollTop: number;
  readonly focus: ReadonlySet<number> | null;
  readonly stack: PanelStack;
}

export class Painter {
  readonly #scene: Scene;
  readonly #source: TimelineSource;
  readonly #lanes: Surface;
  readonly #overlay: Surface;
  readonly #minimap: Surface;
  /** The whole trace without the window on it: that moves more often than this changes. */
  readonly #trace: Surface;
  #window = { x0: Number.NaN, x1: Number.NaN };
  /** Inputs of the picture of the whole trace. */
  #made: readonly unknown[] = [];
  readonly #place = new Map<number, number>();
  #ink: Ink;
  #size: PlotSize = { width: 0, height: 0, minimapHeight: 0, ratio: 1 };

  constructor(
    scene: Scene,
    source: TimelineSource,
    canvases: { lanes: HTMLCanvasElement; overlay: HTMLCanvasElement; minimap: HTMLCanvasElement },
    theme: Theme,
  ) {
    this.#scene = scene;
    this.#source = source;
    this.#lanes = makeSurface(canvases.lanes, true);
    this.#overlay = makeSurface(canvases.overlay, false);
    this.#minimap = makeSurface(canvases.minimap, true);
    this.#trace = makeSurface(document.createElement("canvas"), true);
    for (const [i, node] of scene.nodes.entries()) this.#place.set(node.nid, i);
    this.#ink = this.#makeInk(theme);
  }

  get palette(): Palette {
    return this.#ink.palette;
  }

  nodeColour(nid: number): string {
    return this.#ink.palette.nodes[this.#place.get(nid) ?? 0] ?? "";
  }

  taskFill(task: number): string | null {
    return this.#ink.tasks[task]?.fill ?? null;
  }

  setTheme(theme: Theme): void {
    this.#ink = this.#makeInk(theme);
  }

  resize(size: PlotSize): void {
    const { width, height, minimapHeight, ratio } = size;
    const newRatio = ratio !== this.#size.ratio;
    this.#size = size;
    fitSurface(this.#lanes, width, height, ratio);
    fitSurface(this.#overlay, width, height, ratio);
    fitSurface(this.#minimap, width, minimapHeight, ratio);
    fitSurface(this.#trace, width, minimapHeight, ratio);
    // Patterns are made of device pixels.
    if (newRatio) this.#ink = this.#makeInk(this.#ink.palette.theme);
  }

  paintLanes({ view, visible, scrollTop, focus, stack }: FrameState): void {
    const { width, height, ratio } = this.#size;
    const ctx = beginFrame(this.#lanes, this.#ink.palette.ground);
    const scale = timeScale(view, width);
    ctx.font = `11px ${this.#ink.palette.font}`;
    ctx.textBaseline = "middle";
    const charWidth = ctx.measureText("0").width;
    const nodeColour = (nid: number) => this.nodeColour(nid);
    stack.draw(
      { ctx, scale, view, width, ratio, ink: this.#ink, charWidth, focus, nodeColour },
      visible,
      scrollTop,
    );
    const seen = visible.filter(({ kind }) => kind !== HEADING);
    this.#paintGrid(
      ctx,
      view,
      seen.map((box) => ({ top: box.y - scrollTop, height: box.height })),
    );
    paintCommonWindow(ctx, scale, { width, height }, this.#ink.palette, this.#scene.common);
    this.#paintBeyond(ctx, view, width, height);
  }

  /** The axis' ticks through all lanes: they show simultaneous events. */
  #paintGrid(ctx: CanvasRenderingContext2D, view: Span, lanes: readonly Strip[]): void {
    const { width, ratio } = this.#size;
    const scale = timeScale(view, width);
    ctx.fillStyle = this.#ink.palette.muted;
    ctx.globalAlpha = 0.28;
    for (const at of axisTicks(this.#scene.origin, view, width).at) {
      const x = Math.round(xOf(scale, at) * ratio) / ratio;
      for (const { top, height } of lanes) ctx.fillRect(x, top, 1 / ratio, height);
    }
    ctx.globalAlpha = 1;
  }

  paintMinimap(notes: Notes, ranges: readonly Span[]): void {
    const { width, minimapHeight: height } = this.#size;
    const { bounds, common, nodes } = this.#scene;
    const target = spanLength(bounds) / Math.max(1, width);
    const cpus = nodes.reduce((sum, node) => sum + node.cpus.length, 0);
    const lanes = nodes.map((node) => ({
      pieces: coverWith(this.#source.tiles(`node:${node.nid}`), bounds, target),
      colour: this.nodeColour(node.nid),
      weight: node.cpus.length / Math.max(1, cpus),
    }));
    const tiles = lanes.flatMap(({ pieces }) => pieces.map(({ tile }) => tile));
    const made = [this.#size, this.#ink, notes, ranges, ...tiles];
    // Most answers are of a closer window, and change nothing here.
    if (made.length === this.#made.length && made.every((part, i) => part === this.#made[i])) return;
    this.#made = made;
    const ctx = beginFrame(this.#trace, this.#ink.palette.ground);
    const size = { width, height, ratio: this.#size.ratio };
    paintMinimap(ctx, lanes, timeScale(bounds, width), size, this.#ink.palette, common);
    paintMinimapNotes(ctx, size, timeScale(bounds, width), notes, ranges, this.#ink.palette);
    this.#window = { x0: Number.NaN, x1: Number.NaN };
  }

  /** Draws the window on the minimap: to the device pixel, so that most frames of a pan change nothing there. */
  paintWindow(view: Span): void {
    const { width, minimapHeight: height, ratio } = this.#size;
    const scale = timeScale(this.#scene.bounds, width);
    const x0 = Math.round(xOf(scale, view.from) * ratio) / ratio;
    const x1 = Math.round(xOf(scale, view.to) * ratio) / ratio;
    if (x0 === this.#window.x0 && x1 === this.#window.x1) return;
    this.#window = { x0, x1 };
    const ctx = beginFrame(this.#minimap, null);
    ctx.drawImage(this.#trace.canvas, 0, 0, width, height);
    paintMinimapWindow(ctx, { width, height, ratio }, this.#window, this.#ink.palette);
  }

  /** An overlay without anything on it is not shown at all: the browser would blend it over the lanes with every frame. */
  paintOverlay(
    state: OverlayState,
    notes: Notes,
    lanes: readonly PlaceLane[],
    limits: Span,
    view: Span,
  ): void {
    const scale = timeScale(view, this.#size.width);
    const empty = isEmpty(state) && !notesSeen(this.#size, scale, notes, limits);
    const { style } = this.#overlay.canvas;
    if (empty !== (style.visibility === "hidden")) style.visibility = empty ? "hidden" : "";
    if (empty) return;
    const ctx = beginFrame(this.#overlay, null);
    paintNotes(ctx, this.#size, scale, notes, limits, this.#ink.palette);
    paintPlaces(ctx, this.#size, scale, lanes, this.#ink.palette);
    paintOverlay(ctx, this.#size, state, this.#ink.palette);
  }

  /** Position of an interval of a lane on the screen. */
  outlineOf(box: LaneBox, span: Span, strip: Strip, view: Span, scrollTop: number): Outline {
    const scale = timeScale(view, this.#size.width);
    return {
      x0: xOf(scale, span.from),
      x1: xOf(scale, span.to),
      top: box.y - scrollTop + strip.top,
      height: strip.height,
    };
  }

  /** Position of an interval on the screen. */
  extentOf(span: Span, view: Span): { readonly x0: number; readonly x1: number } {
    const scale = timeScale(view, this.#size.width);
    return { x0: xOf(scale, span.from), x1: xOf(scale, span.to) };
  }

  /** Before the first and after the last event there is no trace. */
  #paintBeyond(ctx: CanvasRenderingContext2D, view: Span, width: number, height: number): void {
    const scale = timeScale(view, width);
    const start = xOf(scale, this.#scene.bounds.from);
    const end = xOf(scale, this.#scene.bounds.to);
    ctx.fillStyle = this.#ink.palette.ground;
    if (start > 0) ctx.fillRect(0, 0, start, height);
    if (end < width) ctx.fillRect(end, 0, width - end, height);
  }

  #makeInk(theme: Theme): Ink {
    const palette = readPalette(theme, this.#scene.nodes.length);
    const { tasks } = this.#scene;
    const names = tasks.comm.map((comm, i) => ({ comm, pid: tasks.pid[i] ?? 0 }));
    const ratio = this.#lanes.ratio;
    return {
      palette,
      hatch: hatchPattern(this.#lanes.ctx, palette.hatch, ratio),
      dots: dotPattern(this.#lanes.ctx, palette.unknown, ratio),
      whatIf: whatIfPattern(this.#lanes.ctx, palette.line, ratio),
      tasks: taskColours(names, tasks.runNs, theme),
    };
  }
}
