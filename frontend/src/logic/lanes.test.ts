import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultOpen, laneAt, layoutLanes, visibleLanes } from "./lanes.ts";

const nodes = fc.integer({ min: 1, max: 16 }).chain((count) =>
  fc.integer({ min: 1, max: 32 }).map((per) =>
    Array.from({ length: count }, (_, nid) => ({
      nid,
      cpus: Array.from({ length: per }, (_unused, i) => nid * per + i),
    })),
  ),
);

describe("layoutLanes", () => {
  it("stacks lanes without overlap, in order, and finds each again by its height", () => {
    fc.assert(
      fc.property(
        nodes,
        fc.integer({ min: 0, max: 65535 }),
        fc.integer({ min: 100, max: 3000 }),
        fc.record({ open: fc.boolean(), resources: fc.subarray(["cpu", "memory", "io", "irq"]) }),
        (all, mask, height, pressure) => {
          const open = new Set(all.filter(({ nid }) => (mask >> nid) & 1).map(({ nid }) => nid));
          const layout = layoutLanes(all, open, height, pressure);
          const expected = all.flatMap(({ nid, cpus }) => [
            `node:${nid}`,
            ...(open.has(nid) ? cpus.map((cpu) => `cpu:${cpu}`) : []),
          ]);
          expected.push("psi", ...(pressure.open ? pressure.resources.map((name) => `psi:${name}`) : []));
          expect(layout.boxes.map((box) => box.key)).toEqual(expected);
          let bottom = 0;
          for (const box of layout.boxes) {
            expect(box.y).toBeGreaterThanOrEqual(bottom);
            bottom = box.y + box.height;
            expect(laneAt(layout, box.y)).toBe(box);
            expect(laneAt(layout, bottom - 0.5)).toBe(box);
          }
          expect(layout.height).toBeGreaterThanOrEqual(bottom);
          expect(laneAt(layout, -1)).toBeNull();
          expect(laneAt(layout, layout.height + 1)).toBeNull();
        },
      ),
    );
  });

  it("uses a tall window and never scrolls when all fits", () => {
    const two = [
      { nid: 0, cpus: [0, 1, 2, 3] },
      { nid: 1, cpus: [4, 5, 6, 7] },
    ];
    const open = new Set([0, 1]);
    expect(layoutLanes(two, open, 700).height).toBeLessThanOrEqual(700);
    expect(layoutLanes(two, open, 700).height).toBeGreaterThan(600);
    const low = layoutLanes(two, open, 200).boxes.map((box) => box.height);
    expect(Math.min(...low)).toBeGreaterThanOrEqual(26);
  });

  it("draws only what a viewport shows", () => {
    const many = Array.from({ length: 8 }, (_, nid) => ({
      nid,
      cpus: Array.from({ length: 64 }, (_u, i) => nid * 64 + i),
    }));
    const layout = layoutLanes(many, new Set(many.map(({ nid }) => nid)), 600);
    const shown = visibleLanes(layout, 1000, 600);
    expect(shown.length).toBeLessThan(30);
    expect(shown.every((box) => box.y < 1600 && box.y + box.height > 1000)).toBe(true);
  });
});

describe("defaultOpen", () => {
  it("opens all nodes of a small machine and none of a large one", () => {
    expect(
      defaultOpen([
        { nid: 0, cpus: [0, 1] },
        { nid: 2, cpus: [2, 3] },
      ]),
    ).toEqual([0, 2]);
    expect(defaultOpen([{ nid: 0, cpus: Array.from({ length: 17 }, (_, i) => i) }])).toEqual([]);
  });
});
