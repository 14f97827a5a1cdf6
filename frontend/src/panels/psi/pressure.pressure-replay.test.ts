import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intervalAt, pressureMeans, shareOf } from "./pressure.ts";
import { replays } from "./replay-source.ts";

const MS = 1_000_000;
const ORIGIN = 1_790_000_000_000_000_000n;
const WINDOW = { from: 0, to: 1000 * MS };
const at = (ms: number) => String(ORIGIN + BigInt(ms * MS));
const point = (ms: number, some: number | null, full: number | null = null) => ({
  t_ns: at(ms),
  some_total_us: some,
  full_total_us: full,
});
const none = { cpu: [], memory: [], io: [] };
const section = { available: true, label: "replayed", missing: [] };

describe("the replayed totals as series", () => {
  it("count from the window's begin", () => {
    const [cpu] = replays(
      {
        series: { ...none, cpu: [point(250, 25_000), point(500, 25_000), point(1000, 525_000)] },
        system: { cpu: section },
      },
      WINDOW,
      ORIGIN,
    );
    expect([...(cpu?.series.tile.bars.busy ?? [])].map((share) => Number(share.toFixed(3)))).toEqual([
      0.1, 0, 1,
    ]);
    expect(cpu?.series).toMatchObject({ hasSome: true, hasFull: false });
    expect(cpu && intervalAt(cpu.series, 100 * MS)).toMatchObject({
      from: 0,
      to: 250 * MS,
      someUs: 25_000,
      gap: null,
    });
  });

  it("have no pauses: what lies between two moments is known", () => {
    const points = [10, 20, 30, 40, 900].map((ms) => point(ms, ms));
    const [cpu] = replays({ series: { ...none, cpu: points }, system: { cpu: section } }, WINDOW, ORIGIN);
    const interval = cpu && intervalAt(cpu.series, 500 * MS);
    expect(interval).toMatchObject({ gap: null, someUs: 860 });
    expect(interval && shareOf(interval, interval.someUs)).toBeCloseTo(0.001, 6);
  });

  it("keep the whole stall time, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(900), { minLength: 1, maxLength: 40 }), (steps) => {
        let total = 0;
        const points = steps.map((us, i) => {
          total += us;
          return point(i + 1, total, 0);
        });
        const span = { from: 0, to: steps.length * MS };
        const [cpu] = replays({ series: { ...none, cpu: points }, system: { cpu: section } }, span, ORIGIN);
        const mean = cpu && pressureMeans(cpu.series, span);
        expect(((mean?.some ?? 0) * span.to) / 1000).toBeCloseTo(total, 3);
        expect(mean?.full).toBe(0);
      }),
    );
  });

  it("are called what the answer calls them, and inferred when it does not say", () => {
    const series = { cpu: [point(5, 1)], memory: [point(5, 1)], io: [point(5, 1)] };
    const system = { cpu: { ...section, label: "what-if" }, memory: { label: "best", missing: ["x"] } };
    expect(replays({ series, system }, WINDOW, ORIGIN).map(({ label, missing }) => [label, missing])).toEqual(
      [
        ["what-if", []],
        ["inferred", ["x"]],
        ["inferred", []],
      ],
    );
  });
});
