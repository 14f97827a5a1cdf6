/**
 * The live timeline: what window is shown, what is open and selected, and one loop that draws it.
 *
 * React mounts the elements and reads snapshots; it never draws an event. Everything that moves goes
 * through here, so that the canvases, the axis, the minimap and the address always show the same window.
 */

import type { TimelineSource } from "../data/timeline-source.ts";
import type { Slice } from "../data/types.ts";
import type { Theme } from "../logic/colour.ts";
import { type Command, HELD } from "../logic/keys.ts";
import type { ArrangeChange, PanelId } from "../logic/panels.ts";
import { around, commitRange, nested } from "../logic/ranges.ts";
import { type AbsNs, type RelNs, type Span, spanLength, toAbs, toRel } from "../logic/time.ts";
import { clampSpan, fitSpan, revealSpan } from "../logic/viewport.ts";
import { Camera } from "./camera.ts";
import { type Dirty, FrameLoop } from "./frame-loop.ts";
import { listen } from "./listening.ts";
import { NO_NOTES, type Notes } from "./notes.ts";
import type { PickedFact } from "./panel.ts";
import { PanelStack } from "./panel-stack.ts";
import { allPanels, makePanels, type Panels } from "./panels/make.ts";
import type { PressureView } from "./panels/psi.ts";
import { Picks } from "./picks.ts";
import { Plot, type Pointer } from "./plot.ts";
import { nodeLaneKeys, nodeOfCpu, type Scene, sliceSpan } from "./scene.ts";
import { Selector } from "./selector.ts";
import { Snapshots } from "./snapshots.ts";
import type { StageElements, StageHooks, StageParts, StageSnapshot, StageView } from "./stage-parts.ts";
import { applyPanelsView, panelsView, spanOf, windowOf } from "./stage-view.ts";

export class Stage {
  readonly #scene: Scene;
  readonly #source: TimelineSource;
  readonly #selector: Selector;
  readonly #panels: Panels;
  readonly #stack: PanelStack;
  readonly #picks: Picks;
  readonly #hooks: StageHooks;
  readonly #camera: Camera;
  readonly #snapshots = new Snapshots<StageSnapshot>(() => this.#takeSnapshot());
  readonly #loop = new FrameLoop((now, dirty) => this.#draw(now, dirty));
  #plot: Plot | null = null;
  #theme: Theme;

  #notes: Notes = NO_NOTES;
  #pointer: Pointer | null = null;
  #marking: { x0: number; x1: number } | null = null;

