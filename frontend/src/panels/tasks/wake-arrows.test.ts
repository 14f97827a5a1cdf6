import { describe, expect, it } from "vitest";
import { type ItemRow, makeTile } from "../../../test-support/test-items.ts";
import { boxOf } from "../../timeline/lanes.ts";
import { Kind } from "../../timeline/tiles/tiles.ts";
import { wakeArrows } from "./wake-arrows.ts";

function lane(key: string, top: number) {
  const kind = key.slice(0, key.indexOf(":"));
  return { box: boxOf("tasks", { key, kind, min: 20, max: 20 }, top, 20), top };
}

/** A window of 1000 ns on 1000 pixels; rows of the task table are pids. */
function drawn(lanes: Readonly<Record<string, readonly ItemRow[]>>, pids: readonly number[]) {
  const view = { from: 0, to: 1000 };
  const seen = Object.keys(lanes).map((key, place) => lane(key, 100 * place));
  const tiles = new Map(
    Object.entries(lanes).map(([key, bars]) => [key, makeTile({ ...view, resolution: 1, bars })]),
  );
  const pieces = (key: string) => {
    const tile = tiles.get(key);
    return tile ? [{ tile, span: view }] : [];
  };
  const scale = { from: 0, perNs: 1 };
  return wakeArrows({ scale, view, width: 1000, seen, pieces, pidOf: (task) => task }, pids);
}

const woken = (t0: number, wakerPid: number): ItemRow => ({ kind: Kind.Woken, t0, t1: t0 + 4, wakerPid });

describe("wakeArrows", () => {
  it("go from the lane of the waker to that of the woken, at the time of the wake-up", () => {
    const arrows = drawn({ "task:1": [woken(300, 2)], "task:2": [] }, [1, 2]);
    expect(arrows).toEqual([{ x: 300, from: 110, to: 10, faint: false }]);
  });

  it("come from the CPU on which an unpinned waker is seen to run", () => {
    const ran = [
      { kind: Kind.Slice, t0: 200, t1: 290, task: 9 },
      { kind: Kind.Slice, t0: 290, t1: 400, task: 5 },
    ];
    const lanes = { "task:1": [woken(300, 5), woken(500, 5), woken(250, 5)], "cpu:0": [], "cpu:1": ran };
    const sorted = { ...lanes, "task:1": lanes["task:1"].toSorted((a, b) => a.t0 - b.t0) };
    expect(drawn(sorted, [1])).toEqual([{ x: 300, from: 210, to: 10, faint: true }]);
  });

  it("are none where nobody, or an interrupt on an idle CPU, woke it", () => {
    expect(drawn({ "task:1": [woken(300, 0), woken(400, -1), woken(500, 77)], "task:0": [] }, [1])).toEqual(
      [],
    );
  });

  it("are none where they would be a curtain, or only those of some", () => {
    const many = Array.from({ length: 80 }, (_, i) => woken(12 * i, 2));
    expect(drawn({ "task:1": many, "task:2": [] }, [1])).toEqual([]);
    expect(drawn({ "task:1": many.slice(0, 20), "task:2": [] }, [1])).toHaveLength(20);
    const merged = [900, 920].map((t0) => ({ kind: Kind.Merged, t0, t1: t0 + 10 }));
    expect(drawn({ "task:1": [woken(300, 2), ...merged], "task:2": [] }, [1])).toEqual([]);
  });
});
