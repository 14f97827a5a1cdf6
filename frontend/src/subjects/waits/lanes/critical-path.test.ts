import { describe, expect, it } from "vitest";
import type { PathStep } from "../../../api/types.ts";
import { boxOf } from "../../../timeline/lanes.ts";
import { didWords, restWords, stopWords } from "../../off_cpu/views/path-facts.tsx";
import { type FoundPath, formatPath, litPath, parsePath, pathArrows, pathPids } from "./critical-path.ts";

const woken = (t: number, context: "task" | "interrupt", cpu: number, pid: number) => ({
  ...{ t_ns: String(t), context, cpu, nid: 0, pid },
});

function step(pid: number, from: number, to: number, change: Partial<PathStep> = {}): PathStep {
  return {
    ...{ pid, comm: `task${pid}`, from_ns: String(from), to_ns: String(to), run_ns: 0, wait_ns: 0 },
    ...{ parts: [], parts_more: 0, woken: null, slept_ns: null, label: "observed", missing: [] },
    ...change,
  };
}

/** 10 slept from 140 on and waited from 220 on; 20 woke it, whom an interrupt had woken at 200. */
const path: FoundPath = {
  ...{ available: true, from_ns: "0", to_ns: "1", pid: 10, comm: "task10", state: "wakeup" },
  ...{ begin_ns: "140", end_ns: "280", stop: "interrupt", rest_ns: 60, label: "replayed", missing: [] },
  steps: [
    step(10, 220, 280, { woken: woken(220, "task", 1, 20), wait_ns: 60 }),
    step(20, 200, 220, { woken: woken(200, "interrupt", 2, 0), run_ns: 15, wait_ns: 5 }),
  ],
};

const scene = {
  nodes: [],
  tasks: { length: 3, pid: Int32Array.of(5, 10, 20), comm: ["a", "b", "c"], runNs: Float64Array.of(0, 0, 0) },
  origin: 100n,
  bounds: { from: 0, to: 900 },
  common: { from: 0, to: 900 },
};

const lane = (key: string, top: number) => ({
  box: boxOf("tasks", { key, kind: "task", min: 20, max: 20 }, top, 20),
  top,
});

describe("a critical path over the lanes", () => {
  it("has an arrow for each wake-up, and a stub where nobody's lane is behind it", () => {
    const seen = [lane("task:10", 0), lane("task:20", 100)];
    const arrows = pathArrows(path, seen, { from: 0, perNs: 1 }, scene.origin);
    expect(arrows).toEqual([
      { x: 120, from: 110, to: 10 },
      { x: 100, from: null, to: 110 },
    ]);
    // A waker whose lane is not visible is still a waker.
    expect(pathArrows(path, [lane("task:10", 0)], { from: 0, perNs: 1 }, scene.origin)).toEqual([]);
  });

  it("brings forward who is on it", () => {
    const lit = litPath(path, scene);
    expect([...lit.tasks]).toEqual([1, 2]);
    expect(lit.parts).toEqual([
      { lane: "task:10", span: { from: 120, to: 180 } },
      { lane: "task:20", span: { from: 100, to: 120 } },
    ]);
    expect(pathPids(path)).toEqual([10, 20]);
    const long = { ...path, steps: Array.from({ length: 20 }, (_, i) => step(i + 1, 9 - i, 10 - i)) };
    expect(pathPids(long)).toHaveLength(8);
  });

  it("is in a link", () => {
    const key = { pid: 10, at: 150n };
    expect(formatPath(key)).toBe("10@150");
    expect(parsePath("10@150")).toEqual(key);
    for (const text of [undefined, "", "10", "x@1", "4294967296@1"]) expect(parsePath(text)).toBeNull();
  });
});

describe("a critical path in words", () => {
  it("says what each did, and until when the sleep before was whose", () => {
    const parts = [
      { state: "wakeup", from_ns: "200", to_ns: "205", since_ns: "200", cpu: 1, nid: 0, cause: "busy" },
      { state: "running", from_ns: "205", to_ns: "220", since_ns: "205", cpu: 1, nid: 0, cause: null },
    ] as const;
    expect(didWords(step(20, 200, 220, { run_ns: 15, wait_ns: 5, parts: [...parts] }))).toBe(
      "waited 5 ns for a CPU, ran 15 ns on CPU 1",
    );
    expect(didWords(step(20, 200, 220))).toBe("was not seen running");
    expect(restWords(path)).toBe("task20 20 slept until it was woken from an interrupt on CPU 2");
    const bystander = { ...path, steps: [step(10, 220, 280, { woken: woken(220, "interrupt", 1, 20) })] };
    expect(restWords(bystander)).toBe(
      "task10 10 slept until it was woken from an interrupt on CPU 1 (the task on the CPU was not involved)",
    );
    expect(restWords({ ...path, stop: "not_recorded", steps: [] })).toBe(
      "task10 10 slept; its waker is not shown",
    );
    expect(stopWords({ ...path, stop: "limit" })).toBe("The path continues; its latest 2 steps are listed.");
  });
});
