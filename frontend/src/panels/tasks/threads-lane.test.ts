import { describe, expect, it } from "vitest";
import { type ItemRow, makeTile } from "../../../test-support/test-items.ts";
import { Kind } from "../../timeline/tiles/tiles.ts";
import { hitThreads, mostThreads, threadsFact } from "./threads-lane.ts";

const view = { from: 0, to: 1000 };
const threads = (t0: number, t1: number, counts: Partial<ItemRow>): ItemRow => ({
  kind: Kind.Threads,
  t0,
  t1,
  ...counts,
});

function pieceOf(bars: readonly ItemRow[]) {
  return { tile: makeTile({ ...view, resolution: 1, bars }), span: view };
}

describe("threads as one lane", () => {
  it("is as high as the most that are not asleep in the view", () => {
    const piece = pieceOf([
      threads(0, 100, { busy: 9 }),
      threads(200, 300, { busy: 1, wait: 1.25, blocked: 0.5, unknown: 0.5 }),
      threads(300, 400, { busy: 2 }),
    ]);
    expect(mostThreads([piece], { from: 150, to: 1000 })).toBe(4);
    expect(mostThreads([piece], view)).toBe(9);
    expect(mostThreads([piece], { from: 500, to: 1000 })).toBe(1);
  });

  it("says how many do what, exactly or in the mean, and nothing where all sleep", () => {
    const piece = pieceOf([
      threads(0, 100, { busy: 2, wait: 1, blocked: 3, count: 2, waitMax: 1 }),
      threads(200, 300, { busy: 1.5, wait: 0.25, unknown: 1, count: 2, waitMax: 1 }),
    ]);
    const said = (at: number) => {
      const hit = hitThreads(piece, at, 5);
      return hit && threadsFact(hit, "process db 7", 1_000_000n).fact;
    };
    expect(said(50)).toMatchObject({
      title: "process db 7: 6 threads not asleep",
      label: "replayed",
      at: 1_000_000n,
      rows: [
        ["running", "2"],
        ["waiting for a CPU", "1"],
        ["uninterruptible sleep (D)", "3"],
      ],
    });
    const mean = said(250);
    expect(mean?.label).toBe("inferred");
    expect(mean?.rows).toContainEqual(["not known", "1"]);
    expect(mean?.rows).toContainEqual(["running", "1.50"]);
    expect(mean?.rows).toContainEqual(["most running", "2"]);
    expect(said(150)).toBeNull();
  });
});
