/**
 * A panel of the timeline: lanes that share the window, the selection, the crosshair and the tooltip with all others.
 *
 * A panel lives in a folder of `panels/` whose `index.tsx` exports its `PanelKind` as `panel`; nothing else names it.
 */

import type { ComponentType } from "react";
import type { SectionSources } from "../api/routes/section-source.ts";
import type { Api } from "../api/routes/service.ts";
import type { AnalysisInput, TimelineInfo } from "../api/types.ts";
import type { Label } from "../lib/terms.ts";
import type { AbsNs, RelNs, Span } from "../lib/time.ts";
import type { Ink } from "../ui/canvas/palette.ts";
import type { TimeScale } from "../ui/canvas/surface.ts";
import type { PanelId } from "./arrangement.ts";
import type { MarkTable } from "./draw/glyphs.ts";
import type { LaneCanvas } from "./draw/strips.ts";
import type { LaneBox, LaneSpec } from "./lanes.ts";
import type { Scene } from "./scene.ts";
import type { TimelineSource } from "./tiles/timeline-source.ts";
import type { WindowSources } from "./tiles/window-source.ts";

/** One frame of the lanes' canvas. */
export interface Frame {
  readonly ctx: CanvasRenderingContext2D;
  readonly scale: TimeScale;
  readonly view: Span;
  readonly width: number;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly ink: Ink;
  /** Width of one character of the label font, CSS pixels. */
  readonly charWidth: number;
  /** Rows of the task table to bring forward while all others step back; null for no such wish. */
  readonly focus: ReadonlySet<number> | null;
  readonly nodeColour: (nid: number) => string;
}

/** A point of a lane. */
export interface Place {
  readonly box: LaneBox;
  /** CSS pixels below the lane's upper edge. */
  readonly y: number;
  readonly at: RelNs;
  readonly view: Span;
  readonly width: number;
  /** ns of a CSS pixel. */
  readonly perPixel: number;
}

/** A clicked event in the inspector. */
export interface PickedFact {
  readonly panel: PanelId;
  readonly lane: string;
  readonly at: AbsNs;
  readonly title: string;
  /** null for a row of a query: what it is made of, only the query knows. */
  readonly label: Label | null;
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** Meaning, or missing inputs; null without a note. */
  readonly note: string | null;
  /** The kernel's. */
  readonly fn: string | null;
  /** Interval for fitting the selection. */
  readonly span: Span;
  /** All events of the mark, by time, if it has several. */
  readonly merged?: readonly PickedFact[];
}

export type Taken = (
  | { readonly kind: "slice"; readonly cpu: number; readonly at: RelNs }
  | { readonly kind: "fact"; readonly fact: PickedFact }
) & {
  /** Further action when it is taken. */
  readonly also?: () => void;
};

/** A lane that is seen, and where on the canvas it begins, CSS pixels. */
export interface SeenLane {
  readonly box: LaneBox;
  readonly top: number;
}

/** Content of the tooltip. */
export interface Described {
  readonly title: string;
  /** Row of the task table whose colour is next to the title. */
  readonly task: number | null;
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** Provenance; null without one. */
  readonly label: Label | null;
  readonly note: string | null;
}

export interface Picked {
  readonly what: Described;
  readonly swatch: string | null;
  /** Ringed while the pointer is on it; heights are CSS pixels below the lane's upper edge. */
  readonly outline: { readonly span: Span; readonly top: number; readonly height: number } | null;
  readonly taken: Taken | null;
  /** Target of a double click. */
  readonly zoom: Span | null;
}

export interface FactList {
  readonly length: number;
  readonly fact: (i: number) => PickedFact | null;
}

export interface PanelState {
  /** `none`: its inputs were not recorded. */
  readonly kind: "none" | "loading" | "ready" | "failed";
  /** Advice for recording missing inputs, an error, or hidden data; null without a note. */
  readonly note: string | null;
}

/**
 * The parameters of a view that belong to panels. Each panel adds its own from its folder:
 * `declare module "../../timeline/panel.ts" { interface PanelFields { ... } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: panels add to it
export interface PanelFields {}

export interface LinkParameter<F extends keyof PanelFields = keyof PanelFields> {
  readonly field: F;
  readonly key: string;
  /** Value for missing or invalid text leaves it to the page. */
  readonly parse: (text: string | undefined) => PanelFields[F];
  /** null without a value in the link. */
  readonly format: (value: PanelFields[F]) => string | null;
}

