/** Inputs of the stage, and its state for React. */

import type { SectionSources } from "../../api/routes/section-source.ts";
import type { Api } from "../../api/routes/service.ts";
import type { AnalysisInput, TimelineInfo } from "../../api/types.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import type { AbsNs, Span } from "../../lib/time.ts";
import type { Theme } from "../../ui/canvas/colour.ts";
import type { Arrangement } from "../arrangement.ts";
import type { SelectionController } from "../input/selection.ts";
import type { ViewportController } from "../input/viewport-controller.ts";
import { type Command, HELD } from "../keys.ts";
import type { LaneBox, LaneLayout } from "../lanes.ts";
import type { PanelFields, PanelKind, PickedFact } from "../panel.ts";
import type { PanelSnapshot } from "../panel-stack.ts";
import type { Scene, Selection, SliceLookup } from "../scene.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";
import { work } from "../work.ts";

/** State for React. A new object after every change. */
export interface StageSnapshot {
  readonly view: Span;
  /** Committed ranges, the outermost first. */
  readonly ranges: readonly Span[];
  readonly layout: LaneLayout;
  readonly selection: Selection | null;
  /** A time range for computations instead of the window. */
  readonly area: Span | null;
  /** An event of a lane that was clicked. */
  readonly picked: PickedFact | null;
  /** In order, the hidden ones among them. */
  readonly panels: readonly PanelSnapshot[];
  readonly loading: boolean;
  readonly problem: string | null;
}

export interface StageAnalysis {
  readonly api: Api;
  readonly id: string;
  readonly timeline: TimelineInfo;
  readonly inputs: readonly AnalysisInput[];
  readonly sections: SectionSources;
}

export interface StageParts {
  readonly analysis: StageAnalysis;
  readonly scene: Scene;
  readonly source: TimelineSource;
  readonly lookup: SliceLookup;
  /** All panels, in the usual order. */
  readonly kinds: readonly PanelKind[];
  readonly hooks: StageHooks;
  readonly theme: Theme;
  /** Device pixels per CSS pixel instead of the screen's: paper has more. */
  readonly ratio?: number | null;
}

/** The stage's share of a view. */
export interface StageView extends PanelFields {
  /** Absolute ns, from < to; null is the trace's common window. */
  readonly window: AbsWindow | null;
  /** Committed ranges, each inside the one before; the last bounds the window. */
  readonly ranges: readonly AbsWindow[];
  /** Arrangement of panels; null is the default one. */
  readonly panels: Arrangement | null;
  /** Keys of lanes that stay at the top, in the order in which they were pinned. */
  readonly pins: readonly string[];
  /** An event of a lane that was clicked. */
  readonly glyph: { readonly lane: string; readonly at: AbsNs } | null;
  /** A time range selected by a Shift drag. */
  readonly area: AbsWindow | null;
  /** The slice that runs on this CPU at this time. */
  readonly selection: { readonly cpu: number; readonly at: AbsNs } | null;
}

export interface StageHooks {
  /** Called during a move. */
  readonly follow: () => void;
  /** A step that Back should undo. */
  readonly step: () => void;
  /** The moving came to rest. */
  readonly rest: () => void;
}

// What keys do to the window and to what is chosen.

/** Returns false when the command is not the timeline's, or has nothing to do. */
export function runCommand(
  command: Command,
  viewport: ViewportController,
  selected: SelectionController,
): boolean {
  if (HELD.has(command)) {
    viewport.press(command);
    return true;
  }
  switch (command) {
    case "undo-zoom":
      return viewport.travel("undo");
    case "redo-zoom":
      return viewport.travel("redo");
    case "fit-all":
      viewport.stepTo(viewport.limits);
      return true;
    case "commit":
      viewport.commit(selected.area ?? undefined);
      selected.area = null;
      return true;
    case "fit-selection":
      viewport.fitOrWhole(selected.span);
      return true;
    case "next":
      void selected.walk("next");
      return true;
    case "previous":
      void selected.walk("prev");
      return true;
    case "escape":
      if (selected.letGo()) return true;
      if (viewport.ranges.length === 0) return false;
      viewport.leaveRanges(viewport.ranges.length - 1);
      return true;
    default:
      return false;
  }
}

// One animation frame for all that has to be drawn again.

export type Layer = "lanes" | "minimap" | "overlay";
export type Dirty = Readonly<Record<Layer, boolean>>;

export class FrameLoop {
  readonly #draw: (now: number, dirty: Dirty) => void;
  #dirty: Record<Layer, boolean> = { lanes: true, minimap: true, overlay: true };
  #frame = 0;
  #running = false;

  constructor(draw: (now: number, dirty: Dirty) => void) {
    this.#draw = draw;
  }

  start(): void {
    this.#running = true;
  }

  stop(): void {
    this.#running = false;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  invalidate(...layers: readonly Layer[]): void {
    for (const layer of layers) this.#dirty[layer] = true;
    if (this.#frame !== 0 || !this.#running) return;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      this.now(now);
    });
  }

  /** In this very frame: a canvas that was sized is empty, and would flash. */
  now(now: number): void {
    const dirty = this.#dirty;
    this.#dirty = { lanes: false, minimap: false, overlay: false };
    this.#draw(now, dirty);
  }
}

/** Name of the mark in the browser's performance timeline, for measurements. */
export const FIRST_LANES = "numalens:lanes";

export class FirstPaint {
  readonly #source: Pick<TimelineSource, "tiles">;
  #marked = false;

  constructor(source: Pick<TimelineSource, "tiles">) {
    this.#source = source;
  }

  /** The lanes that are seen have just been drawn. */
  drawn(visible: readonly LaneBox[]): void {
    if (this.#marked) return;
    const lanes = visible.filter(({ key }) => /^(node|cpu):/.test(key));
    if (lanes.length === 0 || lanes.some(({ key }) => this.#source.tiles(key).length === 0)) return;
    this.#marked = true;
    performance.mark(FIRST_LANES);
  }
}

// What React sees of something that moves: a new object when it has come to rest, and none while it moves.

/** At rest for this long. */
const REST_MS = 120;

export class Snapshots<T> {
  readonly #take: () => T;
  readonly #busy: () => boolean;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #current: T | null = null;
  /** Called when a move is over, or another value changed during a move, before the listeners. */
  onSettle: () => void = () => {};
  /**
   * Called when it came to rest. Not called when a change cut a move short: half of that change may still be to
   * come, and a consumer of resting states (the address) would store a mixture of before and after.
   */
  onRest: () => void = () => {};

  /** @param busy it moves, however long the last frame took: then no pause is a rest */
  constructor(take: () => T, busy: () => boolean = () => false) {
    this.#take = take;
    this.#busy = busy;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly get = (): T => {
    this.#current ??= this.#take();
    return this.#current;
  };

  /** Notes a move: a snapshot is taken when it is over. */
  moving(): void {
    this.#stop();
    this.#timer = setTimeout(() => {
      if (this.#busy()) this.moving();
      else {
        this.publish();
        this.onRest();
      }
    }, REST_MS);
  }

  /** True while it moves, or has not rested long enough. */
  get held(): boolean {
    return this.#timer !== null;
  }

  /** Notes another change: published at once, or at the rest of a continuing move. */
  changed(): void {
    if (this.#timer === null) this.publish();
  }

  publish(): void {
    const moved = this.held;
    this.#stop();
    if (moved) this.onSettle();
    work.snapshots += 1;
    this.#current = this.#take();
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
