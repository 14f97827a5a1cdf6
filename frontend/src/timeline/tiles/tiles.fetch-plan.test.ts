import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeTile } from "../../../test-support/test-items.ts";
import { isCovered, MAX_PX, planFetch, quantiseResolution, stillUseful, widestPlot } from "./tiles.ts";

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
