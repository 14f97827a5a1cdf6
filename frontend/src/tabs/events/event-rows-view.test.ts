import { describe, expect, it } from "vitest";
import type { EventRow } from "../../api/types.ts";
import { eventCells, rowInSlice, taskFilter } from "./event-rows-view.tsx";

const row = (ts_ns: string, cpu: number): EventRow => ({
  ts_ns,
  cpu,
  system: "sched",
  event: "sched_waking",
  input: 0,
  fields: [
    ["common_flags", "1"],
    ["comm", "a b"],
  ],
});

describe("raw events as rows", () => {
  it("tell what is the event's own first", () => {
    expect(eventCells(row("1500000001", 3))).toEqual([
      "1.500000001",
      "3",
      "sched_waking",
      "comm=a b common_flags=1",
    ]);
  });

  it("are found in a slice by CPU and time, also where a float64 would not hold the clock", () => {
    const rows = [row("9007199254740993", 1), row("9007199254740994", 0), row("9007199254740995", 0)];
    const slice = { pid: 1, cpu: 0, start_ns: "9007199254740995", end_ns: "9007199254740999" };
    expect(rowInSlice(rows, slice)).toBe(2);
    expect(rowInSlice(rows, { ...slice, cpu: 5 })).toBeNull();
    expect(rowInSlice(rows, null)).toBeNull();
  });

  it("of a task are asked for by the fields that there are", () => {
    expect(taskFilter(7, new Set(["next_pid", "prev_pid", "comm"]))).toBe("prev_pid == 7 || next_pid == 7");
    expect(taskFilter(7, new Set())).toBe("");
  });
});
