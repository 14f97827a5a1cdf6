import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupRows } from "./data-grid.tsx";

const groupOf = (row: number) => "aabcb"[row] ?? "z";

describe("rows that are alike", () => {
  it("are one line with their number, in the order of the first of each", () => {
    const lines = groupRows([4, 0, 1, 2, 3], groupOf, new Set(), null);
    expect(lines.map(({ row, count }) => [row, count])).toEqual([
      [4, 2],
      [0, 2],
      [3, 1],
    ]);
    expect(lines.every(({ open }) => !open)).toBe(true);
  });

  it("follow their line where it is open, also because one of them is shown", () => {
    expect(groupRows([0, 1, 2, 3, 4], groupOf, new Set(["a"]), null).map(({ row }) => row)).toEqual([
      0, 1, 2, 3,
    ]);
    expect(groupRows([0, 1, 2, 3, 4], groupOf, new Set(), 4).map(({ row }) => row)).toEqual([0, 2, 4, 3]);
    expect(groupRows([0, 1, 2, 3, 4], groupOf, new Set(), 2).map(({ row }) => row)).toEqual([0, 2, 3]);
  });

  it("are all there when all are open, each once", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(20)), (rows) => {
        const lines = groupRows(rows, (row) => String(row % 3), new Set(["0", "1", "2"]), null);
        expect(lines.map(({ row }) => row).sort()).toEqual([...rows].sort());
        expect(lines.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
      }),
    );
  });
});
