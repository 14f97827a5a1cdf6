import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuLane, nodeLanes } from "../panels/nodes/node-lane.ts";
import {
  laneAt,
  layoutPanels,
  layoutPins,
  MOST_PINS,
  parsePins,
  pinnedHeight,
  togglePin,
  visibleLanes,
} from "./lanes.ts";

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
