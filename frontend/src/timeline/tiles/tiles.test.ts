import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeItems, makeTile } from "../../../test-support/test-items.ts";
import {
  coverWith,
  firstEndingAfter,
  isCovered,
  isSharp,
  itemAt,
  Kind,
  MAX_PX,
  meansOver,
  planFetch,
  quantiseResolution,
  stillUseful,
  type Tile,
  widestPlot,
} from "./tiles.ts";
import { eachRun, resample } from "./window-source.ts";

const tile = fc
  .tuple(
    fc.integer({ min: -50, max: 150 }),
    fc.integer({ min: 1, max: 120 }),
    fc.constantFrom(1, 2, 4, 8, 64),
  )
  .map(([from, length, resolution]) => makeTile({ from, to: from + length, resolution }));

describe("coverWith", () => {
  it("covers without overlaps whatever any tile reaches, and nothing else", () => {
    fc.assert(
      fc.property(fc.array(tile, { maxLength: 8 }), fc.constantFrom(1, 3, 10), (tiles, target) => {
        const span = { from: 0, to: 100 };
        const pieces = coverWith(tiles, span, target);
        for (let t = 0.5; t < 100; t += 1) {
          const owners = pieces.filter((p) => p.span.from <= t && t < p.span.to);
          const reach = tiles.filter((x) => x.span.from <= t && t < x.span.to);
          expect(owners.length).toBe(reach.length > 0 ? 1 : 0);
          const owner = owners[0]?.tile;
          if (!owner) continue;
          expect(reach).toContain(owner);
          // Sharp wins over coarse; a coarse tile is drawn only where no sharp one reaches.
          if (reach.some((x) => isSharp(x, target))) expect(isSharp(owner, target)).toBe(true);
        }
      }),
    );
  });

  it("prefers the coarsest of the sharp tiles, and the finest of the coarse", () => {
    const fine = makeTile({ from: 0, to: 100, resolution: 1 });
    const fit = makeTile({ from: 0, to: 100, resolution: 10 });
    const coarse = makeTile({ from: 0, to: 100, resolution: 100 });
    const coarser = makeTile({ from: 0, to: 100, resolution: 1000 });
    expect(coverWith([fine, coarse, fit], { from: 0, to: 10 }, 10)[0]?.tile).toBe(fit);
    expect(coverWith([coarser, coarse], { from: 0, to: 10 }, 10)[0]?.tile).toBe(coarse);
  });
});

describe("isCovered", () => {
  const bounds = { from: 0, to: 1000 };
  it("asks for sharp tiles over the part of the view that is on the trace", () => {
    const tiles = [
      makeTile({ from: 0, to: 50, resolution: 1 }),
      makeTile({ from: 50, to: 80, resolution: 2 }),
    ];
    expect(isCovered(tiles, { from: -20, to: 80 }, bounds, 2)).toBe(true);
    expect(isCovered(tiles, { from: 0, to: 81 }, bounds, 2)).toBe(false);
    expect(isCovered(tiles, { from: 0, to: 80 }, bounds, 1)).toBe(false);
    expect(isCovered([], { from: -30, to: -10 }, bounds, 1)).toBe(true);
  });

  it("is content with 1 ns per pixel however far one zooms", () => {
    const tiles = [makeTile({ from: 0, to: 1000, resolution: 1 })];
    expect(isCovered(tiles, { from: 10, to: 30 }, bounds, 0.013)).toBe(true);
  });
});

describe("itemAt", () => {
  const items = makeItems([
    { kind: Kind.Slice, t0: 10, t1: 20 },
    { kind: Kind.Slice, t0: 20, t1: 21 },
    { kind: Kind.Slice, t0: 50, t1: 60 },
  ]);
  it("finds what contains a time, half-open", () => {
    expect(itemAt(items, 10, 0)).toBe(0);
    expect(itemAt(items, 19.9, 0)).toBe(0);
    expect(itemAt(items, 20, 0)).toBe(1);
    expect(itemAt(items, 30, 0)).toBe(-1);
    expect(itemAt(items, 60, 0)).toBe(-1);
  });

  it("reaches for thin neighbours, the nearer one first", () => {
    expect(itemAt(items, 22, 5)).toBe(1);
    expect(itemAt(items, 48, 5)).toBe(2);
    expect(itemAt(items, 30, 5)).toBe(-1);
    expect(itemAt(items, 64, 5)).toBe(2);
  });

  it("agrees with a plain search", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(200), { minLength: 2, maxLength: 40 }),
        fc.double({ min: -5, max: 205, noNaN: true }),
        (edges, at) => {
          const sorted = [...edges].sort((a, b) => a - b);
          const rows = [];
          for (let i = 0; i + 1 < sorted.length; i += 2)
            rows.push({ t0: sorted[i] ?? 0, t1: sorted[i + 1] ?? 0 });
          const made = makeItems(rows.map((row) => ({ kind: Kind.Slice, ...row })));
          expect(itemAt(made, at, 0)).toBe(rows.findIndex(({ t0, t1 }) => t0 <= at && at < t1));
          const ending = rows.findIndex(({ t1 }) => t1 > at);
          expect(firstEndingAfter(made, at)).toBe(ending < 0 ? rows.length : ending);
        },
      ),
    );
  });
});

