/** What the stage is given, and what it gives to React. */

import type { Span } from "../../lib/time.ts";
import type { ClingInput, ClingSnapshot } from "../../panels/cling/cling-panel.ts";
import type { IlbSnapshot, IlbSource } from "../../panels/ilb/ilb-panel.ts";
import type { MemorySnapshot, MemorySource, PlacementSource } from "../../panels/memory/memory-panel.ts";
import type { MarkSource } from "../../panels/nodes/nodes-panel.ts";
import type { PressureInput, PressureSnapshot } from "../../panels/psi/psi-panel.ts";
import type { SqlSnapshot, SqlTracks } from "../../panels/sql/sql-panel.ts";
import type { Theme } from "../../ui/canvas/colour.ts";
import type { ViewState } from "../../view-state/view-state.ts";
import type { LaneLayout } from "../lanes.ts";
import type { PickedFact } from "../panel.ts";
import type { PanelSnapshot } from "../panel-stack.ts";
import type { NodeMeans, Scene, Selection, SliceLookup } from "../scene.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";

export interface StageElements {
  readonly scroller: HTMLElement;
  readonly plot: HTMLElement;
  readonly lanes: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  readonly minimap: HTMLCanvasElement;
  readonly brush: SVGGElement;
  readonly axis: SVGSVGElement;
  /** Written with every frame, by no one else. */
  readonly windowLength: HTMLElement;
  readonly crosshairTime: HTMLElement;
  readonly tooltip: HTMLElement;
}

/** What React shows. A new object whenever something in it changed. */
export interface StageSnapshot {
  readonly view: Span;
  /** Committed ranges, the outermost first. */
  readonly ranges: readonly Span[];
  readonly layout: LaneLayout;
  readonly open: readonly number[];
  readonly selection: Selection | null;
  /** An event of a lane that was clicked. */
  readonly picked: PickedFact | null;
  /** In order, the hidden ones among them. */
  readonly panels: readonly PanelSnapshot[];
  readonly means: ReadonlyMap<number, NodeMeans>;
  readonly waitScale: number;
  readonly pressure: PressureSnapshot;
  readonly cling: ClingSnapshot;
  readonly ilb: IlbSnapshot;
  readonly memory: MemorySnapshot;
  readonly sql: SqlSnapshot;
  readonly loading: boolean;
  readonly problem: string | null;
}

/** Where the panels have what they draw. */
export interface PanelInputs {
  readonly marks: MarkSource;
  readonly cling: Omit<ClingInput, "origin" | "taskName">;
  readonly pressure: PressureInput;
  readonly ilb: IlbSource;
  readonly memory: MemorySource;
  readonly placement: PlacementSource;
  readonly sql: SqlTracks;
}

/** What a stage is made of. */
export interface StageParts {
  readonly scene: Scene;
  readonly source: TimelineSource;
  readonly lookup: SliceLookup;
  readonly panels: PanelInputs;
  readonly hooks: StageHooks;
  readonly theme: Theme;
  /** Device pixels per CSS pixel in place of the screen's: paper has more. */
  readonly ratio?: number | null;
}

/** The stage's share of a view. */
export type StageView = Pick<
  ViewState,
  | "window"
  | "ranges"
  | "open"
  | "pressure"
  | "panels"
  | "cgroup"
  | "average"
  | "groups"
  | "pins"
  | "glyph"
  | "selection"
>;

export interface StageHooks {
  /** A move that goes on. */
  readonly follow: () => void;
  /** A step that Back should undo. */
  readonly step: () => void;
  /** The moving came to rest. */
  readonly rest: () => void;
}
