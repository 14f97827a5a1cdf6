/** The panels below each other: their order and heights, which of them are seen, and what is under a point. */

import type { AbsNs, Span } from "../lib/time.ts";
import {
  type ArrangeChange,
  type Arrangement,
  arrange,
  type PanelId,
  placedOf,
  usualArrangement,
} from "./arrangement.ts";
import {
  HEADING,
  type LaneBox,
  type LaneLayout,
  laneAt,
  layoutPanels,
  layoutPins,
  MOST_PINS,
  type PinnedLane,
  pinnedHeight,
  SECTION,
  visibleLanes,
} from "./lanes.ts";
import type {
  FactList,
  Frame,
  Panel,
  PanelFields,
  PanelKind,
  PanelState,
  Picked,
  PickedFact,
  Place,
} from "./panel.ts";
import { work } from "./work.ts";

export interface StackHooks {
  /** Called when lanes have moved. */
  readonly laidOut: () => void;
  /** Called when the drawing changed, not the layout. */
  readonly changed: () => void;
}

/** React's state of a panel. */
export interface PanelSnapshot {
  readonly id: PanelId;
  readonly kind: PanelKind;
  readonly panel: Panel;
  /** Snapshot for the panel's own parts. */
  readonly shown: unknown;
  readonly state: PanelState;
  readonly hidden: boolean;
  readonly collapsed: boolean;
  readonly factor: number;
}

/** Snapshot of a panel. */
export function shownOf<P extends Panel<S>, S>(
  panels: readonly PanelSnapshot[],
  kind: PanelKind<P, S>,
): S | null {
  return (panels.find(({ id }) => id === kind.id)?.shown ?? null) as S | null;
}

/** A panel that was made, and its kind. */
export interface MadePanel {
  readonly kind: PanelKind;
  readonly panel: Panel;
}

export class PanelStack {
  readonly #made: readonly MadePanel[];
  readonly #kinds: readonly PanelKind[];
  readonly #panels: ReadonlyMap<PanelId, Panel>;
  #arrangement: Arrangement;
  #height = 1;
  #layout: LaneLayout;
  /** Inputs of the layout, so that an answer without changes lays nothing out. */
  #laidOut: readonly unknown[] = [];
  #boxes = new Map<string, LaneBox>();
  #pins: readonly string[] = [];
  /** Last requested scroll position of the lanes; pinned lanes move along. */
  #top = 0;
  /** The reader has acted: from then on lanes stay where they are. */
  #settled = false;
  /** The lane that is seen together with all that fits. */
  #wanted: string | null = null;
  /** True while that lane is pinned because the others leave no room for it. */
  #pinned = false;

  constructor(made: readonly MadePanel[], hooks: StackHooks) {
    this.#made = made;
    this.#kinds = made.map(({ kind }) => kind);
    this.#panels = new Map(made.map(({ kind, panel }) => [kind.id, panel]));
    this.#arrangement = usualArrangement(this.#kinds);
    this.#layout = layoutPanels([], 1);
    this.refresh();
    for (const { panel } of made) {
      panel.onChange = () => {
        if (this.refresh()) hooks.laidOut();
        else hooks.changed();
      };
    }
  }

  get layout(): LaneLayout {
    return this.#layout;
  }

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  set arrangement(arrangement: Arrangement) {
    this.#arrangement = arrangement;
    this.refresh();
  }

  /** Keys of the lanes that are pinned, also of those that are not there now. */
  get pins(): readonly string[] {
    return this.#pins;
  }

