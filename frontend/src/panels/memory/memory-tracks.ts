/** Pages and tasks that went to other nodes, as rates over time; made once per answer. */

import type { MigrationSection } from "../../api/types.ts";
import type { Label } from "../../lib/section-words.ts";
import { type AbsNs, parseNs, type Span, toRel } from "../../lib/time.ts";
import { type Items, Kind } from "../../timeline/tiles/tiles.ts";

/** A count per step as a rate, drawn as any strip: `busy` is what came per second. */
export interface RateTrack {
  readonly items: Items;
  readonly counts: ArrayLike<number>;
}

export interface MemoryTracks {
  readonly span: Span;
  readonly step: number;
  /** Pages that were migrated on fault; by node they went to, where that is known. */
  readonly pages: RateTrack;
  readonly byNode: readonly { readonly nid: number; readonly track: RateTrack }[];
  readonly late: RateTrack;
  /** Tasks that came to another node. */
  readonly moves: RateTrack;
  readonly totals: { readonly pages: number; readonly late: number; readonly moves: number };
  readonly label: { readonly pages: Label; readonly late: Label; readonly moves: Label };
  readonly missing: { readonly pages: readonly string[]; readonly late: readonly string[] };
}

/** null where the section has no migrations over time. */
export function memoryTracks(section: MigrationSection, origin: AbsNs): MemoryTracks | null {
  const { metrics } = section;
  if (!metrics) return null;
  const { series, memory_follows_cpu: memory, just_too_late: late, moves } = metrics;
  const from = toRel(origin, parseNs(section.from_ns) ?? origin);
  const to = toRel(origin, parseNs(section.to_ns) ?? origin);
  const track = (counts: ArrayLike<number>) => rateTrack(counts, from, to, series.step_ns);
  return {
    span: { from, to },
    step: series.step_ns,
    pages: track(series.pages),
    byNode: memory.nodes.flatMap(({ nid }, i) => {
      const counts = series.by_node[i];
      return counts ? [{ nid, track: track(counts) }] : [];
    }),
    late: track(series.just_too_late),
    moves: track(series.moves),
    totals: { pages: memory.pages, late: late.pages, moves: moves.count },
    label: { pages: memory.label, late: late.label, moves: moves.label },
    missing: { pages: memory.missing, late: late.missing },
  };
}

/** The last step may be shorter than the others. */
export function rateTrack(counts: ArrayLike<number>, from: number, to: number, step: number): RateTrack {
  const { length } = counts;
  const t0 = Float64Array.from({ length }, (_, i) => from + i * step);
  const t1 = Float64Array.from({ length }, (_, i) => Math.min(to, from + (i + 1) * step));
  const rate = Float32Array.from(
    { length },
    (_, i) => ((counts[i] ?? 0) * 1e9) / Math.max(1, (t1[i] ?? 0) - (t0[i] ?? 0)),
  );
  return {
    counts,
    items: {
      length,
      kind: new Uint8Array(length).fill(Kind.Bucket),
      t0,
      t1,
      busy: rate,
      wait: new Float32Array(length),
      waitMax: Uint32Array.from(rate, Math.round),
      task: new Uint32Array(length),
      count: new Uint32Array(length),
    },
  };
}

/** What a lane's full height stands for: 1, 2 or 5 times a power of ten. */
export function roundScale(most: number): number {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const lead = most / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

export function mostOf({ items }: RateTrack): number {
  let most = 0;
  for (const rate of items.busy) if (rate > most) most = rate;
  return most;
}
