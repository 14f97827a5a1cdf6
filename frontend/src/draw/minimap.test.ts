import { describe, expect, it } from "vitest";
import { makeTile } from "../logic/test-items.ts";
import { Kind } from "../logic/tiles.ts";
import { skyline } from "./minimap.ts";
import { timeScale } from "./surface.ts";

const bucket = (t0: number, t1: number, busy: number, wait: number, waitMax: number) => ({
  kind: Kind.Bucket,
  t0,
  t1,
  busy,
  wait,
  waitMax,
});

describe("skyline", () => {
  const tile = makeTile({
    from: 0,
    to: 100,
    resolution: 10,
    bars: [bucket(0, 25, 1, 2, 5), bucket(25, 100, 0.5, 0, 0)],
  });
  const lane = { pieces: [{ tile, span: tile.span }], colour: "#000000", weight: 0.5 };

  it("weighs buckets by the part of a column that they fill", () => {
    const { busy, wait, peak } = skyline([lane], timeScale({ from: 0, to: 100 }, 10), 10);
    expect([...(busy[0] ?? [])].map((v) => Math.round(v * 100))).toEqual([
      100, 100, 75, 50, 50, 50, 50, 50, 50, 50,
    ]);
    expect([...wait].map((v) => Math.round(v * 100))).toEqual([200, 200, 100, 0, 0, 0, 0, 0, 0, 0]);
    expect([...peak].slice(0, 4)).toEqual([5, 5, 5, 0]);
  });

  it("adds the nodes' waiting tasks up and keeps their busy shares apart", () => {
    const { busy, wait } = skyline([lane, lane], timeScale({ from: 0, to: 100 }, 10), 10);
    expect(wait[0]).toBeCloseTo(4);
    expect(busy).toHaveLength(2);
    expect(busy[1]?.[0]).toBeCloseTo(1);
  });
});
