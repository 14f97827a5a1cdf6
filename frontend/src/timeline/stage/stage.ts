/** Before anything on the page can stop an event. */
const AT_ONCE = { capture: true, passive: true, once: true } as const;

/**
 * The live timeline: what window is shown, what is open and selected, and one loop that draws it.
 *
 * React mounts the elements and reads snapshots; it never draws an event. Everything that moves goes
 * through here, so that the canvases, the axis, the minimap and the address always show the same window.
 */

import { type AbsNs, type RelNs, type Span, toAbs, toRel } from "../../lib/time.ts";
import { clampSpan, fitSpan } from "../../lib/viewport.ts";
import type { Theme } from "../../ui/canvas/colour.ts";
import type { ArrangeChange, PanelId } from "../arrangement.ts";
import type { EventFact } from "../event-fact.ts";
import { PointerController } from "../input/pointer-controller.ts";
import { type LitBy, SelectionController } from "../input/selection.ts";
import { ViewportController } from "../input/viewport-controller.ts";
import type { Command } from "../keys.ts";
import { type LaneBox, togglePin } from "../lanes.ts";
import { NO_NOTES, type Notes } from "../notes.ts";
import type { Panel, PanelKind, Picked, PickedFact } from "../panel.ts";
import { PanelStack } from "../panel-stack.ts";
import { Plot, type PlotElements } from "../plot/plot.ts";
import { type LitWait, nodeLaneKeys, type Scene, spanOf, windowOf } from "../scene.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";
import { WindowSources } from "../tiles/window-source.ts";
import {
  type Dirty,
  FirstPaint,
  FrameLoop,
  runCommand,
  Snapshots,
  type StageHooks,
  type StageParts,
  type StageSnapshot,
  type StageView,
} from "./stage-parts.ts";