  set pins(pins: readonly string[]) {
    this.#pins = pins;
    for (const { panel } of this.#made) panel.pinned?.(pins);
    this.refresh();
  }

  /** Height of what does not scroll, CSS pixels. */
  get pinnedHeight(): number {
    return pinnedHeight(this.#layout);
  }

  change(change: ArrangeChange): void {
    this.arrangement = arrange(this.#arrangement, change, this.#kinds);
  }

  /** Visible height, CSS pixels. */
  set height(height: number) {
    this.#height = height;
    this.#fit();
    this.refresh();
  }

  /**
   * Has a lane seen together with all that fits: among the others, or pinned where they leave no room. Every height until the
   * reader acts is fitted again: the same height has the same lanes, in whatever order the parts of the page came.
   */
  fitWith(key: string): void {
    this.#wanted = key;
    this.#fit();
  }

  /** Lanes stay where they are from now on. */
  settle(): void {
    this.#settled = true;
  }

  #fit(): void {
    if (this.#settled || this.#height <= 1) return;
    const key = this.#wanted;
    if (this.#pinned) this.pins = this.#pins.filter((pin) => pin !== key);
    this.#pinned = false;
    this.#choose(key);
    if (key === null) return;
    this.refresh();
    const box = this.boxOf(key);
    if (box !== null && box.y + box.height <= this.#height) return;
    this.#pinned = !this.#pins.includes(key);
    this.pins = [...this.#pins.filter((pin) => pin !== key), key].slice(-MOST_PINS);
    this.#choose(null);
    this.refresh();
  }

  /** Panels choose their lanes. */
  #choose(key: string | null): void {
    const room = this.#height - this.pinnedHeight - SECTION;
    for (const { panel } of this.#made) panel.fit?.(room, key);
  }

  /** Lays out the lanes again if something about them changed; returns whether it did. */
  refresh(): boolean {
    const specs = this.#arrangement.flatMap(({ id, hidden, factor }) => {
      const panel = this.#panels.get(id);
      if (!panel || hidden || panel.absent) return [];
      return [{ id, collapsed: this.isCollapsed(id), factor, lanes: panel.lanes }];
    });
    const made = [
      this.#height,
      this.#pins,
      ...specs.flatMap(({ id, collapsed, factor, lanes }) => [id, collapsed, factor, lanes]),
    ];
    if (made.length === this.#laidOut.length && made.every((part, i) => part === this.#laidOut[i]))
      return false;
    this.#laidOut = made;
    const pinned = layoutPins(this.#pinnedLanes(), this.#height);
    const taken = new Set(pinned.map(({ key }) => key));
    const others = specs.map((spec) => ({ ...spec, lanes: spec.lanes.filter(({ key }) => !taken.has(key)) }));
    this.#layout = layoutPanels(taken.size === 0 ? specs : others, this.#height, pinned);
    this.#boxes = new Map(this.#layout.boxes.map((box) => [box.key, box]));
    return true;
  }

  isCollapsed(id: PanelId): boolean {
    const { collapsed } = placedOf(this.#arrangement, id);
    if (collapsed !== null) return collapsed;
    const panel = this.#panels.get(id);
    return panel === undefined || panel.state.kind === "none" || panel.lanes.length === 0;
  }

  /** In the order in which they were pinned. A hidden panel has none, a folded one keeps them. */
  #pinnedLanes(): PinnedLane[] {
    return this.#pins.flatMap((key) => {
      for (const [panel, owner] of this.#panels) {
        const spec = owner.lanes.find((each) => each.key === key) ?? owner.laneOf?.(key);
        if (spec?.title === undefined) continue;
        return placedOf(this.#arrangement, panel).hidden ? [] : [{ panel, spec }];
      }
      return [];
    });
  }

  /** A pinned lane at its place among the scrolled ones. */
  #afloat(box: LaneBox): LaneBox {
    return { ...box, y: box.y + this.#top };
  }

  boxOf(key: string): LaneBox | null {
    const pinned = this.#layout.pinned.find((box) => box.key === key);
    return pinned ? this.#afloat(pinned) : (this.#boxes.get(key) ?? null);
  }

  /** The pinned lanes are the last ones: they lie over what scrolls below them. */
  visible(top: number, height: number): readonly LaneBox[] {
    this.#top = top;
    const scrolled = visibleLanes(this.#layout, top + this.pinnedHeight, height - this.pinnedHeight);
    return [...scrolled, ...this.#layout.pinned.map((box) => this.#afloat(box))];
  }

  /** @param calm the window's own tiles are there: sections may be requested */
  want(view: Span, visible: readonly LaneBox[], width: number, calm: boolean): void {
    for (const { kind, panel } of this.#made) {
      const { id } = kind;
      const lanes = visible.filter((box) => box.panel === id);
      const { collapsed, hidden } = placedOf(this.#arrangement, id);
      if (hidden || (collapsed === true && lanes.length === 0)) continue;
      // A panel's height is not known before its first answer: it comes before the reader scrolls there.
      if (lanes.length === 0 && panel.state.kind !== "loading") continue;
      if (kind.urgent || calm) panel.want(view, lanes, width, calm);
    }
  }

  draw(frame: Frame, visible: readonly LaneBox[], top: number): void {
    work.frames += 1;
    const pinned = new Set(this.#layout.pinned.map(({ key }) => key));
    for (const box of visible) {
      if (box.kind === HEADING) continue;
      const panel = this.#panels.get(box.panel);
      if (!panel) continue;
      work.lanes += 1;
      const y = pinned.has(box.key) ? box.y - top : Math.max(box.y - top, this.pinnedHeight);
      frame.ctx.save();
      frame.ctx.beginPath();
      frame.ctx.rect(0, y, frame.width, Math.max(0, box.y - top + box.height - y));
      frame.ctx.clip();
      panel.draw(frame, box, top);
      frame.ctx.restore();
    }
    this.#drawOver(frame, visible, top, pinned);
  }

  /** A lane that scrolls is seen where no pinned one lies over its middle. */
  #drawOver(frame: Frame, visible: readonly LaneBox[], top: number, pinned: ReadonlySet<string>): void {
    const over = this.#made.filter(({ panel }) => panel.drawOver && !panel.absent);
    if (over.length === 0) return;
    const seen = visible
      .map((box) => ({ box, top: box.y - top }))
      .filter((lane) => pinned.has(lane.box.key) || lane.top + lane.box.height / 2 > this.pinnedHeight);
    for (const { panel } of over) panel.drawOver?.(frame, seen);
  }

  laneAt(y: number): LaneBox | null {
    const seen = y - this.#top;
    if (seen >= this.pinnedHeight) return laneAt(this.#layout, y);
    const pinned = this.#layout.pinned.find((box) => seen >= box.y && seen < box.y + box.height);
    return pinned ? this.#afloat(pinned) : null;
  }

  pick(place: Place): Picked | null {
    return place.box.kind === HEADING ? null : (this.#panels.get(place.box.panel)?.pick(place) ?? null);
  }

  /** The event of a lane at exactly this time; null also while its panel has no answer. */
  factAt(lane: string, at: AbsNs): PickedFact | null {
    return this.#search(lane, at)?.fact ?? null;
  }

  neighbourOf({ lane, at, title }: PickedFact, step: -1 | 1): PickedFact | null {
    const found = this.#search(lane, at, title);
    return found?.list.fact(found.index + step) ?? null;
  }

  #search(
    lane: string,
    at: AbsNs,
    title: string | null = null,
  ): { readonly list: FactList; readonly index: number; readonly fact: PickedFact } | null {
    for (const panel of this.#panels.values()) {
      for (const list of panel.facts?.(lane) ?? []) {
        for (let index = 0; index < list.length; index += 1) {
          const fact = list.fact(index);
          if (fact?.at === at && fact.lane === lane && (title === null || fact.title === title)) {
            return { list, index, fact };
          }
        }
      }
    }
    return null;
  }

  /** @param width of the plot, CSS pixels */
  snapshots(view: Span, width: number): readonly PanelSnapshot[] {
    return this.#arrangement.flatMap(({ id, hidden, factor }) => {
      const made = this.#made.find(({ kind }) => kind.id === id);
      if (!made || made.panel.absent) return [];
      const collapsed = this.isCollapsed(id);
      const shown = made.panel.snapshot(view, width, !collapsed);
      return [{ id, ...made, shown, state: made.panel.state, hidden, collapsed, factor }];
    });
  }

  of<P extends Panel>(kind: PanelKind<P>): P {
    return this.#panels.get(kind.id) as P;
  }

  /** Has a lane shown, of whichever panel; whether lanes changed. */
  reveal(key: string): boolean {
    return this.#made.filter(({ panel }) => panel.reveal?.(key)).length > 0;
  }

  /** Handles a double click on an empty place of a lane; false without an effect. */
  toggle(box: LaneBox): boolean {
    return this.#panels.get(box.panel)?.toggle?.(box) ?? false;
  }

  get fields(): PanelFields {
    return Object.assign({}, ...this.#made.map(({ panel }) => panel.fields?.()));
  }

  /** Takes a view over from a link; null is the usual arrangement. */
  adopt(written: Arrangement | null, fields: PanelFields): void {
    for (const { panel } of this.#made) panel.adopt?.(fields);
    this.#fit();
    this.arrangement = written ?? usualArrangement(this.#kinds);
  }

  close(): void {
    for (const panel of this.#panels.values()) panel.close();
  }
}
