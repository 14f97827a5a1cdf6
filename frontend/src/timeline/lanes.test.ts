import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuLane, defaultOpen, nodeLanes } from "../subjects/machine/lanes/nodes/node-lane.ts";
import {
  dropPlace,
  type LaneSpec,
  laneAt,
  layoutPanels,
  layoutPins,
  MOST_PINS,
  type PanelSpec,
  parsePins,
  pinnedHeight,
  SECTION,
  togglePin,
  visibleLanes,
} from "./lanes.ts";

const nodes = fc.integer({ min: 1, max: 16 }).chain((count) =>
  fc.integer({ min: 1, max: 24 }).map((per) =>
    Array.from({ length: count }, (_, nid) => ({
      nid,
      cpus: Array.from({ length: per }, (_unused, i) => nid * per + i),
    })),
  ),
);

const lanes: fc.Arbitrary<LaneSpec[]> = fc
  .array(fc.record({ min: fc.integer({ min: 14, max: 200 }), more: fc.nat(200), gap: fc.nat(12) }), {
    maxLength: 6,
  })
  .map((all) =>
    all.map(({ min, more, gap }, i) => ({ key: `x:${i}`, kind: "rate", min, max: min + more, gap })),
  );

const panels: fc.Arbitrary<PanelSpec[]> = fc
  .shuffledSubarray(["sql", "nodes", "cling", "psi", "ilb", "memory"], { minLength: 1 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc
          .record({
            collapsed: fc.boolean(),
            factor: fc.constantFrom(0.5, 1, 1.25, 4),
            nodes,
            mask: fc.nat(65535),
            lanes,
          })
          .map(({ collapsed, factor, nodes: all, mask, lanes: others }) => {
            const open = new Set(all.filter(({ nid }) => (mask >> nid) & 1).map(({ nid }) => nid));
            const own = others.map((lane) => ({ ...lane, key: `${id}:${lane.key}` }));
            return { id, collapsed, factor, lanes: id === "nodes" ? nodeLanes(all, open) : own };
          }),
      ),
    ),
  );

