import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { axisTicks, tickLabel, tickStep, timeTicks } from "./axis.tsx";

describe("timeTicks", () => {
  it("stands at round times of the trace clock, whatever the origin", () => {
    const origin = 7_038_664_402n;
    const ticks = timeTicks(origin, { from: 0, to: 10e9 }, 6);
    expect(ticks.step).toBe(2e9);
    expect(ticks.at.map((at) => tickLabel(origin, at, ticks))).toEqual(["8", "10", "12", "14", "16"]);
  });

  it("shows as many digits as neighbours need", () => {
    const ticks = timeTicks(0n, { from: 0, to: 1000 }, 5);
    expect(ticks.step).toBe(200);
    expect(tickLabel(0n, 200, ticks)).toBe("0.0000002");
  });

  it("holds for any window and origin", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 62n }),
        fc.double({ min: 0, max: 1e12, noNaN: true }),
        fc.double({ min: 20, max: 1e12, noNaN: true }),
        fc.integer({ min: 2, max: 20 }),
        (origin, from, length, count) => {
          const span = { from, to: from + length };
          const { at, step } = timeTicks(origin, span, count);
          expect(at.length).toBeLessThanOrEqual(count + 1);
          for (const tick of at) {
            expect(tick).toBeGreaterThanOrEqual(span.from);
            expect(tick).toBeLessThanOrEqual(span.to);
            expect((origin + BigInt(tick)) % BigInt(step)).toBe(0n);
          }
          for (let i = 1; i < at.length; i += 1) expect((at[i] ?? 0) - (at[i - 1] ?? 0)).toBe(step);
        },
      ),
    );
  });
});

describe("tickStep", () => {
  it("is 1, 2 or 5 times a power of ten and never below 1 ns", () => {
    expect(tickStep(0.5, 10)).toBe(1);
    expect(tickStep(100, 10)).toBe(10);
    expect(tickStep(101, 10)).toBe(20);
    expect(tickStep(450, 10)).toBe(50);
    expect(tickStep(600, 10)).toBe(100);
  });
});

describe("axisTicks", () => {
  const PHONE = 258;

  it("shows two ticks at least wherever a phone's axis is slid to", () => {
    for (const length of [45.3e9, 1e9, 0.95e9, 200e6, 180e6]) {
      for (let from = 0; from < length; from += length / 7) {
        expect(
          axisTicks(7_045_680_538n, { from, to: from + length }, PHONE).at.length,
        ).toBeGreaterThanOrEqual(2);
      }
    }
  });

  it("keeps the steps of a wide axis, and those whose finer labels would touch", () => {
    const wide = { from: 0, to: 45.3e9 };
    expect(axisTicks(0n, wide, 1086)).toEqual(timeTicks(0n, wide, 9));
    const long = { from: 0, to: 950 };
    expect(axisTicks(10n ** 15n, long, PHONE)).toEqual(timeTicks(10n ** 15n, long, 2));
  });
});
