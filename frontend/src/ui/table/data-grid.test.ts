import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupRows } from "./data-grid.tsx";
import { columnWidths, visibleRows } from "./virtual-table.tsx";

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

describe("virtual table", () => {
  describe("visibleRows", () => {
    it("covers the viewport with few rows, and never leaves the list", () => {
      fc.assert(
        fc.property(fc.nat(1_000_000), fc.nat(30_000_000), fc.nat(2000), (count, top, height) => {
          const { first, end } = visibleRows(count, 22, top, height);
          expect(first).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThanOrEqual(first);
          expect(end).toBeLessThanOrEqual(count);
          expect(end - first).toBeLessThanOrEqual(height / 22 + 18);
          expect(first * 22).toBeLessThanOrEqual(Math.max(top, 0));
          if (end < count) expect(end * 22).toBeGreaterThanOrEqual(top + height);
        }),
      );
    });
  });

  describe("columnWidths", () => {
    it("follows the widest text within reason", () => {
      expect(columnWidths(["a", "resource", "why"], [["1", "cpu", "x".repeat(400)]])).toEqual([4, 8, 48]);
    });
  });
});