describe("layoutPanels", () => {
  it("stacks headings and lanes without overlap, in order, and finds each again by its height", () => {
    fc.assert(
      fc.property(panels, fc.integer({ min: 100, max: 3000 }), (specs, height) => {
        const layout = layoutPanels(specs, height);
        const keys = specs.flatMap(({ id, collapsed, lanes: own }) => [
          id,
          ...(collapsed ? [] : own.map(({ key }) => key)),
        ]);
        expect(layout.boxes.map((box) => box.key)).toEqual(keys);
        let bottom = 0;
        for (const box of layout.boxes) {
          expect(box.y).toBeGreaterThanOrEqual(bottom);
          expect(box.height).toBeGreaterThanOrEqual(14);
          bottom = box.y + box.height;
          expect(laneAt(layout, box.y)).toBe(box);
          expect(laneAt(layout, bottom - 0.5)).toBe(box);
        }
        expect(layout.height).toBeGreaterThanOrEqual(bottom);
        expect(laneAt(layout, -1)).toBeNull();
        expect(laneAt(layout, layout.height + 1)).toBeNull();
        expect(layout.panels.map(({ id }) => id)).toEqual(specs.map(({ id }) => id));
        for (const { id, y, height: own } of layout.panels) {
          for (const box of layout.boxes.filter((each) => each.panel === id)) {
            expect(box.y).toBeGreaterThanOrEqual(y);
            expect(box.y + box.height).toBeLessThanOrEqual(y + own);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("tells what a viewport shows as a search through all lanes would", () => {
    fc.assert(
      fc.property(panels, fc.nat(4000), fc.integer({ min: 1, max: 900 }), (specs, top, height) => {
        const layout = layoutPanels(specs, 600);
        const slow = layout.boxes.filter((box) => box.y < top + height && box.y + box.height > top);
        expect(visibleLanes(layout, top, height)).toEqual(slow);
      }),
      { numRuns: 60 },
    );
  });

  const two = [
    { nid: 0, cpus: [0, 1, 2, 3] },
    { nid: 1, cpus: [4, 5, 6, 7] },
  ];
  const one = (factor: number, open = new Set([0, 1])): PanelSpec => ({
    id: "nodes",
    collapsed: false,
    factor,
    lanes: nodeLanes(two, open),
  });

  it("uses a tall window and never scrolls when all fits", () => {
    const tall = layoutPanels([one(1)], 700).height;
    expect(tall).toBeLessThanOrEqual(700);
    expect(tall).toBeGreaterThan(600);
    const low = layoutPanels([one(1)], 200).boxes.map((box) => box.height);
    expect(Math.min(...low)).toBeGreaterThanOrEqual(26);
  });

  it("makes a panel as much higher as its factor says, and folds it to its heading", () => {
    const lanesOf = (factor: number) =>
      layoutPanels([one(factor)], 100)
        .boxes.filter(({ kind }) => kind !== "section")
        .reduce((sum, { height }) => sum + height, 0);
    expect(lanesOf(2)).toBe(2 * lanesOf(1));
    expect(layoutPanels([{ ...one(2), collapsed: true }], 100).height).toBe(SECTION);
  });

  it("draws only what a viewport shows of 16 nodes with 384 CPUs", () => {
    const many = Array.from({ length: 16 }, (_, nid) => ({
      nid,
      cpus: Array.from({ length: 24 }, (_u, i) => nid * 24 + i),
    }));
    const all = nodeLanes(many, new Set(many.map(({ nid }) => nid)));
    const layout = layoutPanels([{ id: "nodes", collapsed: false, factor: 1, lanes: all }], 600);
    expect(layout.boxes).toHaveLength(1 + 16 + 384);
    const shown = visibleLanes(layout, 1000, 600);
    expect(shown.length).toBeLessThan(30);
    expect(shown.every((box) => box.y < 1600 && box.y + box.height > 1000)).toBe(true);
  });

  it("finds the panel that a dragged one goes before", () => {
    const three = layoutPanels(
      [one(1), { ...one(1), id: "psi", collapsed: true }, { ...one(1), id: "memory", collapsed: true }],
      300,
    );
    const [nodesBox, psi, memory] = three.panels;
    if (!nodesBox || !psi || !memory) throw new Error("a panel is missing");
    expect(dropPlace(three, 0)).toBe("nodes");
    expect(dropPlace(three, nodesBox.height - 1)).toBe("psi");
    expect(dropPlace(three, psi.y + 20)).toBe("memory");
    expect(dropPlace(three, memory.y + 25)).toBeNull();
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
    const large = Array.from({ length: 4 }, (_, nid) => ({
      nid,
      cpus: Array.from({ length: 16 }, (_u, i) => i),
    }));
    expect(defaultOpen(large)).toEqual([]);
  });
});

describe("pins", () => {
  const NODES = [
    { nid: 0, cpus: [0, 1] },
    { nid: 1, cpus: [2, 3] },
  ];
  const LANES = nodeLanes(NODES, new Set([0]));
  const pinned = (...keys: string[]) =>
    keys.flatMap((key) => {
      const spec = LANES.find((lane) => lane.key === key) ?? cpuLane(NODES, Number(key.slice(4)));
      return spec ? [{ panel: "nodes" as const, spec }] : [];
    });

  describe("pins in a link", () => {
    it("are names of lanes, each once, not too many; everything else is left out", () => {
      expect(parsePins("cpu:3,node:0,cpu:3,psi:cpu,cling:2")).toEqual([
        "cpu:3",
        "node:0",
        "psi:cpu",
        "cling:2",
      ]);
      expect(parsePins("<b>,cpu:,cpu:1@5,:3,CPU:1,cpu:1 ")).toEqual([]);
      expect(parsePins(undefined)).toEqual([]);
      expect(parsePins(Array.from({ length: 99 }, (_, i) => `cpu:${i}`).join(","))).toHaveLength(MOST_PINS);
    });

    it("are undone by the same step, and stay bounded", () => {
      expect(togglePin(togglePin(["node:0"], "cpu:3"), "cpu:3")).toEqual(["node:0"]);
      const many = Array.from({ length: MOST_PINS + 3 }, (_, i) => `cpu:${i}`).reduce(
        togglePin,
        [] as readonly string[],
      );
      expect(many).toEqual(Array.from({ length: MOST_PINS }, (_, i) => `cpu:${i + 3}`));
    });

    it("come back as they went, whatever a reader does", () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: 2 * MOST_PINS }), { maxLength: 80 }), (presses) => {
          const pins = presses.map((cpu) => `cpu:${cpu}`).reduce(togglePin, [] as readonly string[]);
          expect(parsePins(pins.join(","))).toEqual(pins);
          expect(pins.length).toBeLessThanOrEqual(MOST_PINS);
        }),
      );
    });
  });

  describe("pinned lanes", () => {
    it("stand above the others, in the order of pinning, a CPU of a closed node too", () => {
      const boxes = layoutPins(pinned("cpu:3", "node:0"), 1000);
      expect(boxes.map(({ key, nid, y }) => [key, nid, y])).toEqual([
        ["cpu:3", 1, 0],
        ["node:0", 0, boxes[0]?.height],
      ]);
      const layout = layoutPanels(
        [{ id: "nodes", collapsed: false, factor: 1, lanes: LANES.slice(1) }],
        1000,
        boxes,
      );
      expect(pinnedHeight(layout)).toBeGreaterThan((boxes[0]?.height ?? 0) + (boxes[1]?.height ?? 0));
      expect(layout.boxes[0]?.y).toBe(pinnedHeight(layout));
      expect(laneAt(layout, 1)).toBeNull();
      expect(visibleLanes(layout, pinnedHeight(layout), 10)[0]?.kind).toBe("section");
    });

    it("leave room for what scrolls", () => {
      const boxes = layoutPins(pinned("node:0", "node:1", "cpu:0", "cpu:1", "cpu:2"), 200);
      expect(boxes.map(({ key }) => key)).toEqual(["node:0"]);
      expect(layoutPins(pinned("node:0"), 60)).toEqual([]);
      expect(pinnedHeight(layoutPanels([], 100))).toBe(0);
    });
  });
});