export class Stage {
  readonly #scene: Scene;
  readonly #source: TimelineSource;
  readonly #stack: PanelStack;
  readonly #hooks: StageHooks;
  readonly #viewport: ViewportController;
  readonly #selection: SelectionController;
  readonly #pointer: PointerController;
  readonly #firstPaint: FirstPaint;
  readonly #snapshots = new Snapshots<StageSnapshot>(
    () => this.#takeSnapshot(),
    () => this.#plot !== null && this.#viewport.moving,
  );
  readonly #loop = new FrameLoop((now, dirty) => this.#draw(now, dirty));
  readonly #ratio: number | null;
  #plot: Plot | null = null;
  #theme: Theme;

  #notes: Notes = NO_NOTES;

  constructor({ analysis, scene, source, lookup, kinds, hooks, theme, ratio = null }: StageParts) {
    this.#scene = scene;
    this.#source = source;
    this.#hooks = hooks;
    this.#theme = theme;
    this.#ratio = ratio;
    this.#firstPaint = new FirstPaint(source);
    this.#viewport = new ViewportController(scene, {
      moved: () => {
        this.#loop.invalidate("lanes", "overlay");
        this.#snapshots.moving();
      },
      follow: hooks.follow,
      step: hooks.step,
      bounded: () => {
        this.#loop.invalidate("minimap");
        this.#snapshots.publish();
      },
    });
    const context = {
      ...analysis,
      scene,
      tiles: source,
      windows: new WindowSources(analysis.sections, scene),
      nodeColour: (nid: number) => this.nodeColour(nid),
      taskFill: (task: number) => this.taskFill(task),
      commit: () => this.#commit(),
    };
    this.#stack = new PanelStack(
      kinds.map((kind) => ({ kind, panel: kind.make(context) })),
      { laidOut: () => this.#repaint(), changed: () => this.#repaint() },
    );
    this.#selection = new SelectionController(scene, lookup, this.#stack, this.#viewport, {
      changed: () => {
        this.#loop.invalidate("lanes", "overlay");
        this.#snapshots.publish();
      },
      step: hooks.step,
      bringUp: (cpu) => this.bringUp(`cpu:${cpu}`),
    });
    this.#pointer = new PointerController(this.#viewport, this.#selection, {
      pointed: () => this.#loop.invalidate("overlay"),
      // Sums follow where the hand rests, not with every pixel.
      mark: (span) => {
        this.#selection.area = clampSpan(span, this.limits);
        this.#loop.invalidate("overlay");
        this.#snapshots.moving();
      },
      marked: () => {
        this.#snapshots.publish();
        hooks.step();
      },
      scrolled: () => this.#loop.invalidate("lanes", "overlay"),
      resized: () => this.#resize(),
      settle: hooks.rest,
      toggle: (box) => this.#stack.toggle(box),
    });
    // Answers that waited for the window to rest are requested then, and the address follows it.
    this.#snapshots.onSettle = () => this.#settled();
    this.#snapshots.onRest = () => this.#rested();
    source.onChange = () => {
      this.#loop.invalidate("lanes", "minimap");
      this.#snapshots.changed();
    };
  }

  readonly subscribe = this.#snapshots.subscribe;
  readonly getSnapshot = this.#snapshots.get;

  get scene(): Scene {
    return this.#scene;
  }

  /** Bounds of the window: the innermost committed range, otherwise the whole trace. */
  get limits(): Span {
    return this.#viewport.limits;
  }

  /** The same function at all times, for what is rendered by it. */
  readonly colourOf = (nid: number): string => this.nodeColour(nid);

  nodeColour(nid: number): string {
    return this.#plot?.painter.nodeColour(nid) ?? "transparent";
  }

  taskFill(task: number): string | null {
    return this.#plot?.painter.taskFill(task) ?? null;
  }

  mount(elements: PlotElements): () => void {
    const plot = new Plot({
      elements,
      scene: this.#scene,
      source: this.#source,
      stack: this.#stack,
      theme: this.#theme,
      ratio: this.#ratio,
      brush: {
        move: (span) => this.#viewport.moveTo(clampSpan(span, this.limits)),
        end: () => this.#hooks.rest(),
      },
      again: () => this.#loop.invalidate("overlay"),
    });
    this.#plot = plot;
    this.#loop.start();
    const stop = this.#pointer.take(plot);
    const acted = new AbortController();
    for (const act of ["pointerdown", "keydown", "wheel"])
      window.addEventListener(act, () => this.#stack.settle(), { ...AT_ONCE, signal: acted.signal });
    this.#resize();
    void this.#source.overview(nodeLaneKeys(this.#scene.nodes), Math.max(256, plot.width));
    this.#snapshots.publish();
    return () => {
      stop();
      acted.abort();
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

  /** The view where it is going, in whole ns: what a link should open. */
  viewState(): StageView {
    const { selection } = this.#selection;
    return {
      window: windowOf(this.#viewport.target, this.#scene),
      ranges: this.#viewport.ranges.map((range) => windowOf(range, this.#scene)),
      ...this.#stack.fields,
      panels: this.#stack.arrangement,
      pins: this.#stack.pins,
      glyph: this.#selection.named,
      area: this.#selection.area && windowOf(this.#selection.area, this.#scene),
      selection: selection ? { cpu: selection.cpu, at: selection.at } : null,
    };
  }

  /** Shows a view that came from an address. Nothing is written back. */
  apply(view: StageView, glide: boolean): void {
    const ranges = view.ranges.map((range) => spanOf(range, this.#scene));
    this.#viewport.adopt(ranges, view.window && spanOf(view.window, this.#scene), glide);
    this.#stack.pins = view.pins;
    this.#stack.adopt(view.panels, view);
    this.#selection.adopt(view.selection, view.glyph);
    this.#selection.area = view.area && spanOf(view.area, this.#scene);
    this.#repaint();
    this.#snapshots.publish();
  }

  panel<P extends Panel>(kind: PanelKind<P>): P {
    return this.#stack.of(kind);
  }

  /** Keys of the lanes that are pinned. */
  get pins(): readonly string[] {
    return this.#stack.pins;
  }

  /** Pins a lane to the top of what is seen, or lets it go again, as one step. */
  togglePin(key: string): void {
    this.#stack.pins = togglePin(this.#stack.pins, key);
    this.#repaint();
    this.#snapshots.publish();
    this.#hooks.step();
  }

  /** Pins lanes that are not pinned yet; it is a part of the caller's step. */
  pin(lanes: readonly string[]): void {
    const missing = lanes.filter((lane) => !this.#stack.pins.includes(lane));
    if (missing.length === 0) return;
    this.#stack.pins = missing.reduce(togglePin, this.#stack.pins);
    this.#repaint();
    this.#snapshots.publish();
  }

  /** Orders, collapses, hides or resizes a panel, as one step; `step` is false during a drag. */
  arrange(change: ArrangeChange, step = true): void {
    this.#stack.change(change);
    this.#repaint();
    this.#snapshots.publish();
    if (step) this.#hooks.step();
  }

  /** Picks an event of a lane as a click on its mark does, and shows it with space at both sides, as one step. */
  pick(lane: string, { fact, from, to }: Pick<EventFact, "fact" | "from" | "to">): void {
    const { origin } = this.#scene;
    this.#viewport.fit({ from: toRel(origin, from), to: toRel(origin, to) });
    this.#selection.adopt(null, { lane, at: fact.at });
    this.bringUp(lane);
    this.#repaint();
    this.#snapshots.publish();
    this.#hooks.step();
  }

  /** Takes what is at a point of the window as a click does, and returns it with its lane. */
  takeAt(clientX: number, clientY: number): { readonly box: LaneBox; readonly picked: Picked | null } | null {
    const plot = this.#plot;
    if (!plot) return null;
    const { left, top } = plot.elements.plot.getBoundingClientRect();
    const box = plot.boxAt(clientY - top);
    const picked = plot.pick(clientX - left, clientY - top, this.#viewport.view)?.picked ?? null;
    if (picked?.taken) this.#selection.take(picked.taken);
    return box && { box, picked };
  }

  /** Selects one of the events of a mark. */
  choose(fact: PickedFact): void {
    this.#selection.take({ kind: "fact", fact });
  }

  /** Highlights a wait with the tasks that ran where it was queued, or a critical path; null ends that. */
  light(lit: LitWait | null, by: LitBy): void {
    this.#selection.light(lit, by);
    const cpu = lit?.parts.findLast(({ lane }) => lane.startsWith("cpu:"));
    if (cpu) this.bringUp(cpu.lane);
  }

  /** The area, or none, is what is computed; as one step. */
  select(area: Span | null): void {
    this.#selection.area = area;
    this.#repaint();
    this.#snapshots.publish();
    this.#hooks.step();
  }

  clearPicked(): void {
    this.#selection.clearPicked();
  }

  /**
   * Shows an interval with space at both sides, as one step; what runs on a CPU at a time is selected where one is
   * named.
   */
  async show(span: Span, at: { readonly cpu: number; readonly at: AbsNs } | null = null): Promise<void> {
    this.#viewport.fit(span);
    const chosen = at && this.#selection.select(at.cpu, at.at);
    // The step is made before the answer comes: until then the window would be written into the entry that is left.
    this.#hooks.step();
    if (!chosen) return;
    await chosen;
    if (this.#selection.isAt(at.cpu, at.at)) this.bringUp(`cpu:${at.cpu}`);
    this.#hooks.rest();
  }

  /**
   * Immediately shows an interval with space at both sides, as if it had always been shown: Back leaves the page.
   * @param lane a lane to be seen along with all nodes
   */
  jump(span: Span, lane: string | null): void {
    this.#viewport.moveTo(fitSpan(span, this.limits));
    if (lane === null) return;
    this.#stack.fitWith(lane);
    this.#repaint();
    this.#snapshots.publish();
  }

  /** Selects the first slice of a task inside the window (else in the trace) and shows where it ran. */
  async findTask(pid: number): Promise<boolean> {
    const found = await this.#selection.findTask(pid);
    if (found) this.#hooks.step();
    return found;
  }

  /** Brings a lane onto the screen: a CPU with what runs on it at the cursor selected, or a node. */
  async showLane(lane: { readonly cpu: number } | { readonly nid: number }): Promise<void> {
    if ("cpu" in lane) await this.#selection.select(lane.cpu, this.cursorTime());
    this.bringUp("cpu" in lane ? `cpu:${lane.cpu}` : `node:${lane.nid}`);
    this.#hooks.step();
  }

  /** Has a lane shown, and scrolls to it. */
  bringUp(key: string): void {
    if (this.#stack.reveal(key)) this.#relay();
    this.#plot?.bringUp(key);
  }

  /** Brings a panel onto the screen, its heading first. */
  bringUpPanel(id: PanelId): void {
    const boxes = this.#stack.layout.boxes.filter((box) => box.panel === id);
    for (const box of [boxes.at(-1), boxes[0]]) if (box) this.#plot?.bringUp(box.key);
  }

  /** Moves a moment into the middle of the window, as one step. */
  centre(at: RelNs): void {
    this.#viewport.centre(at);
  }

  /** Goes to a moment on a CPU: as one step, no closer than the window is already, with what runs there selected. */
  async visit(t: RelNs, at: { readonly cpu: number; readonly at: AbsNs }): Promise<void> {
    await this.#selection.select(at.cpu, at.at);
    this.#viewport.reveal({ from: t, to: t + 1 });
    this.bringUp(`cpu:${at.cpu}`);
    this.#hooks.step();
  }

  /** The time under the pointer, else in the middle of the window. */
  cursorTime(): AbsNs {
    const { view } = this.#viewport;
    const pointed = this.#pointer.pointer && this.#plot?.timeAt(this.#pointer.pointer.x, view);
    const { from, to } = this.#scene.bounds;
    return toAbs(this.#scene.origin, Math.min(Math.max(pointed ?? (view.from + view.to) / 2, from), to));
  }

  /** Marks, findings and what is chosen of them: drawn over the lanes, on the axis and on the minimap. */
  setNotes(notes: Notes): void {
    this.#notes = notes;
    this.#loop.invalidate("lanes", "minimap", "overlay");
  }

  /** Leaves the ranges after the first `depth` and shows what then bounds the window. */
  leaveRanges(depth: number): void {
    this.#viewport.leaveRanges(depth);
  }

  close(): void {
    this.#stack.close();
  }

  /** Returns false when the command is not the timeline's. */
  command(command: Command): boolean {
    if (command === "select") {
      const range = this.#selection.area ? null : (this.#selection.span ?? this.#viewport.target);
      this.#selection.drop();
      this.select(range && clampSpan(range, this.limits));
      return true;
    }
    return runCommand(command, this.#viewport, this.#selection);
  }

  release(command: Command): void {
    if (this.#viewport.release(command)) this.#hooks.rest();
  }

  releaseAll(): void {
    if (this.#viewport.releaseAll()) this.#hooks.rest();
  }

  #relay(): void {
    this.#stack.refresh();
    this.#repaint();
    this.#snapshots.publish();
  }

  #commit(): void {
    this.#relay();
    this.#hooks.step();
  }

  #repaint(): void {
    this.#selection.resolve();
    this.#loop.invalidate("lanes", "overlay");
    this.#snapshots.changed();
  }

  #resize(): void {
    const plot = this.#plot;
    if (!plot) return;
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
    if (this.#viewport.moving) this.#advance(plot, now);
    if (dirty.lanes) {
      const wanted = this.#viewport.target;
      // Sections wait until the window rests: to take an answer in takes longer than a frame.
      this.#stack.want(wanted, plot.visible, plot.width, !this.#source.loading && !this.#snapshots.held);
      plot.drawLanes(this.#viewport.view, this.#selection.focus, this.#notes, this.#snapshots.held);
      this.#firstPaint.drawn(plot.visible);
    }
    if (dirty.minimap) {
      plot.painter.paintMinimap(this.#notes, this.#viewport.ranges);
      plot.painter.paintWindow(this.#viewport.view);
    }
    if (dirty.lanes || dirty.overlay) {
      plot.drawOverlay({
        view: this.#viewport.view,
        pointer: this.#pointer.pointer,
        area: this.#selection.area,
        slice: this.#selection.selection?.slice ?? null,
        fact: this.#selection.picked,
        lit: this.#selection.lit,
        moving: dirty.lanes,
        notes: this.#notes,
        limits: this.limits,
      });
    }
    if (this.#viewport.moving) this.#loop.invalidate("lanes");
  }

  #settled(): void {
    this.#viewport.note();
    this.#plot?.settle(this.#viewport.view, this.#notes);
    this.#loop.invalidate("lanes");
  }

  #rested(): void {
    // Unmounted, it has no address any more.
    if (this.#plot) this.#hooks.follow();
  }

  #advance(plot: Plot, now: number): void {
    const { view } = this.#viewport;
    const { pointer } = this.#pointer;
    const anchor = pointer ? plot.timeAt(pointer.x, view) : (view.from + view.to) / 2;
    this.#viewport.advance(now, anchor);
    this.#snapshots.moving();
  }

  #takeSnapshot(): StageSnapshot {
    const { selection, picked, area } = this.#selection;
    const { view, ranges } = this.#viewport;
    const { loading, problem } = this.#source;
    const { layout } = this.#stack;
    // As many pixels as the area has, so that it is measured as finely as it is seen.
    const about = area ?? view;
    const width = ((this.#plot?.width ?? 1) * (about.to - about.from)) / (view.to - view.from);
    const panels = this.#stack.snapshots(about, Math.max(1, width));
    return { view, ranges, selection, picked, area, loading, problem, layout, panels };
  }
}
