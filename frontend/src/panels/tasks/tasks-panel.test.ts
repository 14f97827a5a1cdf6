import { describe, expect, it } from "vitest";
import { tasksInWords } from "./index.tsx";
import { taskOfLane } from "./tasks-panel.ts";

describe("a lane's key", () => {
  it("is a task's only with a pid as the kernel has them", () => {
    expect(["task:774", "task:0", `task:${2 ** 31 - 1}`].map(taskOfLane)).toEqual([774, 0, 2 ** 31 - 1]);
    const others = ["cpu:774", "task:", "task:-1", "task:7x", "task:2147483648", "task:99999999999"];
    expect(others.map(taskOfLane)).toEqual(others.map(() => null));
  });
});

describe("in words", () => {
  it("says of each lane how much it ran and waited, and nothing of one that is not there", () => {
    const share = { title: "ng_A 774", ran: 0.09, waited: 0.72 };
    const shares = new Map([
      ["task:774", share],
      ["task:9", null],
    ]);
    expect(tasksInWords({ shares })).toBe("ng_A 774: ran 9 %, waited 72 %.");
  });
});
