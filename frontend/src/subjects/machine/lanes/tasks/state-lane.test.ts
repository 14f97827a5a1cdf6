import { describe, expect, it } from "vitest";
import { type ItemRow, makeTile } from "../../../../../test-support/test-items.ts";
import type { TaskSleep } from "../../../../api/types.ts";
import type { LaneCanvas } from "../../../../timeline/draw/strips.ts";
import { Kind } from "../../../../timeline/tiles/tiles.ts";
import { ledgerInk } from "../../../off_cpu/lanes/ledger.ts";
import { paintStateLane } from "./state-lane.ts";

/** What a lane fills above its track: colour, left edge, width and height, 10 ns to a pixel. */
function painted(bars: readonly ItemRow[], sleep: TaskSleep | null = null) {
  const fills: [string, number, number, number][] = [];
  const ctx = {
    fillStyle: "",
    globalAlpha: 1,
    fillRect(x: number, _y: number, width: number, height: number) {
      fills.push([this.fillStyle, x, width, height]);
    },
    fillText: (text: string) => words.push(text),
  };
  const words: string[] = [];
  const palette = {
    ...{ theme: "light", track: "track", cost: "cost", muted: "muted", text: "black", unknown: "grey" },
    warn: "edge",
  };
  const lane = {
    ctx,
    scale: { from: 0, perNs: 0.1 },
    box: { y: 0, height: 26, width: 100, ratio: 1 },
    ink: { palette, dots: "dots" },
  } as unknown as LaneCanvas;
  const span = { from: 0, to: 1000 };
  const sleepAt = () => sleep;
  const style = { nodeOf: () => 0, nodeColour: () => "node", charWidth: 2, dimmed: false, sleepAt };
  paintStateLane(lane, [{ tile: makeTile({ ...span, resolution: 1, bars }), span }], style);
  return { fills: fills.slice(1), words };
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
    const { fills } = painted([merged(100, 0.5, 0.25), merged(110, 0.5, 0.25), merged(120, 0.5, 0.5)]);
    expect(fills.filter(([fill]) => fill === "node")).toEqual([["node", 10, 3, 10]]);
    expect(fills.filter(([fill]) => fill === "cost")).toEqual([
      ["cost", 10, 2, 5],
      ["cost", 12, 1, 10],
    ]);
  });

  it("leaves a hole where nothing is between two of one height", () => {
    expect(painted([merged(100, 0.5, 0), merged(120, 0.5, 0)]).fills).toEqual([
      ["node", 10, 1, 10],
      ["node", 12, 1, 10],
    ]);
  });

  it("shows what ran or waited however briefly, and no more than the lane", () => {
    expect(painted([merged(100, 0.001, 1)]).fills).toEqual([
      ["node", 10, 1, 2],
      ["cost", 10, 1, 18],
    ]);
  });

  it("draws nothing twice in one pixel", () => {
    const within = [100, 102, 104].map((t0) => ({ kind: Kind.Woken, t0, t1: t0 + 2 }));
    expect(painted(within).fills).toHaveLength(1);
  });
});

describe("a sleep", () => {
  const bar = (kind: number): ItemRow[] => [{ kind, t0: 100, t1: 900 }];
  const sleep = (cause: string): TaskSleep => ({
    ...{ from_ns: "100", to_ns: "900", state: "S", cause, title: `on ${cause}`, resource: null },
    ...{ waker: { pid: 7, comm: "owner" }, holders: [], provenance: "inferred", summary: "" },
  });

  it("is gray and without words until its cause is known", () => {
    const { fills, words } = painted(bar(Kind.Sleeping));
    expect(fills).toEqual([["grey", 10, 80, 5]]);
    expect(words).toEqual([]);
  });

  it("has the colour of its cause, and says it with who was behind it", () => {
    const { fills, words } = painted(bar(Kind.Sleeping), sleep("disk"));
    expect(fills).toEqual([[ledgerInk("asleep", "disk", "light"), 10, 80, 5]]);
    expect(words).toEqual(["800 ns on disk, owner"]);
    expect(painted(bar(Kind.Sleeping), sleep("unknown")).fills[0]?.[0]).toBe("dots");
  });

  it("is higher and under an edge where signals do not end it", () => {
    expect(painted(bar(Kind.Blocked), sleep("disk")).fills).toEqual([
      [ledgerInk("asleep", "disk", "light"), 10, 80, 8],
      ["edge", 10, 80, 2],
    ]);
  });
});
