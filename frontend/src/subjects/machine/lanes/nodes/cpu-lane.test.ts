import { describe, expect, it } from "vitest";
import { makeItems, makeTile } from "../../../../../test-support/test-items.ts";
import type { LaneCanvas } from "../../../../timeline/draw/strips.ts";
import { layoutPanels } from "../../../../timeline/lanes.ts";
import { Kind } from "../../../../timeline/tiles/tiles.ts";
import { COLOURED_FROM, describeHit, hitLane, paintCpuLane } from "./cpu-lane.ts";
import { nodeLanes } from "./node-lane.ts";

const lanes = nodeLanes([{ nid: 1, cpus: [4] }], new Set([1]));
const [, node, cpu] = layoutPanels([{ id: "nodes", collapsed: false, factor: 1, lanes }], 400).boxes;
const around = {
  origin: 7_000_000_000n,
  taskName: (task: number) => (task === 3 ? { comm: "<b>ng_A</b>", pid: 774 } : null),
};

function at(time: number, lane = cpu) {
  const tile = makeTile({
    from: 0,
    to: 10_000,
    resolution: 1,
    bars: [
      { kind: Kind.Slice, t0: 1000, t1: 3439, task: 3 },
      { kind: Kind.Merged, t0: 5000, t1: 6000, task: 3, count: 12, busy: 0.4, rt: 0.1 },
      { kind: Kind.Merged, t0: 6000, t1: 6500, task: 3, count: 12, busy: 0.4, rt: -1 },
      { kind: Kind.Slice, t0: 7000, t1: 7500, task: 3, rt: 1 },
    ],
    gaps: [
      { kind: Kind.Unknown, t0: 0, t1: 500 },
      { kind: Kind.Lost, t0: 8000, t1: 9000 },
    ],
  });
  if (!lane) throw new Error("the layout has no such lane");
  const hit = hitLane(lane, tile, time, 2);
  return hit ? { hit, what: describeHit(lane, tile, hit, around) } : null;
}

describe("what stands under the pointer", () => {
  it("is a slice with its task, place and exact times", () => {
    const what = at(2000)?.what;
    expect(what).toEqual({
      title: "<b>ng_A</b>",
      task: 3,
      rows: [
        ["pid", "774"],
        ["where", "CPU 4, node 1"],
        ["from", "7.000001000 s"],
        ["to", "7.000003439 s"],
        ["duration", "2.439 µs (2,439 ns)"],
      ],
      label: "observed",
      note: null,
    });
  });

  it("says that merged slices are merged, and how many", () => {
    const what = at(5500)?.what;
    expect(what?.title).toBe("12 slices merged");
    expect(what?.rows).toContainEqual(["longest in total", "<b>ng_A</b> (774)"]);
    expect(what?.rows).toContainEqual(["CPU busy", "40 %"]);
    expect(what?.note).toMatch(/Zoom in/);
  });

  it("says what part tasks of a higher class had, and when a bundle does not tell", () => {
    expect(at(5500)?.what.rows).toContainEqual(["of which real-time, deadline or stop", "25 %"]);
    expect(at(6100)?.what.rows).toContainEqual([
      "of which real-time, deadline or stop",
      "not known: read the files again",
    ]);
    expect(at(7100)?.what.rows).toContainEqual(["class", "real-time, deadline or stop"]);
    expect(at(2000)?.what.rows.map(([name]) => name)).not.toContain("class");
  });

  it("never claims to know what a gap hides", () => {
    expect(at(100)?.what).toMatchObject({ title: "Not known yet", label: null });
    expect(at(8500)?.what).toMatchObject({ title: "Events lost", label: null });
  });

  it("gives idle its own edges", () => {
    const found = at(4000);
    expect(found?.hit).toMatchObject({ strip: "idle", from: 3439, to: 5000 });
    expect(found?.what.title).toBe("Idle");
  });

  it("reads a node's bucket in its own words", () => {
    if (!node) throw new Error("the layout has no node lane");
    const tile = makeTile({
      from: 0,
      to: 100,
      resolution: 10,
      bars: [{ kind: Kind.Bucket, t0: 0, t1: 10, busy: 0.75, wait: 2.5, waitMax: 7 }],
    });
    const hit = hitLane(node, tile, 5, 0);
    expect(hit && describeHit(node, tile, hit, around).label).toBe("replayed");
    expect(hit && describeHit(node, tile, hit, around).rows.slice(0, 2)).toEqual([
      ["CPUs busy", "75 %"],
      ["tasks waiting", "2.50 mean, 7 peak"],
    ]);
    expect(hitLane(node, tile, 50, 0)).toBeNull();
    const holed = { ...tile, gaps: makeItems([{ kind: Kind.Lost, t0: 8, t1: 12 }]) };
    expect(hit && describeHit(node, holed, hit, around)).toMatchObject({
      label: "inferred",
      note: expect.stringMatching(/excluded/),
    });
  });
});

