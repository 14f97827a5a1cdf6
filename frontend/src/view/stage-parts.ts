/** What the stage is given, and what it gives to React. */

import type { TimelineSource } from "../data/timeline-source.ts";
import type { Theme } from "../logic/colour.ts";
import type { LaneLayout } from "../logic/lanes.ts";
import type { Span } from "../logic/time.ts";
import type { ViewState } from "../logic/view-state.ts";
import type { PressureInput, PressureSnapshot } from "./pressure-panel.ts";
import type { NodeMeans, Scene, Selection, SliceLookup } from "./scene.ts";

export interface StageElements {
  readonly scroller: HTMLElement;
  readonly plot: HTMLElement;
  readonly lanes: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly brush: SVGGElement;
  readonly axis: SVGSVGElement;
  readonly crosshairTime: HTMLElement;
  readonly tooltip: HTMLElement;
}

/** What React shows. A new object whenever something in it changed. */
export interface StageSnapshot {
  readonly view: Span;
  readonly layout: LaneLayout;
  readonly open: readonly number[];
  readonly selection: Selection | null;
  readonly means: ReadonlyMap<number, NodeMeans>;
  readonly waitScale: number;
  readonly pressure: PressureSnapshot;
  readonly loading: boolean;
  readonly problem: string | null;
}

/** What a stage is made of. */
export interface StageParts {
  readonly scene: Scene;
  readonly source: TimelineSource;
  readonly lookup: SliceLookup;
  readonly pressure: PressureInput;
  readonly hooks: StageHooks;
  readonly theme: Theme;
}

/** The stage's share of a view. */
export type StageView = Pick<ViewState, "window" | "open" | "pressure" | "selection">;

export interface StageHooks {
  /** A move that goes on. */
  readonly follow: () => void;
  /** A step that Back should undo. */
  readonly step: () => void;
  /** The moving came to rest. */
  readonly rest: () => void;
}
