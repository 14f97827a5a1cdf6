/** Texts of a lane's single events, for the tooltip and the inspector, alone and merged. */

import { formatTime, plural } from "../lib/format.ts";
import { type Label, missingText } from "../lib/terms.ts";
import { type AbsNs, type Span, toAbs, toRel } from "../lib/time.ts";
import type { PanelId } from "./arrangement.ts";
import { clusterAt, GLYPH_ROOM, type GlyphTrack } from "./draw/glyphs.ts";
import type { Described, FactList, Picked, PickedFact, Place } from "./panel.ts";

/** An event as words; `what` is short, `fact` is the full text. */
export interface EventFact {
  readonly what: Described;
  readonly fact: {
    readonly at: AbsNs;
    readonly title: string;
    /** null where its origin is not known. */
    readonly label: Label | null;
    readonly rows: readonly (readonly [string, string])[];
    readonly note: string | null;
    readonly fn: string | null;
  };
  readonly from: AbsNs;
  readonly to: AbsNs;
}

export type Row = readonly [string, string];

export interface EventParts {
  readonly title: string;
  readonly label: Label;
  readonly rows: readonly Row[];
  readonly note: string | null;
  readonly fn: string | null;
  readonly from: AbsNs;
  readonly to: AbsNs;
  /** Time of the mark (default: its start). */
  readonly at?: AbsNs;
}

export function eventFact({ title, label, rows, note, fn, from, to, at = from }: EventParts): EventFact {
  const kernel: Row[] = fn === null ? [] : [["kernel", fn]];
  return {
    what: { title, task: null, rows: [["start", `${formatTime(at)}`], ...rows, ...kernel], label, note },
    fact: { at, title, label, rows, note, fn },
    from,
    to,
  };
}

/** Common text of several marks in one place. */
export function merged(title: string, rows: readonly Row[], span: Span, origin: AbsNs): Described {
  return {
    title: `${title} merged`,
    task: null,
    rows: [
      ...rows,
      ["from", `${formatTime(toAbs(origin, span.from))}`],
      ["to", `${formatTime(toAbs(origin, span.to))}`],
    ],
    label: null,
    note: "Zoom in to see each.",
  };
}

export function missingSentence(missing: readonly string[]): string {
  const text = missingText(missing);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

export interface Marks {
  readonly track: GlyphTrack;
  /** Vertical position of the marks in their lane, CSS pixels. */
  readonly middle: number;
  readonly word: string;
  readonly factAt: (i: number) => EventFact | null;
  /** Text of merged ones, the first of which has this index. */
  readonly sum: (facts: readonly EventFact[], first: number) => readonly Row[];
  /** Maximum distance of a mark from the pointer, CSS pixels. */
  readonly reach?: number;
}

/** The mark under the pointer: one event, or as many as were merged into it. */
export function pickMark(
  { box, at, perPixel }: Place,
  { track, middle, word, factAt, sum, reach = GLYPH_ROOM / 2 }: Marks,
  panel: PanelId,
  origin: AbsNs,
): Picked | null {
  const clusters = track.clusters(perPixel);
  const found = clusterAt(clusters, at, perPixel * reach);
  if (found < 0) return null;
  const first = clusters.first[found] ?? 0;
  const count = clusters.count[found] ?? 1;
  const span = { from: clusters.t0[found] ?? 0, to: clusters.t1[found] ?? 0 };
  const outline = {
    span: { from: span.from - 6 * perPixel, to: span.from + (count > 1 ? 17 : 6) * perPixel },
    top: middle - 7,
    height: 14,
  };
  const all = Array.from({ length: count }, (_, i) => factAt(first + i)).filter((facts) => facts !== null);
  const [facts] = all;
  if (!facts) return null;
  if (count > 1) {
    const zoom = { from: span.from - 10 * perPixel, to: span.to + 10 * perPixel };
    const fact = mergedFact(
      all.map((one) => factOf(one, panel, box.key, origin)),
      zoom,
    );
    return {
      what: merged(plural(count, word), sum(all, first), span, origin),
      swatch: null,
      outline,
      taken: fact && { kind: "fact", fact },
      zoom,
    };
  }
  const fact = factOf(facts, panel, box.key, origin);
  return { what: facts.what, swatch: null, outline, taken: { kind: "fact", fact }, zoom: fact.span };
}

/** Selection for a click on a merged mark: the first of its events, with the way to each. */
export function mergedFact(all: readonly PickedFact[], span: Span): PickedFact | null {
  const [first] = all;
  return first ? { ...first, span, merged: all } : null;
}

export function factOf(
  { fact, from, to }: EventFact,
  panel: PanelId,
  lane: string,
  origin: AbsNs,
): PickedFact {
  return { ...fact, panel, lane, span: { from: toRel(origin, from), to: toRel(origin, to) } };
}

/** The events of a kind on a lane, by their place. */
export function factList(
  length: number,
  factAt: (i: number) => EventFact | null,
  panel: PanelId,
  lane: string,
  origin: AbsNs,
): FactList {
  return {
    length,
    fact: (i) => {
      const words = factAt(i);
      return words && factOf(words, panel, lane, origin);
    },
  };
}

/** Number of each title among merged marks. */
export function countTitles(facts: readonly EventFact[]): readonly (readonly [string, string])[] {
  const titles = new Map<string, number>();
  for (const { what } of facts) titles.set(what.title, (titles.get(what.title) ?? 0) + 1);
  return [...titles].map(([title, times]) => [title, String(times)] as const);
}
