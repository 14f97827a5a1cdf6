/** Puts one frame on the canvases. Knows where things go; the painters in draw/ know how they look. */

import type { TimelineSource } from "../data/timeline-source.ts";
import { cpuStrips, paintCpuLane } from "../draw/cpu-lane.ts";
import { paintCommonWindow, paintMinimap } from "../draw/minimap.ts";
import { paintNodeLane } from "../draw/node-lane.ts";
import { type Outline, type OverlayState, paintOverlay } from "../draw/overlay.ts";
import {
  dotPattern,
  hatchPattern,
  type Ink,
  type Palette,
  readPalette,
  whatIfPattern,
} from "../draw/palette.ts";
import { paintPressureLane } from "../draw/pressure-lane.ts";
import { beginFrame, fitSurface, makeSurface, type Surface, timeScale, xOf } from "../draw/surface.ts";
import { type Theme, taskColours } from "../logic/colour.ts";
import { isEventLane, type LaneBox, type LaneLayout, visibleLanes } from "../logic/lanes.ts";
import { coverWith } from "../logic/tiles.ts";
import { type Span, spanLength } from "../logic/time.ts";
import type { PressurePanel } from "./pressure-panel.ts";
import type { Scene } from "./scene.ts";

export interface PlotSize {
  readonly width: number;
  readonly height: number;
  readonly minimapHeight: number;
  readonly ratio: number;
}

export interface FrameState {
  readonly view: Span;
  readonly layout: LaneLayout;
  readonly scrollTop: number;
  readonly focus: ReadonlySet<number> | null;
  readonly pressure: PressurePanel;
}

/** Waiting tasks at full height when the trace has fewer: one waiting task must not look like a jam. */
const LEAST_NODE_WAIT = 4;
const LEAST_CPU_WAIT = 2;

export class Painter {
  readonly #scene: Scene;
  readonly #source: TimelineSource;
  readonly #lanes: Surface;
  readonly #overlay: Surface;
  readonly #minimap: Surface;
  readonly #place = new Map<number, number>();
  #ink: Ink;
  #charWidth = 6;
  #size: PlotSize = { width: 0, height: 0, minimapHeight: 0, ratio: 1 };
  nodeWaitScale = LEAST_NODE_WAIT;
  #cpuWaitScale = LEAST_CPU_WAIT;

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
    // Patterns are made of device pixels.
    if (newRatio) this.#ink = this.#makeInk(this.#ink.palette.theme);
  }

  /** Scales of the waiting strips follow the largest depth seen; they only ever grow, so nothing jumps back. */
  learnScales(layout: LaneLayout): void {
    for (const box of layout.boxes.filter(isEventLane)) {
      for (const tile of this.#source.tiles(box.key)) {
        if (box.kind === "node") this.nodeWaitScale = Math.max(this.nodeWaitScale, maxOf(tile.bars.waitMax));
        else this.#cpuWaitScale = Math.max(this.#cpuWaitScale, maxOf(tile.waits.waitMax));
      }
    }
  }

  paintLanes(state: FrameState): void {
    const { width, height } = this.#size;
    const ctx = beginFrame(this.#lanes, this.#ink.palette.ground);
    const scale = timeScale(state.view, width);
    const target = spanLength(state.view) / Math.max(1, width);
    ctx.font = `11px ${this.#ink.palette.mono}`;
    ctx.textBaseline = "middle";
    this.#charWidth = ctx.measureText("0").width;
    for (const box of visibleLanes(state.layout, state.scrollTop, height)) {
      const place = { y: box.y - state.scrollTop, height: box.height, width, ratio: this.#size.ratio };
      if (box.kind === "section") continue;
      if (box.kind === "pressure") {
        const lane = state.pressure.lane(box.resource);
        paintPressureLane(ctx, lane, state.view, scale, place, this.#ink, state.pressure.scale);
        continue;
      }
      const pieces = coverWith(this.#source.tiles(box.key), state.view, target);
      if (box.kind === "node") {
        const colour = this.nodeColour(box.nid);
        paintNodeLane(ctx, pieces, scale, place, colour, this.#ink, this.nodeWaitScale);
      } else {
        paintCpuLane(ctx, pieces, scale, place, {
          ink: this.#ink,
          waitScale: this.#cpuWaitScale,
          focus: state.focus,
          labelOf: (task) => this.taskName(task),
          charWidth: this.#charWidth,
        });
      }
    }
    paintCommonWindow(ctx, scale, { width, height }, this.#ink.palette, this.#scene.common);
    this.#paintBeyond(ctx, state.view, width, height);
  }

  paintMinimap(): void {
    const { width, minimapHeight: height } = this.#size;
    const { bounds, common, nodes } = this.#scene;
    const ctx = beginFrame(this.#minimap, this.#ink.palette.ground);
    const target = spanLength(bounds) / Math.max(1, width);
    const cpus = nodes.reduce((sum, node) => sum + node.cpus.length, 0);
    const lanes = nodes.map((node) => ({
      pieces: coverWith(this.#source.tiles(`node:${node.nid}`), bounds, target),
      colour: this.nodeColour(node.nid),
      weight: node.cpus.length / Math.max(1, cpus),
    }));
    const size = { width, height, ratio: this.#size.ratio };
    paintMinimap(ctx, lanes, timeScale(bounds, width), size, this.#ink.palette, common);
  }

  paintOverlay(state: OverlayState): void {
    paintOverlay(beginFrame(this.#overlay, null), this.#size, state, this.#ink.palette);
  }

  /** Where a stretch of a CPU lane stands on the screen. */
  outlineOf(box: LaneBox, span: Span, view: Span, scrollTop: number): Outline {
    const scale = timeScale(view, this.#size.width);
    const strips = cpuStrips(box.height);
    return {
      x0: xOf(scale, span.from),
      x1: xOf(scale, span.to),
      top: box.y - scrollTop + strips.runTop,
      height: strips.runHeight,
    };
  }

  taskName(task: number): { comm: string; pid: number } | null {
    const { comm, pid } = this.#scene.tasks;
    const name = comm[task];
    return name === undefined ? null : { comm: name, pid: pid[task] ?? 0 };
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

function maxOf(values: Uint32Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}
