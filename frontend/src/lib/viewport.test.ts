import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spanLength } from "./time.ts";
import { clampSpan, fitSpan, MIN_SPAN_NS, mixSpan, panBy, revealSpan, zoomAt } from "./viewport.ts";

const BOUNDS = { from: 0, to: 45e9 };
const span = fc
  .tuple(fc.double({ min: 0, max: 44e9, noNaN: true }), fc.double({ min: 100, max: 1e9, noNaN: true }))
  .map(([from, length]) => ({ from, to: from + length }));

describe("clampSpan", () => {
  it("leaves a valid window of whole ns exactly as it is, so that links round-trip", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 44e9 }), fc.integer({ min: 20, max: 9e8 }), (from, length) => {
        const wanted = { from, to: from + length };
        expect(clampSpan(wanted, BOUNDS)).toEqual(wanted);
      }),
    );
  });

  it("is idempotent and keeps most of the window on the trace", () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e12, max: 1e12, noNaN: true }),
        fc.double({ min: 0.001, max: 1e12, noNaN: true }),
        (from, length) => {
          const once = clampSpan({ from, to: from + length }, BOUNDS);
          const twice = clampSpan(once, BOUNDS);
          expect(twice.from).toBeCloseTo(once.from, 3);
          expect(twice.to).toBeCloseTo(once.to, 3);
          expect(spanLength(once)).toBeGreaterThanOrEqual(MIN_SPAN_NS * 0.999);
          expect(once.from).toBeLessThan(BOUNDS.to);
          expect(once.to).toBeGreaterThan(BOUNDS.from);
        },
      ),
    );
  });
});

describe("zoomAt", () => {
  it("keeps the time under the pointer where it is", () => {
    fc.assert(
      fc.property(span, fc.double({ min: 0.2, max: 0.8, noNaN: true }), (view, share) => {
        const at = view.from + share * spanLength(view);
        const zoomed = zoomAt(view, at, 1.7, BOUNDS);
        expect((at - zoomed.from) / spanLength(zoomed)).toBeCloseTo(share, 3);
        expect(spanLength(zoomed)).toBeCloseTo(Math.max(MIN_SPAN_NS, spanLength(view) / 1.7), 3);
      }),
    );
  });

  it("ends at the whole trace and at the grain of the clock", () => {
    const out = zoomAt(BOUNDS, 1e9, 1e-9, BOUNDS);
    expect(spanLength(out)).toBeLessThan(spanLength(BOUNDS) * 1.05);
    const inside = zoomAt({ from: 0, to: 100 }, 50, 1e9, BOUNDS);
    expect(spanLength(inside)).toBeCloseTo(MIN_SPAN_NS, 6);
  });
});

describe("moves", () => {
  it("pans by a share of the window and stops at the end", () => {
    expect(panBy({ from: 1e9, to: 2e9 }, 0.5, BOUNDS)).toEqual({ from: 1.5e9, to: 2.5e9 });
    expect(panBy({ from: 44e9, to: 45e9 }, 10, BOUNDS).to).toBeLessThan(45.1e9);
  });

  it("fits a slice with air around it", () => {
    const fitted = fitSpan({ from: 1e9, to: 1e9 + 1000 }, BOUNDS);
    expect(fitted).toEqual({ from: 1e9 - 150, to: 1e9 + 1150 });
  });

  it("never shows what lies outside the recording, however much of it is fitted", () => {
    expect(fitSpan(BOUNDS, BOUNDS)).toEqual(BOUNDS);
    expect(fitSpan({ from: 1e9, to: 44e9 }, BOUNDS)).toEqual(BOUNDS);
    expect(fitSpan({ from: 40e9, to: 45e9 }, BOUNDS)).toEqual({ from: 39.25e9, to: 45e9 });
  });

  it("reveals without zooming unless the slice is larger than the window", () => {
    const view = { from: 1e9, to: 2e9 };
    expect(revealSpan(view, { from: 1.2e9, to: 1.3e9 }, BOUNDS)).toBe(view);
    const later = revealSpan(view, { from: 5e9, to: 5.1e9 }, BOUNDS);
    expect(spanLength(later)).toBe(1e9);
    expect(later.from).toBeLessThanOrEqual(5e9);
    expect(later.to).toBeGreaterThanOrEqual(5.1e9);
    const wider = revealSpan(view, { from: 5e9, to: 8e9 }, BOUNDS);
    expect(wider.from).toBeLessThan(5e9);
    expect(wider.to).toBeGreaterThan(8e9);
  });

  it("glides from one window to the other without leaving the way between", () => {
    fc.assert(
      fc.property(span, span, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, t) => {
        const mixed = mixSpan(a, b, t);
        const slack = 1e-6 * (spanLength(a) + spanLength(b));
        expect(mixed.from).toBeGreaterThanOrEqual(Math.min(a.from, b.from) - slack);
        expect(mixed.to).toBeLessThanOrEqual(Math.max(a.to, b.to) + slack);
      }),
    );
    expect(mixSpan({ from: 0, to: 10 }, { from: 5, to: 6 }, 1)).toEqual({ from: 5, to: 6 });
  });
});
