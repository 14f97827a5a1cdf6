/** What the stage is given, and what it gives to React. */

import type { SectionSources } from "../../api/routes/section-source.ts";
import type { Api } from "../../api/routes/service.ts";
import type { AnalysisInput, TimelineInfo } from "../../api/types.ts";
import type { AbsWindow } from "../../lib/ranges.ts";
import type { AbsNs, Span } from "../../lib/time.ts";
import type { Theme } from "../../ui/canvas/colour.ts";
import type { Arrangement } from "../arrangement.ts";
import type { LaneLayout } from "../lanes.ts";
import type { PanelFields, PanelKind, PickedFact } from "../panel.ts";
import type { PanelSnapshot } from "../panel-stack.ts";
import type { Scene, Selection, SliceLookup } from "../scene.ts";
import type { TimelineSource } from "../tiles/timeline-source.ts";

/** What React shows. A new object whenever something in it changed. */
export interface StageSnapshot {
  readonly view: Span;
  /** Committed ranges, the outermost first. */
  readonly ranges: readonly Span[];
  readonly layout: LaneLayout;
  readonly selection: Selection | null;
  /** An event of a lane that was clicked. */
  readonly picked: PickedFact | null;
  /** In order, the hidden ones among them. */
  readonly panels: readonly PanelSnapshot[];
  readonly loading: boolean;
  readonly problem: string | null;
}

/** The analysis that a stage is of. */
export interface StageAnalysis {
  readonly api: Api;
  readonly id: string;
  readonly timeline: TimelineInfo;
  readonly inputs: readonly AnalysisInput[];
  readonly sections: SectionSources;
}

/** What a stage is made of. */
export interface StageParts {
  readonly analysis: StageAnalysis;
  readonly scene: Scene;
  readonly source: TimelineSource;
  readonly lookup: SliceLookup;
  /** All panels, in the usual order. */
  readonly kinds: readonly PanelKind[];
  readonly hooks: StageHooks;
  readonly theme: Theme;
  /** Device pixels per CSS pixel in place of the screen's: paper has more. */
  readonly ratio?: number | null;
}

/** The stage's share of a view. */
export interface StageView extends PanelFields {
  /** Absolute ns, from < to; null is the trace's common window. */
  readonly window: AbsWindow | null;
  /** Committed ranges, each inside the one before; the last bounds the window. */
  readonly ranges: readonly AbsWindow[];
  /** Which panels there are, in what order, how high; null is the usual arrangement. */
  readonly panels: Arrangement | null;
  /** Keys of lanes that stay at the top, in the order in which they were pinned. */
  readonly pins: readonly string[];
  /** An event of a lane that was clicked. */
  readonly glyph: { readonly lane: string; readonly at: AbsNs } | null;
  /** The slice that runs on this CPU at this time. */
  readonly selection: { readonly cpu: number; readonly at: AbsNs } | null;
}

export interface StageHooks {
  /** A move that goes on. */
  readonly follow: () => void;
  /** A step that Back should undo. */
  readonly step: () => void;
  /** The moving came to rest. */
  readonly rest: () => void;
}