describe("meansOver", () => {
  it("weighs buckets by the part of them that the window shows", () => {
    const made = makeTile({
      from: 0,
      to: 100,
      resolution: 10,
      bars: [
        { kind: Kind.Bucket, t0: 0, t1: 50, busy: 1, wait: 4, waitMax: 9 },
        { kind: Kind.Bucket, t0: 50, t1: 100, busy: 0, wait: 0, waitMax: 0 },
      ],
    });
    const pieces = coverWith([made], { from: 25, to: 100 }, 10);
    expect(meansOver(pieces, { from: 25, to: 100 })).toEqual({ busy: 1 / 3, wait: 4 / 3, peak: 9 });
    expect(meansOver(pieces, { from: 60, to: 100 })).toEqual({ busy: 0, wait: 0, peak: 0 });
    expect(meansOver([], { from: 0, to: 1 })).toBeNull();
  });

  it("has no means where nothing but gaps is known", () => {
    const gaps = [
      { kind: Kind.Unknown, t0: 0, t1: 40 },
      { kind: Kind.Lost, t0: 40, t1: 90 },
    ];
    const bars = [{ kind: Kind.Bucket, t0: 30, t1: 40, busy: 0, wait: 0, waitMax: 0 }];
    const of = (made: Tile, from: number, to: number) =>
      meansOver([{ tile: made, span: { from, to } }], { from, to });
    const unknown = makeTile({ from: 0, to: 100, resolution: 10, gaps });
    expect(of(unknown, 0, 90)).toBeNull();
    expect(of(unknown, 10, 60)).toBeNull();
    const idle = { busy: 0, wait: 0, peak: 0 };
    expect(of(unknown, 0, 91)).toEqual(idle);
    expect(of(makeTile({ from: 0, to: 100, resolution: 10, gaps, bars }), 0, 90)).toEqual(idle);
  });

  it("leaves out time that is not recorded", () => {
    const made = makeTile({
      from: 0,
      to: 100,
      resolution: 10,
      bars: [
        { kind: Kind.Bucket, t0: 0, t1: 20, busy: 1, wait: 2, waitMax: 4 },
        { kind: Kind.Bucket, t0: 50, t1: 90, busy: 0.5, wait: 9, waitMax: 9 },
      ],
      gaps: [
        { kind: Kind.Unknown, t0: 40, t1: 80 },
        { kind: Kind.Lost, t0: 60, t1: 120 },
      ],
    });
    const pieces = coverWith([made], { from: 0, to: 100 }, 10);
    expect(meansOver(pieces, { from: 0, to: 100 })).toEqual({ busy: 0.5, wait: 1, peak: 4 });
  });

  it("counts time without an item as idle, as far as the tile speaks for it", () => {
    const made = makeTile({
      from: 0,
      to: 100,
      resolution: 10,
      bars: [{ kind: Kind.Bucket, t0: 0, t1: 25, busy: 1, wait: 4, waitMax: 4 }],
    });
    const pieces = coverWith([made], { from: -100, to: 100 }, 10);
    expect(meansOver(pieces, { from: -100, to: 100 })).toEqual({ busy: 0.25, wait: 1, peak: 4 });
  });
});

