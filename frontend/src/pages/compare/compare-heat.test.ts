import { describe, expect, it } from "vitest";
import { HEAT_GUTTER, heatTimeAt } from "./compare-heat.tsx";
import { binAt, usedBins, type WaitChart } from "./compare-waits.tsx";

describe("a heat map", () => {
  it("tells the time under a pixel, and its ends beyond them", () => {
    const map = { nodes: [], stepNs: 1e9, lengthNs: 4e9, spanNs: 10e9 };
    expect(heatTimeAt(map, HEAT_GUTTER + 1008, HEAT_GUTTER)).toBe(0);
    expect(heatTimeAt(map, HEAT_GUTTER + 1008, HEAT_GUTTER + 500)).toBe(5e9);
    expect(heatTimeAt(map, HEAT_GUTTER + 1008, 5000)).toBe(10e9);
    expect(heatTimeAt(map, HEAT_GUTTER + 1008, 0)).toBe(0);
  });
});

describe("waits by length", () => {
  const edges = [100, 1000, 10_000, 100_000];
  const chart = (percent: readonly number[], climbing = false): WaitChart => ({
    edges,
    climbing,
    curves: [{ key: "A", colour: "#000000", base: true, percent }],
  });

  it("show the bins that are used, and one beside them", () => {
    expect(usedBins(chart([0, 0, 100, 0, 0]).curves, false, 5)).toEqual([1, 3]);
    expect(usedBins(chart([0, 0, 0, 0, 100]).curves, false, 5)).toEqual([3, 4]);
    expect(usedBins(chart([0, 40, 100, 100, 100]).curves, true, 5)).toEqual([0, 3]);
    expect(usedBins(chart([0, 0, 0, 0, 0]).curves, false, 5)).toEqual([3, 4]);
  });

  it("find the bin under a pixel on a logarithmic axis", () => {
    const drawn = chart([0, 0, 100, 0, 0]);
    // From 100 ns to 100 µs, between the margins.
    const width = 46 + 300 + 14;
    expect(binAt(drawn, width, 46 + 50)).toBe(1);
    expect(binAt(drawn, width, 46 + 150)).toBe(2);
    expect(binAt(drawn, width, 46 + 250)).toBe(3);
    expect(binAt(drawn, width, 10)).toBeNull();
  });
});
