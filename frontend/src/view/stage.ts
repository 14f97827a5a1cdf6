/**
 * The live timeline: what window is shown, what is open and selected, and one loop that draws it.
 *
 * React mounts the elements and reads snapshots; it never draws an event. Everything that moves goes
 * through here, so that the canvases, the axis, the minimap and the address always show the same window.
 */

import type { TimelineSource } from "../data/timeline-source.ts";
import type { Slice } from "../data/types.ts";
import type { Theme } from "../logic/colour.ts";
import type { LaneHit } from "../logic/describe.ts";
import { type Command, HELD } from "../logic/keys.ts";
import {
  defaultOpen,
  isEventLane,
  type LaneLayout,
  laneAt,
  layoutLanes,
  visibleLanes,
} from "../logic/lanes.ts";
import { coverWith, Kind, meansOver } from "../logic/tiles.ts";
import { type AbsNs, type Span, spanLength, toAbs, toRel } from "../logic/time.ts";
import { clampSpan, fitSpan, revealSpan } from "../logic/viewport.ts";
import { crosshairText, drawAxis } from "./axis.ts";
import { attachGestures } from "./gestures.ts";
import { describeProbed, HoverTip, type Under } from "./hover.ts";
import { MinimapBrush } from "./minimap-brush.ts";
import { Motion } from "./motion.ts";
import { Painter } from "./painter.ts";
import { PressurePanel } from "./pressure-panel.ts";
import { type Probed, probe, timeAt } from "./probe.ts";
import { laneOfCpu, type NodeMeans, nodeLaneKeys, nodeOfCpu, type Scene, sliceSpan } from "./scene.ts";
import { Selector } from "./selector.ts";
import type { StageElements, StageHooks, StageParts, StageSnapshot, StageView } from "./stage-parts.ts";

/** Snapshots of a moving window reach React at most this often. */
const SNAPSHOT_MS = 120;
/** Below this share of a window two windows count as the same. */
const SAME = 1e-6;

export class Stage {
  readonly #scene: Scene;
  readonly #source: TimelineSource;
  readonly #selector: Selector;
  readonly #pressure: PressurePanel;
  readonly #hooks: StageHooks;
  readonly #motion = new Motion();
  readonly #listeners = new Set<() => void>();
  #elements: StageElements | null = null;
  #painter: Painter | null = null;
  #brush: MinimapBrush | null = null;
  #tip: HoverTip | null = null;
  #theme: Theme;
  /** Kept here: asking the element in every frame would make the browser lay the page out each time. */
  #scrolled = 0;
  #width = 1;
  #height = 1;
  #frame = 0;
  #dirty = { lanes: true, minimap: true, overlay: true };
  #snapshotTimer: ReturnType<typeof setTimeout> | null = null;
  #snapshot: StageSnapshot;

  #view: Span;
  #open: Set<number>;
  #layout: LaneLayout;
  #pointer: { x: number; y: number; clientX: number; clientY: number } | null = null;
  #marking: { x0: number; x1: number } | null = null;
  #hovered: Probed | null = null;

