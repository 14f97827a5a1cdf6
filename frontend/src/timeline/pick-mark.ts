/** The mark under the pointer: one event, or as many as were merged into it. */

import { plural } from "../lib/format.ts";
import { type AbsNs, toRel } from "../lib/time.ts";
import { merged, type Told } from "./describe-marks.ts";
import { clusterAt, GLYPH_ROOM, type GlyphTrack } from "./draw/glyphs.ts";
import type { Panel, Picked, PickedFact, Place } from "./panel.ts";

export interface Marks {
  readonly track: GlyphTrack;
  /** Where the marks stand in their lane, CSS pixels. */
  readonly middle: number;
  /** What one of them is called. */
  readonly word: string;
  readonly tell: (i: number) => Told | null;
  /** What merged ones say. */
  readonly sum: (told: readonly Told[]) => readonly (readonly [string, string])[];
}

export function pickMark(
  { box, at, perPixel }: Place,
  { track, middle, word, tell, sum }: Marks,
  panel: Panel["id"],
  origin: AbsNs,
): Picked | null {
  const clusters = track.clusters(perPixel);
  const found = clusterAt(clusters, at, (perPixel * GLYPH_ROOM) / 2);
  if (found < 0) return null;
  const first = clusters.first[found] ?? 0;
  const count = clusters.count[found] ?? 1;
  const span = { from: clusters.t0[found] ?? 0, to: clusters.t1[found] ?? 0 };
  const outline = {
    span: { from: span.from - 6 * perPixel, to: span.from + (count > 1 ? 17 : 6) * perPixel },
    top: middle - 7,
    height: 14,
  };
  const all = Array.from({ length: count }, (_, i) => tell(first + i)).filter((told) => told !== null);
  if (count > 1) {
    return {
      what: merged(plural(count, word), sum(all), span, origin),
      swatch: null,
      outline,
      taken: null,
      zoom: { from: span.from - 10 * perPixel, to: span.to + 10 * perPixel },
    };
  }
  const [told] = all;
  if (!told) return null;
  const fact = factOf(told, panel, box.key, origin);
  return { what: told.what, swatch: null, outline, taken: { kind: "fact", fact }, zoom: fact.span };
}

export function factOf(
  { fact, from, to }: Told,
  panel: Panel["id"],
  lane: string,
  origin: AbsNs,
): PickedFact {
  return { ...fact, panel, lane, span: { from: toRel(origin, from), to: toRel(origin, to) } };
}

/** How often each title comes among merged marks. */
export function countTitles(told: readonly Told[]): readonly (readonly [string, string])[] {
  const titles = new Map<string, number>();
  for (const { what } of told) titles.set(what.title, (titles.get(what.title) ?? 0) + 1);
  return [...titles].map(([title, times]) => [title, String(times)] as const);
}
