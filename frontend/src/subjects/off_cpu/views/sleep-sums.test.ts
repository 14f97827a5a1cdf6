import { describe, expect, it } from "vitest";
import type { TaskSleep } from "../../../api/types.ts";
import { longestSleeps, sleptUntil } from "./sleep-sums.ts";

function sleep(from: number, to: number, pid: number | null): TaskSleep {
  return {
    ...{ from_ns: String(from), to_ns: String(to), state: "S", cause: "pipe", title: "pipe", holders: [] },
    ...{ resource: null, waker: pid === null ? null : { pid, comm: `task${pid}` } },
    ...{ provenance: "inferred", summary: "" },
  };
}

const WINDOW = { from: 100n, to: 200n };

describe("sums over sleeps", () => {
  const sleeps = [sleep(0, 110, 7), sleep(120, 150, 8), sleep(155, 175, 7), sleep(190, 900, null)];

  it("count what lies inside the window", () => {
    expect(longestSleeps(sleeps, WINDOW, 3).map(({ ns }) => ns)).toEqual([30, 20, 10]);
    expect([...sleptUntil(sleeps, WINDOW)]).toEqual([
      [7, 30],
      [8, 30],
    ]);
  });
});
