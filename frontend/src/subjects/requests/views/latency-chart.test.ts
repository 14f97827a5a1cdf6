import { describe, expect, it } from "vitest";
import {
  chartScales,
  durationTicks,
  type LatencyChart,
  nearestPoint,
  pointText,
  type RequestPoint,
  slowCauses,
  stepPoint,
} from "./latency-chart.ts";

const point = (at: number, ns: number, slow = false): RequestPoint => ({
  ...{ at, ns, slow, state: null, cause: null, title: null, by: null },
});
const chart = (...points: RequestPoint[]): LatencyChart => ({
  ...{ points, window: { from: 0, to: 1000 }, slowFrom: null },
});

describe("durations over time", () => {
  it("stand on a log scale: as far from 1 to 10 as from 10 to 100", () => {
    const { y } = chartScales(chart(point(0, 1e3), point(1, 1e6), point(2, 1e9)), 800, 200);
    expect(y(1e3) - y(1e6)).toBeCloseTo(y(1e6) - y(1e9), 6);
    expect(y(1e9)).toBeGreaterThanOrEqual(10);
    expect(y(1e3)).toBeLessThanOrEqual(200);
  });

  it("have a scale also for one request, and for none", () => {
    for (const one of [chart(point(0, 5e6)), chart(), chart(point(0, 0))]) {
      const { x, y } = chartScales(one, 300, 100);
      expect([x(0), y(5e6)].every(Number.isFinite)).toBe(true);
    }
  });

  it("are found near the pointer, the nearest alone", () => {
    const all = chart(point(100, 1e3), point(500, 1e6), point(505, 1e6));
    const scales = chartScales(all, 800, 200);
    expect(nearestPoint(all, scales, [scales.x(502), scales.y(1e6)])).toBe(1);
    expect(nearestPoint(all, scales, [scales.x(504.9), scales.y(1e6)])).toBe(2);
    expect(nearestPoint(all, scales, [scales.x(300), scales.y(1e6)])).toBeNull();
  });

  it("are stepped through by the arrows, slow ones only", () => {
    const all = chart(point(1, 9, true), point(2, 1), point(3, 9, true));
    expect(stepPoint(all, null, "ArrowRight")).toBe(0);
    expect(stepPoint(all, 0, "ArrowRight")).toBe(2);
    expect(stepPoint(all, 2, "ArrowRight")).toBe(2);
    expect(stepPoint(all, 2, "ArrowLeft")).toBe(0);
    expect(stepPoint(all, 0, "End")).toBe(2);
    expect(stepPoint(chart(point(1, 1)), null, "Home")).toBeNull();
  });

  it("say when, how long and what for", () => {
    const slow = { ...point(5e8, 251e6, true), state: "asleep", cause: "thread", title: "lock", by: "owner" };
    expect(pointText(slow, 1_000_000_000n)).toBe("at 1.500 s: 251 ms, mostly asleep, lock · owner");
    expect(pointText(point(0, 1000), 0n)).toBe("at 0.000 s: 1 µs");
    expect(slowCauses([slow, slow, { ...slow, cause: "disk", title: "disk" }, point(1, 1)])).toEqual([
      { state: "asleep", cause: "thread", title: "lock", count: 2 },
      { state: "asleep", cause: "disk", title: "disk", count: 1 },
    ]);
  });

  it("have round ticks, at least three", () => {
    expect(durationTicks([50, 2e6])).toEqual([100, 1e3, 1e4, 1e5, 1e6]);
    expect(durationTicks([0.8e6, 3e6])).toEqual([1e6, 2e6]);
    expect(durationTicks([900, 12_000])).toEqual([1000, 2000, 5000, 10_000]);
  });
});
