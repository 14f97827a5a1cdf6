import { describe, expect, it } from "vitest";
import { tasksInWords } from "./index.tsx";
import { taskOfLane, threadsOfLane } from "./tasks-panel.ts";

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