/** What a lane of 100 pixels, 10 ns each, is filled with: colour, place, width and height, without its ground. */
function painted(bars: Parameters<typeof makeTile>[0]["bars"], focus: ReadonlySet<number> | null = null) {
  const fills: [string, number, number, number][] = [];
  const ctx = {
    fillStyle: "",
    globalAlpha: 1,
    fillRect(x: number, _y: number, width: number, height: number) {
      if (this.fillStyle !== "ground") fills.push([this.fillStyle, x, width, height]);
    },
    fillText() {},
  };
  const palette = { track: "ground", cost: "red", muted: "grey", text: "black" };
  const ink = { palette, tasks: [{ fill: "task 0" }, { fill: "task 1" }] };
  const lane = {
    ...{ ctx, scale: { from: 0, perNs: 0.1 }, ink },
    box: { y: 0, height: 30, width: 100, ratio: 1 },
  } as unknown as LaneCanvas;
  const tile = makeTile({ from: 0, to: 1000, resolution: 1, bars: bars ?? [] });
  const style = { waitScale: 2, colour: "node", focus, labelOf: () => null, charWidth: 7 };
  paintCpuLane(lane, [{ tile, span: { from: 0, to: 1000 } }], style);
  return fills;
}

describe("the colours of a lane", () => {
  const thin = { kind: Kind.Slice, t0: 0, t1: 10 * (COLOURED_FROM - 1), task: 1 };
  const wide = { kind: Kind.Slice, t0: 100, t1: 100 + 10 * COLOURED_FROM, task: 1 };
  const merged = { kind: Kind.Merged, t0: 500, t1: 900, task: 1, count: 40, busy: 0.5 };

  it("are the node's until a slice is a few pixels wide, then the task's", () => {
    expect(painted([thin, wide, merged]).map(([fill]) => fill)).toEqual(["node", "task 1", "node"]);
  });

  it("say by the height how busy a CPU was where slices are merged", () => {
    const [[, , , whole] = [], [, , , half] = []] = painted([wide, merged]);
    expect(half).toBeLessThan(0.6 * (whole ?? 0));
  });

  it("mark what tasks of a higher class took: their share of merged slices, a part of a single one", () => {
    const [[, , , whole] = [], [mark, x, width, share] = []] = painted([{ ...merged, rt: 0.25 }]);
    expect([mark, x, width]).toEqual(["black", 50, 39]);
    expect((share ?? 0) / (whole ?? 1)).toBeCloseTo(0.5, 1);
    const own = painted([{ ...wide, rt: 1 }]);
    expect(own.map(([fill]) => fill)).toEqual(["task 1", "black"]);
    expect(own[1]?.[3]).toBeLessThan((own[0]?.[3] ?? 0) / 2);
    // What a bundle does not show is not marked.
    expect(painted([{ ...merged, rt: -1 }])).toHaveLength(1);
  });

  it("are the task's, however thin, of one that is brought forward", () => {
    expect(painted([thin, merged], new Set([1])).map(([fill]) => fill)).toEqual(["task 1", "task 1"]);
    expect(painted([thin], new Set([0])).map(([fill]) => fill)).toEqual(["node"]);
  });
});