describe("fetch plan", () => {
  const BOUNDS = { from: 0, to: 45_280_088_731 };
  const view = fc
    .tuple(fc.double({ min: -2e9, max: 46e9, noNaN: true }), fc.double({ min: 20, max: 46e9, noNaN: true }))
    .map(([from, length]) => ({ from, to: from + length }));

  describe("planFetch", () => {
    it("always asks for what then counts as covered, so that no view asks for ever", () => {
      fc.assert(
        fc.property(
          view,
          fc.integer({ min: 64, max: 9000 }),
          fc.constantFrom(1024, 4096, MAX_PX),
          (span, wide, maxPx) => {
            const width = Math.min(wide, widestPlot(maxPx));
            const plan = planFetch(span, width, BOUNDS);
            expect(Number.isInteger(plan.from) && Number.isInteger(plan.to)).toBe(true);
            expect(plan.from).toBeLessThan(plan.to);
            expect(plan.from).toBeGreaterThanOrEqual(BOUNDS.from);
            expect(plan.to).toBeLessThanOrEqual(BOUNDS.to);
            expect(plan.px).toBeLessThanOrEqual(maxPx);
            const tile = makeTile({ from: plan.from, to: plan.to, resolution: plan.resolution });
            expect(isCovered([tile], span, BOUNDS, (span.to - span.from) / width)).toBe(true);
          },
        ),
        { numRuns: 500 },
      );
    });

    it("asks for the same window again after a small pan", () => {
      const a = planFetch({ from: 10e9, to: 11e9 }, 1200, BOUNDS);
      const b = planFetch({ from: 10.000_01e9, to: 11.000_01e9 }, 1200, BOUNDS);
      expect(b).toEqual(a);
    });

    it("keeps room on both sides", () => {
      const plan = planFetch({ from: 10e9, to: 11e9 }, 1200, BOUNDS);
      expect(plan.from).toBeLessThanOrEqual(9.5e9);
      expect(plan.to).toBeGreaterThanOrEqual(11.5e9);
    });
  });

  describe("quantiseResolution", () => {
    it("is a power of two within a factor of √2, and never below 1 ns", () => {
      fc.assert(
        fc.property(fc.double({ min: 1, max: 1e9, noNaN: true }), (nsPerPixel) => {
          const r = quantiseResolution(nsPerPixel);
          expect(Number.isInteger(Math.log2(r))).toBe(true);
          expect(Math.abs(Math.log2(r / nsPerPixel))).toBeLessThanOrEqual(0.5 + 1e-9);
        }),
      );
      expect(quantiseResolution(0.01)).toBe(1);
    });
  });

  describe("stillUseful", () => {
    const plan = planFetch({ from: 10e9, to: 11e9 }, 1200, BOUNDS);
    it("waits for a request that a zoom has not left behind", () => {
      expect(stillUseful(plan, { from: 10e9, to: 11e9 }, 1200)).toBe(true);
      expect(stillUseful(plan, { from: 10.4e9, to: 10.8e9 }, 1200)).toBe(true);
    });
    it("gives up one that is elsewhere or far too coarse", () => {
      expect(stillUseful(plan, { from: 20e9, to: 21e9 }, 1200)).toBe(false);
      expect(stillUseful(plan, { from: 10.4e9, to: 10.401e9 }, 1200)).toBe(false);
    });
  });
});

describe("resample", () => {
  describe("resample", () => {
    it("weighs items by the part of a column that they fill, and keeps peaks", () => {
      const items = makeItems([
        { kind: Kind.Bucket, t0: 0, t1: 25, busy: 1, wait: 2, waitMax: 5 },
        { kind: Kind.Bucket, t0: 25, t1: 100, busy: 0.5, wait: 0, waitMax: 0 },
      ]);
      const { busy, wait, peak } = resample([{ items, span: { from: 0, to: 100 } }], 0, 0.1, 10);
      expect([...busy].map((v) => Math.round(v * 100))).toEqual([100, 100, 75, 50, 50, 50, 50, 50, 50, 50]);
      expect([...wait].map((v) => Math.round(v * 100))).toEqual([200, 200, 100, 0, 0, 0, 0, 0, 0, 0]);
      expect([...peak].slice(0, 4)).toEqual([5, 5, 5, 0]);
    });

    it("keeps the integral, however the columns fall", () => {
      const row = fc.tuple(
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      );
      fc.assert(
        fc.property(
          fc.array(row, { minLength: 1, maxLength: 30 }),
          fc.integer({ min: 1, max: 40 }),
          (rows, count) => {
            let t = 0;
            const items = makeItems(
              rows.map(([length, busy]) => {
                const t0 = t;
                t += length;
                return { kind: Kind.Bucket, t0, t1: t, busy };
              }),
            );
            const whole = rows.reduce((sum, [length, busy]) => sum + length * Math.fround(busy), 0);
            const { busy } = resample([{ items, span: { from: 0, to: t } }], 0, count / t, count);
            const drawn = busy.reduce((sum, v) => sum + v, 0) * (t / count);
            expect(drawn).toBeCloseTo(whole, 4);
          },
        ),
      );
    });
  });

  describe("eachRun", () => {
    it("joins equal neighbours and leaves empty columns out", () => {
      const heights = [0, 3, 3, 0, 0, 2, 5, 5];
      const runs: number[][] = [];
      eachRun(
        heights.length,
        (x) => heights[x] ?? 0,
        (...run) => runs.push(run),
      );
      expect(runs).toEqual([
        [1, 2, 3],
        [5, 1, 2],
        [6, 2, 5],
      ]);
    });
  });
});