/** @template S React's snapshot */
export interface Panel<S = unknown> {
  /** The same array until something changed. */
  readonly lanes: readonly LaneSpec[];
  readonly state: PanelState;
  /** True if it is absent, including its name. */
  readonly absent?: boolean;
  /** Something to draw or to lay out changed. */
  onChange: () => void;
  /**
   * Sets what is visible now; called with every frame while some of the panel is on it.
   * @param lanes its lanes that are
   * @param calm no other data of the window are on their way
   */
  readonly want: (view: Span, lanes: readonly LaneBox[], width: number, calm: boolean) => void;
  readonly draw: (frame: Frame, box: LaneBox, top: number) => void;
  /** Draws what connects lanes, including lanes of other panels, after all lanes. */
  readonly drawOver?: (frame: Frame, seen: readonly SeenLane[]) => void;
  readonly pick: (place: Place) => Picked | null;
  /** @param open its lanes are shown, not only its heading */
  readonly snapshot: (view: Span, width: number, open: boolean) => S;
  /** A lane that it can show although `lanes` has none now. */
  readonly laneOf?: (key: string) => LaneSpec | null;
  /** Pinned lanes of all panels; called before they are laid out. */
  readonly pinned?: (keys: readonly string[]) => void;
  /** Has a lane among `lanes`, if it is one of its own; whether `lanes` changed. */
  readonly reveal?: (key: string) => boolean;
  /**
   * Chooses, unless a reader or a link did, which of its lanes are shown: such that they fit a height, CSS pixels, and have
   * the named lane among them.
   */
  readonly fit?: (room: number, key: string | null) => void;
  /** Handles a double click on an empty place of a lane; false without an effect. */
  readonly toggle?: (box: LaneBox) => boolean;
  /** Events of a lane that can be selected: each list is of one kind, ascending. */
  readonly facts?: (lane: string) => readonly FactList[];
  readonly fields?: () => Partial<PanelFields>;
  /** Takes them over from a link. */
  readonly adopt?: (fields: PanelFields) => void;
  readonly close: () => void;
}

export interface PanelContext {
  readonly api: Api;
  readonly id: string;
  readonly timeline: TimelineInfo;
  readonly inputs: readonly AnalysisInput[];
  readonly scene: Scene;
  readonly tiles: TimelineSource;
  /** Sections of the analysis, as the tabs have them. */
  readonly sections: SectionSources;
  /** Sections for lanes: one request of all panels at a time. */
  readonly windows: WindowSources;
  /** Colours of the theme, by row of the task table; only what is mounted has one. */
  readonly taskFill: (task: number) => string | null;
  readonly nodeColour: (nid: number) => string;
  /** The reader changed what the panel shows: it is laid out and drawn at once, as a step that Back undoes. */
  readonly commit: () => void;
}

/** Properties of a panel's React parts. */
export interface PanelViewProps<P, S> {
  readonly panel: P;
  readonly shown: S;
  readonly state: PanelState;
  readonly collapsed: boolean;
  /** A lane; of the note the panel's heading. */
  readonly box: LaneBox;
  readonly scene: Scene;
  readonly nodeColour: (nid: number) => string;
}

export interface PanelNoteProps<P, S> extends PanelViewProps<P, S> {
  readonly onInputs: () => void;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of kinds knows of none what it shows; its own parts do
type Any = any;

/** All that the page knows of a panel. */
export interface PanelKind<P extends Panel<S> = Any, S = Any> {
  /** As links name it: lower-case letters. */
  readonly id: PanelId;
  /** Position in the default arrangement. */
  readonly order: number;
  readonly title: string;
  /** Description in one sentence with its kernel functions. */
  readonly means: string;
  /** True if it exists only at times: as the first one and by default a link does not name it, and others skip it. */
  readonly transient?: boolean;
  /** True if it is hidden by default. */
  readonly off?: boolean;
  /** True if it draws the window's own tiles, which come before all sections. */
  readonly urgent?: boolean;
  /** Description of its lanes for screen readers. */
  readonly inWords?: (shown: S, scene: Scene) => string;
  readonly link?: readonly LinkParameter<Any>[];
  readonly make: (context: PanelContext) => P;
  readonly LaneName: ComponentType<PanelViewProps<P, S>>;
  /** Marks that its lanes draw: all of them are in its legend. */
  readonly marks?: readonly MarkTable[];
  /** Part of its legend before the marks. */
  readonly Legend?: ComponentType<PanelNoteProps<P, S>>;
  /** Note next to its heading, instead of legend and state. */
  readonly Note?: ComponentType<PanelNoteProps<P, S>>;
}

/** Checks a kind against its own panel. */
export function panelKind<P extends Panel<S>, S>(kind: PanelKind<P, S>): PanelKind<P, S> {
  return kind;
}

/** A parameter whose type is that of its field. */
export function linkParameter<F extends keyof PanelFields>(
  field: F,
  parameter: Omit<LinkParameter<F>, "field">,
): LinkParameter<F> {
  return { field, ...parameter };
}

export function laneCanvas({ ctx, scale, ink, width, ratio }: Frame, box: LaneBox, top: number): LaneCanvas {
  return { ctx, scale, ink, box: { y: box.y - top, height: box.height, width, ratio } };
}