  constructor({ scene, source, lookup, panels, hooks, theme }: StageParts) {
    this.#scene = scene;
    this.#source = source;
    this.#hooks = hooks;
    this.#theme = theme;
    this.#camera = new Camera(clampSpan(scene.common, scene.bounds), scene.bounds);
    this.#selector = new Selector(scene, lookup, {
      changed: () => {
        if (this.#selector.selection) this.#pick(null);
        this.#loop.invalidate("lanes", "overlay");
        this.#snapshots.publish();
      },
      reveal: (slice) => this.#reveal(slice),
    });
    this.#panels = makePanels(scene, source, panels, {
      nodeColour: (nid) => this.nodeColour(nid),
      taskFill: (task) => this.taskFill(task),
    });
    this.#stack = new PanelStack(allPanels(this.#panels), {
      laidOut: () => this.#repaint(),
      changed: () => this.#repaint(),
    });
    this.#picks = new Picks(this.#stack);
    source.onChange = () => {
      this.#loop.invalidate("lanes", "minimap");
      this.#snapshots.changed();
    };
  }

  // ---- for React -----------------------------------------------------------------------------------

  readonly subscribe = this.#snapshots.subscribe;
  readonly getSnapshot = this.#snapshots.get;

  get scene(): Scene {
    return this.#scene;
  }

  /** What bounds the window: the innermost committed range, else the whole trace. */
  get limits(): Span {
    return this.#camera.limits;
  }

  nodeColour(nid: number): string {
    return this.#plot?.painter.nodeColour(nid) ?? "transparent";
  }

  taskFill(task: number): string | null {
    return this.#plot?.painter.taskFill(task) ?? null;
  }

  mount(elements: StageElements): () => void {
    const plot = new Plot({
      elements,
      scene: this.#scene,
      source: this.#source,
      stack: this.#stack,
      theme: this.#theme,
      brush: {
        move: (span) => this.#moveTo(clampSpan(span, this.limits)),
        end: () => this.#hooks.rest(),
      },
      again: () => this.#loop.invalidate("overlay"),
    });
    this.#plot = plot;
    this.#loop.start();
    const stop = listen(plot, {
      view: () => this.#camera.view,
      bounds: () => this.limits,
      move: (span) => this.#moveTo(span),
      settle: () => this.#hooks.rest(),
      point: (pointer) => {
        this.#pointer = pointer;
        this.#loop.invalidate("overlay");
      },
      click: (x, y) => this.#click(plot, x, y),
      doubleClick: (x, y) => this.#doubleClick(plot, x, y),
      mark: (marking) => {
        this.#marking = marking;
        this.#loop.invalidate("overlay");
      },
      marked: (span) => {
        this.#marking = null;
        this.#stepTo(span);
      },
      scrolled: () => this.#loop.invalidate("lanes", "overlay"),
      resized: () => this.#resize(plot),
    });
    this.#resize(plot);
    void this.#source.overview(nodeLaneKeys(this.#scene.nodes), Math.max(256, plot.width));
    this.#snapshots.publish();
    return () => {
      stop();
      plot.destroy();
      this.#loop.stop();
      this.#plot = null;
    };
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#plot?.painter.setTheme(theme);
    this.#loop.invalidate("lanes", "minimap", "overlay");
    this.#snapshots.publish();
  }

  // ---- the view as a whole -------------------------------------------------------------------------

  /** The view where it is going, in whole ns: what a link should open. */
  viewState(): StageView {
    const { selection } = this.#selector;
    return {
      window: windowOf(this.#camera.target, this.#scene),
      ranges: this.#camera.ranges.map((range) => windowOf(range, this.#scene)),
      ...panelsView(this.#panels, this.#stack),
      glyph: this.#picks.named,
      selection: selection ? { cpu: selection.cpu, at: selection.at } : null,
    };
  }

  /** Shows a view that came from an address. Nothing is written back. */
  apply(view: StageView, glide: boolean): void {
    const { bounds, common } = this.#scene;
    // A range of another recording bounds nothing here.
    const ranges = view.ranges.map((range) => spanOf(range, this.#scene));
    this.#camera.ranges = nested([bounds, ...ranges]).slice(1);
    const wanted = view.window ? spanOf(view.window, this.#scene) : (this.#camera.ranges.at(-1) ?? common);
    const span = clampSpan(wanted, this.limits);
    if (glide) this.#glideTo(span);
    else this.#camera.jump(span);
    applyPanelsView(view, this.#panels, this.#stack, this.#scene);
    const selected = view.selection;
    if (selected?.cpu !== this.#selector.selection?.cpu || selected?.at !== this.#selector.selection?.at) {
      if (selected) void this.#selector.select(selected.cpu, selected.at);
      else this.#selector.clear();
    }
    this.#picks.name(selected ? null : view.glyph);
    this.#repaint();
    this.#snapshots.publish();
  }

  toggleNode(nid: number): void {
    const open = new Set(this.#panels.nodes.open);
    if (!open.delete(nid)) open.add(nid);
    this.#setOpen(open);
    this.#hooks.step();
  }

  togglePressure(): void {
    this.arrange({ kind: "fold", id: "psi", folded: !this.#stack.isFolded("psi") });
  }

  /** Orders, folds, hides or resizes a panel, as one step; `step` false while a hand goes on with it. */
  arrange(change: ArrangeChange, step = true): void {
    this.#stack.change(change);
    this.#repaint();
    this.#snapshots.publish();
    if (step) this.#hooks.step();
  }

  /** Whose pressure is shown, and what of it. */
  setPressure(shown: PressureView): void {
    this.#panels.psi.shown = shown;
    this.#snapshots.publish();
    this.#hooks.step();
  }

  /** Numbers of the numa groups that have a lane; null leaves it to the page. */
  setGroups(groups: readonly number[] | null): void {
    this.#panels.cling.chosen = groups;
    this.#stack.refresh();
    this.#repaint();
    this.#snapshots.publish();
    this.#hooks.step();
  }

  /** The degree to try, percent; null is the recorded one. It is part of the view but not of the stage's. */
  setDegree(degree: number | null): void {
    this.#panels.cling.degree = degree;
    this.#repaint();
  }

  clearPicked(): void {
    this.#pick(null);
    this.#hooks.step();
  }

  /**
   * Shows a stretch with air at both sides, as one step; what runs on a CPU at a time is selected where one is named.
   */
  async show(span: Span, at: { readonly cpu: number; readonly at: AbsNs } | null = null): Promise<void> {
    this.#widenTo(span);
    this.#glideTo(fitSpan(span, this.limits));
    if (at) {
      await this.#selector.select(at.cpu, at.at);
      if (this.#selector.isAt(at.cpu, at.at)) this.#bringUp(at.cpu);
    }
    this.#hooks.step();
  }

  /** Selects the first slice of a task inside the window (else in the trace) and shows where it ran. */
  async findTask(pid: number): Promise<boolean> {
    const found = await this.#selector.findTask(pid, this.#camera.view);
    if (found) this.#hooks.step();
    return found;
  }

  /** Brings a lane onto the screen: a CPU with what runs on it at the cursor selected, or a node. */
  async showLane(lane: { readonly cpu: number } | { readonly nid: number }): Promise<void> {
    if ("cpu" in lane) {
      await this.#selector.select(lane.cpu, this.cursorTime());
      this.#bringUp(lane.cpu);
    } else {
      this.#openNode(lane.nid);
      this.#plot?.bringUp(`node:${lane.nid}`);
    }
    this.#hooks.step();
  }

  /** Brings a panel onto the screen, its heading first. */
  bringUpPanel(id: PanelId): void {
    const boxes = this.#stack.layout.boxes.filter((box) => box.panel === id);
    for (const box of [boxes.at(-1), boxes[0]]) if (box) this.#plot?.bringUp(box.key);
  }

  /** Moves a moment into the middle of the window, as one step. */
  centre(at: RelNs): void {
    const half = spanLength(this.#camera.target) / 2;
    this.#widenTo({ from: at, to: at });
    this.#stepTo({ from: at - half, to: at + half });
  }

  /** Goes to a moment on a CPU: as one step, no closer than the window is already, with what runs there selected. */
  async visit(t: RelNs, at: { readonly cpu: number; readonly at: AbsNs }): Promise<void> {
    this.#revealSpan({ from: t, to: t + 1 });
    await this.#selector.select(at.cpu, at.at);
    this.#bringUp(at.cpu);
    this.#hooks.step();
  }

  /** The time under the pointer, else in the middle of the window. */
  cursorTime(): AbsNs {
    const { view } = this.#camera;
    const pointed = this.#pointer && this.#plot?.timeAt(this.#pointer.x, view);
    const { from, to } = this.#scene.bounds;
    return toAbs(this.#scene.origin, Math.min(Math.max(pointed ?? (view.from + view.to) / 2, from), to));
  }

  /** Marks, findings and what is chosen of them: drawn over the lanes, on the axis and on the minimap. */
  setNotes(notes: Notes): void {
    this.#notes = notes;
    this.#loop.invalidate("lanes", "minimap", "overlay");
  }

  /** Leaves the ranges behind the first `depth` and shows what then bounds the window. */
  leaveRanges(depth: number): void {
    if (depth < this.#camera.ranges.length) this.#bound(this.#camera.ranges.slice(0, depth));
  }

  #commit(): void {
    const ranges = commitRange(this.#camera.ranges, this.#camera.target, this.#scene.bounds);
    if (ranges) this.#bound(ranges);
  }

  #bound(ranges: readonly Span[]): void {
    this.#camera.ranges = ranges;
    this.#stepTo(this.limits);
    this.#loop.invalidate("minimap");
    this.#snapshots.publish();
  }

  /** Leaves the ranges that a stretch does not lie in. */
  #widenTo(span: Span): void {
    const ranges = around(this.#camera.ranges, span);
    if (ranges.length === this.#camera.ranges.length) return;
    this.#camera.ranges = ranges;
    this.#loop.invalidate("minimap");
  }

  close(): void {
    this.#stack.close();
  }

  // ---- commands ------------------------------------------------------------------------------------

  /** Returns false when the command is not the timeline's. */
  command(command: Command): boolean {
    if (HELD.has(command)) {
      this.#camera.press(command);
      this.#loop.invalidate("lanes");
      return true;
    }
    switch (command) {
      case "fit-all":
        this.#stepTo(this.limits);
        return true;
      case "commit":
        this.#commit();
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
        if (this.#letGo()) return true;
        if (this.#camera.ranges.length === 0) return false;
        this.leaveRanges(this.#camera.ranges.length - 1);
        return true;
      default:
        return false;
    }
  }

  release(command: Command): void {
    if (this.#camera.release(command)) this.#hooks.rest();
  }

  releaseAll(): void {
    if (this.#camera.releaseAll()) this.#hooks.rest();
  }

  #fitSelection(): void {
    const slice = this.#selector.selection?.slice;
    const { common, origin } = this.#scene;
    const whole = clampSpan(this.#camera.ranges.at(-1) ?? common, this.limits);
    const selected = slice ? sliceSpan(slice, origin) : this.#picks.picked?.span;
    if (!selected) {
      this.#stepTo(whole);
      return;
    }
    const fitted = fitSpan(selected, this.limits);
    const shown = this.#camera.target;
    const same =
      Math.abs(shown.from - fitted.from) + Math.abs(shown.to - fitted.to) < spanLength(fitted) * 0.01;
    this.#stepTo(same ? whole : fitted);
  }

  async #walk(dir: "next" | "prev"): Promise<void> {
    if (this.#picks.picked) this.#walkFact(this.#picks.beside(dir === "next" ? 1 : -1));
    else if (await this.#selector.walk(dir)) this.#hooks.step();
  }

  #walkFact(next: PickedFact | null): void {
    if (!next) return;
    this.#pick(next);
    const t = toRel(this.#scene.origin, next.at);
    this.#revealSpan({ from: t, to: t });
    this.#hooks.step();
  }

  #reveal(slice: Slice): void {
    this.#revealSpan(sliceSpan(slice, this.#scene.origin));
    this.#bringUp(slice.cpu);
  }

  #revealSpan(span: Span): void {
    this.#widenTo(span);
    const shown = this.#camera.target;
    const next = revealSpan(shown, span, this.limits);
    if (next !== shown) this.#glideTo(next);
  }

  /** Opens the node of a CPU and scrolls to its lane. */
  #bringUp(cpu: number): void {
    const nid = nodeOfCpu(this.#scene.nodes, cpu);
    if (nid !== null) this.#openNode(nid);
    this.#plot?.bringUp(`cpu:${cpu}`);
  }

  #openNode(nid: number): void {
    const { open } = this.#panels.nodes;
    if (!open.has(nid)) this.#setOpen(new Set([...open, nid]));
  }

  // ---- pointer -------------------------------------------------------------------------------------

  #click(plot: Plot, x: number, y: number): void {
    const taken = plot.pick(x, y, this.#camera.view)?.picked.taken;
    if (taken?.kind === "slice") {
      const at = toAbs(this.#scene.origin, taken.at);
      void this.#selector.select(taken.cpu, at).then(() => this.#hooks.step());
      return;
    }
    if (taken?.kind === "fact") {
      if (this.#selector.selection) this.#selector.clear();
      this.#pick(taken.fact);
      this.#hooks.step();
      return;
    }
    this.#letGo();
  }

  /** Lets what is selected or picked go, as one step; whether there was anything. */
  #letGo(): boolean {
    if (!this.#selector.selection && !this.#picks.picked) return false;
    this.#pick(null);
    this.#selector.clear();
    this.#hooks.step();
    return true;
  }

  #doubleClick(plot: Plot, x: number, y: number): void {
    const box = plot.boxAt(y);
    if (box?.kind === "node" && plot.pick(x, y, this.#camera.view)?.picked.taken === null) {
      this.toggleNode(box.nid);
      return;
    }
    const zoom = plot.pick(x, y, this.#camera.view)?.picked.zoom;
    if (zoom) this.#stepTo(fitSpan(zoom, this.limits));
  }

  #pick(fact: PickedFact | null): void {
    if (!this.#picks.take(fact)) return;
    this.#loop.invalidate("overlay");
    this.#snapshots.publish();
  }

  // ---- moving --------------------------------------------------------------------------------------

  #moveTo(span: Span): void {
    this.#camera.jump(span);
    this.#loop.invalidate("lanes", "overlay");
    this.#hooks.follow();
    this.#snapshots.moving();
  }

  #stepTo(span: Span): void {
    this.#glideTo(clampSpan(span, this.limits));
    this.#hooks.step();
  }

  #glideTo(span: Span): void {
    this.#camera.glide(span);
    this.#loop.invalidate("lanes", "overlay");
    this.#snapshots.moving();
  }

  #setOpen(open: ReadonlySet<number>): void {
    this.#panels.nodes.open = open;
    this.#stack.refresh();
    this.#repaint();
    this.#snapshots.publish();
  }

  /** Lanes stand elsewhere, or show something else. */
  #repaint(): void {
    this.#picks.resolve();
    this.#loop.invalidate("lanes", "overlay");
    this.#snapshots.changed();
  }

  // ---- drawing -------------------------------------------------------------------------------------

  #resize(plot: Plot): void {
    plot.resize();
    this.#stack.height = plot.height;
    this.#loop.invalidate("lanes", "minimap", "overlay");
    this.#snapshots.changed();
    // Sizing a canvas clears it: draw in this very frame, or it would flash.
    this.#loop.now(performance.now());
  }

  #draw(now: number, dirty: Dirty): void {
    const plot = this.#plot;
    if (!plot) return;
    if (this.#camera.moving) this.#advance(plot, now);
    if (dirty.lanes) {
      const wanted = this.#camera.target;
      this.#stack.want(wanted, plot.visible, plot.width, !this.#source.loading);
      plot.drawLanes(this.#camera.view, this.#selector.focus, this.#notes);
    }
    if (dirty.minimap) plot.painter.paintMinimap(this.#notes, this.#camera.ranges);
    if (dirty.lanes || dirty.overlay) {
      plot.drawOverlay({
        view: this.#camera.view,
        pointer: this.#pointer,
        marking: this.#marking,
        slice: this.#selector.selection?.slice ?? null,
        fact: this.#picks.picked,
        moving: dirty.lanes,
        notes: this.#notes,
        limits: this.limits,
      });
    }
    if (this.#camera.moving) this.#loop.invalidate("lanes");
  }

  #advance(plot: Plot, now: number): void {
    const { view } = this.#camera;
    const anchor = this.#pointer
      ? plot.timeAt(this.#pointer.x, this.#camera.view)
      : (view.from + view.to) / 2;
    if (this.#camera.advance(now, anchor)) this.#hooks.follow();
    this.#snapshots.moving();
  }

  #takeSnapshot(): StageSnapshot {
    return {
      view: this.#camera.view,
      ranges: this.#camera.ranges,
      layout: this.#stack.layout,
      open: [...this.#panels.nodes.open],
      selection: this.#selector.selection,
      picked: this.#picks.picked,
      panels: this.#stack.snapshots(),
      means: this.#panels.nodes.means(this.#camera.view, this.#plot?.width ?? 1),
      waitScale: this.#panels.nodes.nodeWaitScale,
      pressure: this.#panels.psi.snapshot(this.#camera.view, !this.#stack.isFolded("psi")),
      cling: this.#panels.cling.snapshot(),
      ilb: this.#panels.ilb.snapshot(),
      memory: this.#panels.memory.snapshot(),
      loading: this.#source.loading,
      problem: this.#source.problem,
    };
  }
}
