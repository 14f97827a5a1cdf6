import { describe, expect, it } from "vitest";
import { rankTasks } from "./rank-tasks.ts";
import { topologySentence, trustBadges } from "./trust.ts";
import { decodeRecords, encodeRecords, isSameFile, uploadId } from "./upload-record.ts";

const FILE = {
  key: "k1",
  name: "trace.dat",
  size: 10_287_172,
  modified: 5,
  url: "/api/v1/uploads/ab12",
  done: false,
};

describe("upload records", () => {
  it("come back after a reload", () => {
    const batches = [{ id: "b1", files: [FILE, { ...FILE, key: "k2", url: null }] }];
    expect(decodeRecords(encodeRecords(batches))).toEqual(batches);
  });

  it("are forgotten when they cannot be understood", () => {
    expect(decodeRecords(null)).toEqual([]);
    expect(decodeRecords("{")).toEqual([]);
    expect(decodeRecords('{"schema":2,"batches":[]}')).toEqual([]);
    expect(decodeRecords('{"schema":1,"batches":[{"id":"b","files":[]},{"id":1},null]}')).toEqual([]);
  });

  it("take only the very same file to go on with", () => {
    const file = { name: "trace.dat", size: 10_287_172, lastModified: 5 };
    expect(isSameFile(FILE, file)).toBe(true);
    expect(isSameFile(FILE, { ...file, lastModified: 6 })).toBe(false);
    expect(isSameFile(FILE, { ...file, size: 1 })).toBe(false);
  });

  it("know an upload by the last part of its address", () => {
    expect(uploadId("/api/v1/uploads/ab12")).toBe("ab12");
    expect(uploadId("http://127.0.0.1:8000/api/v1/uploads/ab12/?x=1")).toBe("ab12");
  });
});

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

describe("trust badges", () => {
  it("are absent when there is nothing to say", () => {
    expect(trustBadges("sidecar", [{ lost_events: 0, lost_marks: 0 }], [])).toEqual([]);
  });
  it("tell an assumed topology, losses and notes", () => {
    const badges = trustBadges(
      "assumed",
      [
        { lost_events: 100, lost_marks: 2 },
        { lost_events: 28, lost_marks: 1 },
      ],
      ["a"],
    );
    expect(badges.map(({ text }) => text)).toEqual(["topology assumed", "128 events lost", "1 note"]);
    expect(badges[1]?.detail).toMatch(/in 3 places, 128 by its own count/);
  });
  it("do not invent a number that the kernel did not tell", () => {
    const [badge] = trustBadges("perf", [{ lost_events: 0, lost_marks: 4 }], []);
    expect(badge?.text).toBe("events lost in 4 places");
    expect(badge?.detail).toMatch(/did not say how many/);
  });
  it("has a sentence for every source", () => {
    for (const source of ["sidecar", "perf", "events", "assumed"])
      expect(topologySentence(source)).toMatch(/\.$/);
  });
});
