/** What a panel of the timeline is: lanes that share the window, the selection, the crosshair and the tooltip with all others. */

import type { AbsNs, RelNs, Span } from "../lib/time.ts";
import type { CpuLaneBox } from "../panels/nodes/cpu-lane.ts";
import type { Ink } from "../ui/canvas/palette.ts";
import type { TimeScale } from "../ui/canvas/surface.ts";
import type { Described, Label } from "./describe.ts";
import type { LaneBox, LaneSpec } from "./lanes.ts";
import type { PanelId } from "./panels.ts";

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

/** What the inspector tells of an event that was clicked. */
export interface PickedFact {
  readonly panel: PanelId;
  readonly lane: string;
  readonly at: AbsNs;
  readonly title: string;
  /** null for a row of a query: what it is made of, only the query knows. */
  readonly label: Label | null;
  readonly rows: readonly (readonly [name: string, value: string])[];
  /** What it means, or what it lacks; null where there is nothing to say. */
  readonly note: string | null;
  /** The kernel's. */
  readonly fn: string | null;
  /** What fitting the selection shows. */
  readonly span: Span;
}

/** What a click takes. */
export type Taken =
  | { readonly kind: "slice"; readonly cpu: number; readonly at: RelNs }
  | { readonly kind: "fact"; readonly fact: PickedFact };

export interface Picked {
  readonly what: Described;
  readonly swatch: string | null;
  /** Ringed while the pointer is on it; heights are CSS pixels below the lane's upper edge. */
  readonly outline: { readonly span: Span; readonly top: number; readonly height: number } | null;
  readonly taken: Taken | null;
  /** What a double click goes to. */
  readonly zoom: Span | null;
}

export interface FactList {
  readonly length: number;
  readonly fact: (i: number) => PickedFact | null;
}

export interface PanelState {
  /** `none`: nothing was recorded that could tell. */
  readonly kind: "none" | "loading" | "ready" | "failed";
  /** How to record what is missing, what went wrong, or what is not shown; null where there is nothing to say. */
  readonly note: string | null;
}

export interface Panel {
  readonly id: PanelId;
  /** The same array until something changed. */
  readonly lanes: readonly LaneSpec[];
  readonly state: PanelState;
  /** It is not there at all, not even its name. */
  readonly absent?: boolean;
  /** Something to draw or to lay out changed. */
  onChange: () => void;
  /**
   * Says what the screen shows now; called with every frame while some of the panel is on it.
   * @param lanes its lanes that are
   * @param calm no other data of the window are on their way
   */
  readonly want: (view: Span, lanes: readonly LaneBox[], width: number, calm: boolean) => void;
  readonly draw: (frame: Frame, box: LaneBox, top: number) => void;
  readonly pick: (place: Place) => Picked | null;
  /** A lane that it can show although it is none of `lanes` now. */
  readonly laneOf?: (key: string) => LaneSpec | null;
  /** What of a lane can be taken: each list is of one kind, ascending. */
  readonly facts?: (lane: string) => readonly FactList[];
  readonly close: () => void;
}

/** Where a lane stands in a frame. */
export function laneBox(frame: Frame, box: LaneBox, top: number): CpuLaneBox {
  return { y: box.y - top, height: box.height, width: frame.width, ratio: frame.ratio };
}
