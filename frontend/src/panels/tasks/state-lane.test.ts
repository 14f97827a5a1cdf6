import { describe, expect, it } from "vitest";
import { type ItemRow, makeTile } from "../../../test-support/test-items.ts";
import type { LaneCanvas } from "../../timeline/draw/strips.ts";
import { Kind } from "../../timeline/tiles/tiles.ts";
import { paintStateLane } from "./state-lane.ts";

/** What a lane fills above its track: colour, left edge, width and height, 10 ns to a pixel. */
function painted(bars: readonly ItemRow[]) {
  const fills: [string, number, number, number][] = [];
  const ctx = {
    fillStyle: "",
    globalAlpha: 1,
    fillRect(x: number, _y: number, width: number, height: number) {
      fills.push([this.fillStyle, x, width, height]);
    },
    fillText() {},
  };
  const palette = { track: "track", cost: "cost", muted: "muted", text: "black", unknown: "grey" };
  const lane = {
    ctx,
    scale: { from: 0, perNs: 0.1 },
    box: { y: 0, height: 26, width: 100, ratio: 1 },
    ink: { palette },
  } as unknown as LaneCanvas;
  const span = { from: 0, to: 1000 };
  const style = { nodeOf: () => 0, nodeColour: () => "node", charWidth: 7, dimmed: false };
  paintStateLane(lane, [{ tile: makeTile({ ...span, resolution: 1, bars }), span }], style);
  return fills.slice(1);
}

describe("a lane of merged times", () => {
  const merged = (t0: number, busy: number, wait: number): ItemRow => ({
    kind: Kind.Merged,
    t0,
    t1: t0 + 10,
    busy,
    wait,
  });

  it("has one bar for neighbours of one height, and one for what waited above it", () => {
    const fills = painted([merged(100, 0.5, 0.25), merged(110, 0.5, 0.25), merged(120, 0.5, 0.5)]);
    expect(fills.filter(([fill]) => fill === "node")).toEqual([["node", 10, 3, 10]]);
    expect(fills.filter(([fill]) => fill === "cost")).toEqual([
      ["cost", 10, 2, 5],
      ["cost", 12, 1, 10],
    ]);
  });

  it("leaves a hole where nothing is between two of one height", () => {
    expect(painted([merged(100, 0.5, 0), merged(120, 0.5, 0)])).toEqual([
      ["node", 10, 1, 10],
      ["node", 12, 1, 10],
    ]);
  });

  it("shows what ran or waited however briefly, and no more than the lane", () => {
    expect(painted([merged(100, 0.001, 1)])).toEqual([
      ["node", 10, 1, 2],
      ["cost", 10, 1, 18],
    ]);
  });

  it("draws nothing twice in one pixel", () => {
    const within = [100, 102, 104].map((t0) => ({ kind: Kind.Woken, t0, t1: t0 + 2 }));
    expect(painted(within)).toHaveLength(1);
  });
});
