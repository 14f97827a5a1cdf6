import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnWidths, visibleRows } from "./virtual-table.tsx";

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
