import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeItems } from "../../../test-support/test-items.ts";
import { Kind } from "./tiles.ts";
import { eachRun, resample } from "./window-source.ts";

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