  constructor({ scene, source, lookup, pressure, hooks, theme }: StageParts) {
    this.#scene = scene;
    this.#source = source;
    this.#selector = new Selector(scene, lookup, {
      changed: () => {
        this.#invalidate("lanes", "overlay");
        this.#publish();
      },
      reveal: (slice) => this.#reveal(slice),
    });
    this.#pressure = new PressurePanel(pressure);
    this.#hooks = hooks;
    this.#theme = theme;
    this.#view = clampSpan(scene.common, scene.bounds);
    this.#open = new Set(defaultOpen(scene.nodes));
    this.#layout = this.#makeLayout();
    this.#snapshot = this.#takeSnapshot();
    this.#pressure.onChange = () => this.#relayout();
    source.onChange = () => {
      this.#painter?.learnScales(this.#layout);
      this.#invalidate("lanes", "minimap");
      this.#publish();
    };
  }

  // ---- for React -----------------------------------------------------------------------------------

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): StageSnapshot => this.#snapshot;

  get scene(): Scene {
    return this.#scene;
  }

  nodeColour(nid: number): string {
    return this.#painter?.nodeColour(nid) ?? "transparent";
  }

  taskFill(task: number): string | null {
    return this.#painter?.taskFill(task) ?? null;
  }

  mount(elements: StageElements): () => void {
    const stop = new AbortController();
    this.#elements = elements;
    this.#painter = new Painter(this.#scene, this.#source, elements, this.#theme);
    this.#tip = new HoverTip(elements.tooltip, () => this.#invalidate("overlay"));
    this.#brush = new MinimapBrush(elements.brush, {
      move: (span) => this.#moveTo(clampSpan(span, this.#scene.bounds)),
      end: () => this.#hooks.rest(),
    });
    const detach = attachGestures(elements.plot, {
      view: () => this.#view,
      bounds: this.#scene.bounds,
      width: () => this.#width,
      move: (span) => this.#moveTo(span),
      settle: () => this.#hooks.rest(),
      scrollBy: (pixels) => {
        elements.scroller.scrollTop += pixels;
      },
      hover: (x, y, clientX, clientY) => {
        this.#pointer = { x, y, clientX, clientY };
        this.#invalidate("overlay");
      },
      leave: () => {
        this.#pointer = null;
        this.#invalidate("overlay");
      },
      click: (x, y) => this.#click(x, y),
      doubleClick: (x, y) => this.#doubleClick(x, y),
      mark: (x0, x1) => {
        this.#marking = { x0, x1 };
        this.#invalidate("overlay");
      },
      marked: (x0, x1) => {
        this.#marking = null;
        const [a, b] = [this.#timeAt(Math.min(x0, x1)), this.#timeAt(Math.max(x0, x1))];
        this.#glideTo(clampSpan({ from: a, to: b }, this.#scene.bounds));
        this.#hooks.step();
      },
    });
    elements.scroller.addEventListener(
      "scroll",
      () => {
        this.#scrolled = elements.scroller.scrollTop;
        this.#invalidate("lanes", "overlay");
      },
      { signal: stop.signal, passive: true },
    );
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(elements.plot);
    observer.observe(elements.scroller);
    observer.observe(elements.minimap);
    this.#resize();
    void this.#source.overview(nodeLaneKeys(this.#scene.nodes), Math.max(256, this.#width));
    this.#publish();
    return () => {
      stop.abort();
      detach();
      observer.disconnect();
      this.#brush?.destroy();
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
      this.#elements = null;
      this.#painter = null;
    };
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#painter?.setTheme(theme);
    this.#invalidate("lanes", "minimap", "overlay");
    this.#publish();
  }

  // ---- the view as a whole -------------------------------------------------------------------------

  /** The view where it is going, in whole ns: what a link should open. */
  viewState(): StageView {
    const { origin } = this.#scene;
    const span = this.#motion.target ?? this.#view;
    const from = toAbs(origin, span.from);
    const to = toAbs(origin, span.to);
    return {
      window: { from, to: to > from ? to : from + 1n },
      open: [...this.#open].sort((a, b) => a - b),
      pressure: this.#pressure.open === this.#pressure.defaultOpen ? null : this.#pressure.open,
      selection: this.#selector.selection
        ? { cpu: this.#selector.selection.cpu, at: this.#selector.selection.at }
        : null,
    };
  }

  /** Shows a view that came from an address. Nothing is written back. */
  apply(view: StageView, glide: boolean): void {
    const { origin, bounds, common, nodes } = this.#scene;
    const wanted = view.window
      ? { from: toRel(origin, view.window.from), to: toRel(origin, view.window.to) }
      : common;
    const span = clampSpan(wanted, bounds);
    if (glide) this.#glideTo(span);
    else {
      this.#motion.stop();
      this.#view = span;
    }
    this.#pressure.open = view.pressure ?? this.#pressure.defaultOpen;
    const known = new Set(nodes.map((node) => node.nid));
    this.#setOpen(new Set((view.open ?? defaultOpen(nodes)).filter((nid) => known.has(nid))));
    const selected = view.selection;
    if (selected?.cpu !== this.#selector.selection?.cpu || selected?.at !== this.#selector.selection?.at) {
      if (selected) void this.#selector.select(selected.cpu, selected.at);
      else this.#selector.clear();
    }
    this.#invalidate("lanes", "overlay");
    this.#publish();
  }

  toggleNode(nid: number): void {
    const open = new Set(this.#open);
    if (!open.delete(nid)) open.add(nid);
    this.#setOpen(open);
    this.#hooks.step();
  }

  togglePressure(): void {
    this.#pressure.open = !this.#pressure.open;
    this.#relayout();
    this.#hooks.step();
  }

  /**
   * Shows a stretch with air at both sides, as one step; what runs on a CPU at a time is selected where one is named.
   */
  async show(span: Span, at: { readonly cpu: number; readonly at: AbsNs } | null = null): Promise<void> {
    this.#glideTo(fitSpan(span, this.#scene.bounds));
    if (at) {
      await this.#selector.select(at.cpu, at.at);
      if (this.#selector.isAt(at.cpu, at.at)) this.#bringUp(at.cpu);
    }
    this.#hooks.step();
  }

  /** Selects the first slice of a task inside the window (else in the trace) and shows where it ran. */
  async findTask(pid: number): Promise<boolean> {
    const found = await this.#selector.findTask(pid, this.#view);
    if (found) this.#hooks.step();
    return found;
  }

  // ---- commands ------------------------------------------------------------------------------------

  /** Returns false when the command is not the timeline's. */
  command(command: Command): boolean {
    if (HELD.has(command)) {
      this.#motion.press(command, performance.now());
      this.#invalidate("lanes");
      return true;
    }
    switch (command) {
      case "fit-all":
        this.#stepTo(this.#scene.bounds);
        return true;
      case "fit-selection":
        this.#fitSelection();
        return true;
      case "next":
        void this.#walk("next");
        return true;
      case "previous":
        void this.#walk("prev");
        return true;
      case "escape":
        if (!this.#selector.selection) return false;
        this.#selector.clear();
        this.#hooks.step();
        return true;
      default:
        return false;
    }
  }

  release(command: Command): void {
    if (this.#motion.release(command)) this.#hooks.rest();
  }

  releaseAll(): void {
    if (this.#motion.releaseAll()) this.#hooks.rest();
  }

  #fitSelection(): void {
    const slice = this.#selector.selection?.slice;
    const { bounds, common, origin } = this.#scene;
    if (!slice) {
      this.#stepTo(clampSpan(common, bounds));
      return;
    }
    const fitted = fitSpan(sliceSpan(slice, origin), bounds);
    const shown = this.#motion.target ?? this.#view;
    const same =
      Math.abs(shown.from - fitted.from) + Math.abs(shown.to - fitted.to) < spanLength(fitted) * 0.01;
    this.#stepTo(same ? clampSpan(common, bounds) : fitted);
  }

  async #walk(dir: "next" | "prev"): Promise<void> {
    if (await this.#selector.walk(dir)) this.#hooks.step();
  }

  #reveal(slice: Slice): void {
    const span = this.#motion.target ?? this.#view;
    const next = revealSpan(span, sliceSpan(slice, this.#scene.origin), this.#scene.bounds);
    if (next !== span) this.#glideTo(next);
    this.#bringUp(slice.cpu);
  }

  /** Opens the node of a CPU and scrolls to its lane. */
  #bringUp(cpu: number): void {
    const nid = nodeOfCpu(this.#scene.nodes, cpu);
    if (nid !== null && !this.#open.has(nid)) this.#setOpen(new Set([...this.#open, nid]));
    const box = laneOfCpu(this.#layout.boxes, cpu);
    const scroller = this.#elements?.scroller;
    if (!box || !scroller) return;
    if (box.y < scroller.scrollTop) scroller.scrollTop = box.y;
    else if (box.y + box.height > scroller.scrollTop + this.#height) {
      scroller.scrollTop = box.y + box.height - this.#height;
    }
  }

  // ---- pointer -------------------------------------------------------------------------------------

  #click(x: number, y: number): void {
    const found = this.#find(x, y);
    if (found && found.box.kind === "cpu" && found.hit.strip === "bars") {
      const { tile, hit, box } = found;
      const exact = tile.bars.kind[hit.index] === Kind.Slice;
      const at = exact ? Math.max(hit.from, this.#scene.bounds.from) : this.#timeInside(x, hit);
      void this.#selector
        .select(box.cpu, toAbs(this.#scene.origin, Math.ceil(at)))
        .then(() => this.#hooks.step());
      return;
    }
    if (this.#selector.selection) {
      this.#selector.clear();
      this.#hooks.step();
    }
  }

  #doubleClick(x: number, y: number): void {
    const found = this.#find(x, y);
    const box = found?.box ?? laneAt(this.#layout, y + this.#scrolled);
    if (box?.kind === "node") this.toggleNode(box.nid);
    else if (found?.hit.strip === "bars") {
      this.#stepTo(fitSpan({ from: found.hit.from, to: found.hit.to }, this.#scene.bounds));
    }
  }

  #timeInside(x: number, hit: LaneHit): number {
    return Math.min(Math.max(this.#timeAt(x), hit.from), hit.to - 1);
  }

  #find(x: number, y: number): Probed | null {
    const place = {
      layout: this.#layout,
      view: this.#view,
      bounds: this.#scene.bounds,
      width: this.#width,
      scrollTop: this.#scrolled,
    };
    return probe(this.#source, place, x, y);
  }

  #timeAt(x: number): number {
    return timeAt(x, this.#view, this.#width);
  }

  // ---- moving --------------------------------------------------------------------------------------

  #moveTo(span: Span): void {
    this.#motion.stop();
    this.#view = span;
    this.#invalidate("lanes", "overlay");
    this.#hooks.follow();
    this.#publishSoon();
  }

  #stepTo(span: Span): void {
    this.#glideTo(clampSpan(span, this.#scene.bounds));
    this.#hooks.step();
  }

  #glideTo(span: Span): void {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const far = Math.abs(span.from - this.#view.from) + Math.abs(span.to - this.#view.to);
    if (still || far < spanLength(span) * SAME) {
      this.#motion.stop();
      this.#view = span;
    } else {
      this.#motion.glide(this.#view, span, performance.now());
    }
    this.#invalidate("lanes", "overlay");
    this.#publishSoon();
  }

  #setOpen(open: Set<number>): void {
    this.#open = open;
    this.#relayout();
    this.#painter?.learnScales(this.#layout);
  }

  #makeLayout(): LaneLayout {
    return layoutLanes(this.#scene.nodes, this.#open, this.#height, this.#pressure.lanes);
  }

  #relayout(): void {
    this.#layout = this.#makeLayout();
    this.#invalidate("lanes", "overlay");
    this.#publish();
  }

  // ---- drawing -------------------------------------------------------------------------------------

  #resize(): void {
    const elements = this.#elements;
    if (!elements || !this.#painter) return;
    const { scroller } = elements;
    // The rows above the scroller keep the width of its scroll bar free, so that time lines up.
    scroller.parentElement?.style.setProperty(
      "--scroll-bar",
      `${scroller.offsetWidth - scroller.clientWidth}px`,
    );
    const width = Math.max(1, elements.plot.clientWidth);
    const height = Math.max(1, scroller.clientHeight);
    const minimapHeight = elements.minimap.clientHeight;
    elements.plot.style.height = `${height}px`;
    if (height !== this.#height) {
      this.#height = height;
      this.#layout = this.#makeLayout();
      this.#publish();
    }
    this.#width = width;
    this.#scrolled = scroller.scrollTop;
    this.#painter.resize({ width, height, minimapHeight, ratio: window.devicePixelRatio || 1 });
    this.#brush?.resize(width, minimapHeight, this.#scene.bounds);
    this.#invalidate("lanes", "minimap", "overlay");
    // Sizing a canvas clears it: draw in this very frame, or it would flash.
    this.#draw(performance.now());
  }

  #invalidate(...layers: ("lanes" | "minimap" | "overlay")[]): void {
    for (const layer of layers) this.#dirty[layer] = true;
    if (this.#frame === 0 && this.#elements) {
      this.#frame = requestAnimationFrame((now) => {
        this.#frame = 0;
        this.#draw(now);
      });
    }
  }

  #draw(now: number): void {
    const elements = this.#elements;
    const painter = this.#painter;
    if (!elements || !painter) return;
    if (this.#motion.active) this.#advance(now);
    const dirty = this.#dirty;
    this.#dirty = { lanes: false, minimap: false, overlay: false };
    if (dirty.lanes) {
      const scrollTop = this.#scrolled;
      const shown = visibleLanes(this.#layout, scrollTop, this.#height).filter(isEventLane);
      const wanted = this.#motion.target ?? this.#view;
      this.#source.want(
        shown.map((box) => box.key),
        wanted,
        this.#width,
      );
      this.#pressure.want(wanted);
      painter.paintLanes({
        view: this.#view,
        layout: this.#layout,
        scrollTop,
        focus: this.#selector.focus,
        pressure: this.#pressure,
      });
      drawAxis(elements.axis, this.#view, this.#width, this.#scene.origin);
      this.#brush?.show(this.#view);
    }
    if (dirty.minimap) painter.paintMinimap();
    if (dirty.lanes || dirty.overlay) this.#drawOverlay(painter, elements, dirty.lanes);
    if (this.#motion.active) this.#invalidate("lanes");
  }

  #advance(now: number): void {
    const anchor = this.#pointer ? this.#timeAt(this.#pointer.x) : (this.#view.from + this.#view.to) / 2;
    const held = this.#motion.target === null;
    this.#view = this.#motion.step(this.#view, now, anchor, this.#scene.bounds);
    if (held) this.#hooks.follow();
    this.#publishSoon();
  }

  #drawOverlay(painter: Painter, elements: StageElements, moving: boolean): void {
    const scrollTop = this.#scrolled;
    const pointer = this.#pointer;
    this.#hovered = pointer && !this.#marking ? this.#find(pointer.x, pointer.y) : null;
    const hovered = this.#hovered;
    const slice = this.#selector.selection?.slice;
    const selectedBox = slice ? laneOfCpu(this.#layout.boxes, slice.cpu) : null;
    painter.paintOverlay({
      crosshair: this.#marking ? null : (pointer?.x ?? null),
      hovered:
        hovered && hovered.box.kind === "cpu" && hovered.hit.strip === "bars"
          ? painter.outlineOf(hovered.box, hovered.hit, this.#view, scrollTop)
          : null,
      selected:
        slice && selectedBox
          ? painter.outlineOf(selectedBox, sliceSpan(slice, this.#scene.origin), this.#view, scrollTop)
          : null,
      marking: this.#marking,
    });
    const under = pointer && !this.#marking ? this.#describe(painter, pointer.x, pointer.y) : null;
    this.#tip?.follow(under, pointer, moving);
    const { crosshairTime } = elements;
    crosshairTime.hidden = pointer === null;
    if (pointer) {
      crosshairTime.textContent = crosshairText(this.#scene.origin, this.#view, pointer.x, this.#width);
      const half = crosshairTime.offsetWidth / 2;
      const left = Math.min(Math.max(pointer.x - half, 0), this.#width - 2 * half);
      crosshairTime.style.transform = `translateX(${Math.round(left)}px)`;
    }
  }

  /** What a point of the plot shows, in words and its colour. */
  #describe(painter: Painter, x: number, y: number): Under | null {
    const { origin, bounds } = this.#scene;
    if (this.#hovered) return describeProbed(this.#hovered, origin, painter);
    const lane = laneAt(this.#layout, y + this.#scrolled);
    const at = this.#timeAt(x);
    if (lane?.kind !== "pressure" || at < bounds.from || at > bounds.to) return null;
    const what = this.#pressure.describe(lane, at, origin);
    return what && { what, swatch: null };
  }

  // ---- snapshots -----------------------------------------------------------------------------------

  #publishSoon(): void {
    this.#snapshotTimer ??= setTimeout(() => this.#publish(), SNAPSHOT_MS);
  }

  #publish(): void {
    if (this.#snapshotTimer !== null) clearTimeout(this.#snapshotTimer);
    this.#snapshotTimer = null;
    this.#snapshot = this.#takeSnapshot();
    for (const listener of this.#listeners) listener();
  }

  #takeSnapshot(): StageSnapshot {
    const target = spanLength(this.#view) / this.#width;
    const means = new Map<number, NodeMeans>();
    for (const { nid } of this.#scene.nodes) {
      const pieces = coverWith(this.#source.tiles(`node:${nid}`), this.#view, target);
      const mean = meansOver(pieces, this.#view);
      if (mean) means.set(nid, mean);
    }
    return {
      view: this.#view,
      layout: this.#layout,
      open: [...this.#open],
      selection: this.#selector.selection,
      means,
      waitScale: this.#painter?.nodeWaitScale ?? 1,
      pressure: this.#pressure.snapshot(this.#view),
      loading: this.#source.loading,
      problem: this.#source.problem,
    };
  }
}
