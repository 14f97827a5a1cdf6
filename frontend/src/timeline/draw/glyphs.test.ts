import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { MarkKeys } from "../frame/panel-heading.tsx";
import {
  clusterAt,
  clustersIn,
  type Glyphs,
  GlyphTrack,
  glyphsOf,
  markTable,
  mergeGlyphs,
} from "./glyphs.ts";

function made(times: readonly number[], kinds: readonly number[] = []): Glyphs {
  const t = Float64Array.from(times).sort();
  return { length: t.length, t, kind: Uint8Array.from(t, (_, i) => kinds[i] ?? 0) };
}

const times = fc.array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 80 });

describe("mergeGlyphs", () => {
  it("merges what has no room, and lets the weightiest speak", () => {
    const merged = mergeGlyphs(made([0, 5, 9, 10, 40], [1, 3, 0, 2, 1]), 10);
    expect(merged.length).toBe(3);
    expect([...merged.count.subarray(0, 3)]).toEqual([3, 1, 1]);
    expect([...merged.kind.subarray(0, 3)]).toEqual([3, 2, 1]);
    expect([...merged.t0.subarray(0, 3)]).toEqual([0, 10, 40]);
    expect([...merged.t1.subarray(0, 3)]).toEqual([9, 10, 40]);
    expect([...merged.first.subarray(0, 3)]).toEqual([0, 3, 4]);
  });

  it("loses none, keeps their order, and leaves each its room", () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 3000 }), (all, room) => {
        const merged = mergeGlyphs(made(all), room);
        let sum = 0;
        for (let i = 0; i < merged.length; i += 1) {
          expect(merged.first[i]).toBe(sum);
          sum += merged.count[i] ?? 0;
          expect((merged.t1[i] ?? 0) - (merged.t0[i] ?? 0)).toBeLessThan(room);
          if (i > 0) expect((merged.t0[i] ?? 0) - (merged.t0[i - 1] ?? 0)).toBeGreaterThanOrEqual(room);
        }
        expect(sum).toBe(all.length);
      }),
    );
  });

  it("keeps every mark to itself when there is room for all", () => {
    const merged = mergeGlyphs(made([1, 2, 3]), 0.5);
    expect([...merged.count.subarray(0, merged.length)]).toEqual([1, 1, 1]);
  });
});

describe("GlyphTrack", () => {
  it("merges again with another zoom, and only then", () => {
    const track = new GlyphTrack(made([0, 30, 300]));
    const far = track.clusters(10);
    expect(far.length).toBe(2);
    expect(track.clusters(10.000_001)).toBe(far);
    expect(track.clusters(1).length).toBe(3);
  });
});

describe("clusterAt", () => {
  it("finds the nearest mark within reach", () => {
    const merged = mergeGlyphs(made([100, 200, 204]), 3);
    expect(clusterAt(merged, 98, 5)).toBe(0);
    expect(clusterAt(merged, 203, 5)).toBe(2);
    expect(clusterAt(merged, 150, 5)).toBe(-1);
    expect(clusterAt(mergeGlyphs(made([]), 3), 150, 5)).toBe(-1);
    expect(clustersIn(merged, 100, 204)).toBe(2);
  });
});

describe("glyphsOf", () => {
  it("sorts events that came in any order and tells which each was", () => {
    const events = [{ at: 9 }, { at: 3 }, { at: 3 }];
    const { glyphs, order } = glyphsOf(
      events,
      ({ at }) => at,
      () => 1,
    );
    expect([...glyphs.t]).toEqual([3, 3, 9]);
    expect([...order]).toEqual([1, 2, 0]);
  });
});

describe("legend", () => {
  const sources = import.meta.glob<string>(["../../**/*.{ts,tsx}", "!../../**/*.test.*"], {
    eager: true,
    import: "default",
    query: "?raw",
  });

  it("has every family of marks that any lane draws", () => {
    const texts = Object.entries(sources).flatMap(([path, text]) => (path === "./glyphs.ts" ? [] : text));
    const found = (pattern: RegExp) => texts.flatMap((text) => [...text.matchAll(pattern)]);
    const drawn = found(/^export const ([A-Z_]+) = (?:markTable|oneMark)\(/gm).map(([, name]) => name);
    expect(drawn.length).toBe(found(/\b(?:markTable|oneMark)\(/g).length);
    const keys = found(/\bmarks(?:: |=\{)\[([A-Z_, ]+)\]/g).flatMap(([, names]) => names?.split(", ") ?? []);
    expect([...new Set(keys)].sort()).toEqual(drawn.sort());
  });

  it("has every mark of a family", () => {
    const family = markTable(
      { moved: 0, failed: 1 },
      {
        moved: { shape: "right", tone: "text", means: "it moved" },
        failed: { shape: "cross", tone: "cost", means: "it failed" },
      },
    );
    const shown = renderToStaticMarkup(createElement(MarkKeys, { marks: [family] }));
    expect(
      shown
        .replace(/<[^>]*>/g, " ")
        .trim()
        .split(/\s{2,}/),
    ).toEqual(["▸ it moved", "✕ it failed"]);
  });
});
