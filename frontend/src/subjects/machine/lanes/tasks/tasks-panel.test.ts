import { describe, expect, it } from "vitest";
import { type ItemRow, makeTile } from "../../../../../test-support/test-items.ts";
import { boxOf } from "../../../../timeline/lanes.ts";
import { Kind } from "../../../../timeline/tiles/tiles.ts";
import { tasksInWords } from "./index.tsx";
import { taskOfLane, threadsOfLane } from "./tasks-panel.ts";
import { hitThreads, mostThreads, threadsFact } from "./threads-lane.ts";
import { wakeArrows } from "./wake-arrows.ts";

describe("a lane's key", () => {
  it("is a task's only with a pid as the kernel has them", () => {
    expect(["task:774", "task:0", `task:${2 ** 31 - 1}`].map(taskOfLane)).toEqual([774, 0, 2 ** 31 - 1]);
    const others = ["cpu:774", "task:", "task:-1", "task:7x", "task:2147483648", "task:99999999999"];
    expect(others.map(taskOfLane)).toEqual(others.map(() => null));
  });
});

describe("a lane's key of threads together", () => {
  it("is a process' or a cgroup's", () => {
    expect(threadsOfLane("process:774")).toEqual({ kind: "process", number: 774 });
    expect(threadsOfLane("cgroup:2147483647")).toEqual({ kind: "cgroup", number: 2 ** 31 - 1 });
    for (const other of ["task:7", "process:", "cgroup:-1", "cgroup:2147483648", "group:7"])
      expect(threadsOfLane(other)).toBeNull();
  });
});

describe("in words", () => {
  it("says of each lane how much it ran and waited, and nothing of one that is not there", () => {
    const shares = new Map([
      ["task:774", { title: "ng_A 774", together: false, ran: 0.09, waited: 0.72 }],
      ["task:9", null],
      ["process:7", { title: "process db 7", together: true, ran: 1.5, waited: 0 }],
    ]);
    expect(tasksInWords({ shares, path: null, asleep: [] })).toBe(
      "ng_A 774: ran 9 %, waited 72 %. process db 7: 1.50 threads ran, 0.00 waited.",
    );
  });
});

describe("threads", () => {
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
});

describe("arrows of wakeups", () => {
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
});
