import { describe, expect, it } from "vitest";
import { rankTasks } from "./rank-tasks.ts";

describe("rankTasks", () => {
  const tasks = {
    length: 4,
    pid: [0, 12, 774, 123],
    comm: ["swapper/0", "ng_A", "NG_B", "db"],
    runNs: [99, 5, 7, 1],
  };
  it("puts the busiest first and leaves the idle loop out", () => {
    expect(rankTasks(tasks, "")).toEqual([2, 1, 3]);
  });
  it("filters by name, whatever the case, or by the beginning of a pid", () => {
    expect(rankTasks(tasks, " ng ")).toEqual([2, 1]);
    expect(rankTasks(tasks, "12")).toEqual([1, 3]);
    expect(rankTasks(tasks, "nothing")).toEqual([]);
  });
});
