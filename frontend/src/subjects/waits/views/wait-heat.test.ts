import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WaitHeatSection } from "../../../api/types.ts";
import {
  bucketEdges,
  cellCount,
  cellText,
  heatCell,
  heatPlaceAt,
  heatRows,
  mapSays,
  stepPlace,
  waitMap,
} from "./wait-heat.ts";

const heat: WaitHeatSection = {
  available: true,
  label: "replayed",
  missing: [],
  from_ns: "1790000000000000000",
  to_ns: "1790000000000000250",
  step_ns: 100,
  columns: 3,
  wakeups: {
    count: 9,
    most: 6,
    cells: [
      { column: 0, bucket: 10, count: 6 },
      { column: 1, bucket: 12, count: 2 },
      { column: 2, bucket: 20, count: 1 },
    ],
  },
  preempted: { count: 0, most: 0, cells: [] },
};

describe("the map of waits", () => {
  const map = waitMap(heat, "wakeups");

  it("has the buckets that have waits, and their sums", () => {
    expect([map.least, map.most]).toEqual([10, 20]);
    expect(map.sums).toEqual([6, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(map.sums.reduce((a, b) => a + b)).toBe(map.count);
    expect(bucketEdges(0)).toEqual([0, 2]);
    expect(bucketEdges(10)).toEqual([1024, 2048]);
  });

  it("asks for just the waits of a cell; the last column ends with the window, its last ns in it", () => {
    expect(heatCell(map, { column: 0, bucket: 10 })).toEqual({
      kind: "wakeups",
      leastNs: 1024,
      belowNs: 2048,
      from: 1_790_000_000_000_000_000n,
      to: 1_790_000_000_000_000_100n,
    });
    expect(heatCell(map, { column: 2, bucket: 20 }).to).toBe(1_790_000_000_000_000_251n);
  });

  it("says exactly what a cell is", () => {
    expect(cellText(map, { column: 0, bucket: 10 })).toBe(
      "6 waits of 1.024 µs – 2.048 µs (1,024 ns to 2,048 ns) that ended 1790000000.000000000 – 1790000000.000000100 s",
    );
    expect(cellCount(map, { column: 0, bucket: 11 })).toBe(0);
    expect(heatRows(map)).toHaveLength(3);
    expect(heatRows(map)[1]?.slice(-3)).toEqual([4096, 8192, 2]);
    expect(mapSays(map)).toContain("9 waits in 3 columns");
    expect(mapSays(waitMap(heat, "preempted"))).toContain("none in this window");
  });

  it("is walked by arrows, from the longest wait on, and never left", () => {
    const first = stepPlace(map, null, "ArrowRight");
    expect(first).toEqual({ column: 2, bucket: 20 });
    expect(stepPlace(map, first, "ArrowRight")).toEqual(first);
    expect(stepPlace(map, first, "ArrowUp")).toEqual(first);
    expect(stepPlace(map, first, "ArrowDown")).toEqual({ column: 2, bucket: 19 });
    expect(stepPlace(map, first, "Home")).toEqual({ column: 0, bucket: 20 });
  });

  it("has a cell under every point of its plot", () => {
    fc.assert(
      fc.property(fc.integer({ min: 62, max: 707 }), fc.integer({ min: 8, max: 167 }), (x, y) => {
        const place = heatPlaceAt(map, 800, 190, x, y);
        expect(place).not.toBeNull();
        expect(place?.column).toBeLessThan(map.columns);
        expect(place?.bucket).toBeGreaterThanOrEqual(map.least);
        expect(place?.bucket).toBeLessThanOrEqual(map.most);
      }),
    );
    expect(heatPlaceAt(map, 800, 190, 10, 50)).toBeNull();
  });
});
