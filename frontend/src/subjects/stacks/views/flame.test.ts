import { expect, it } from "vitest";
import {
  boxAt,
  flameOf,
  matchedSamples,
  matches,
  NO_BOX,
  type StacksSection,
  stepBox,
  viewOfBox,
  WHOLE,
} from "./flame.ts";
import { boxSays, flameSays, functionTable, leftOutSays, missingFilesSay, stepSays } from "./stack-words.ts";

/**
 * main 10 samples: read 3 (of them 1 in copy), write 6; other 2 of its own, which calls main again 1.
 */
function stacks(parts: Partial<StacksSection> = {}): StacksSection {
  const fn = (name: string, own: number, total: number, module = "/bin/x") => ({
    name,
    module,
    own,
    total,
    own_weight: null,
    total_weight: null,
  });
  return {
    available: true,
    from_ns: "1000",
    to_ns: "1999",
    events: [{ system: "perf", event: "cpu-clock", samples: 13, weighted: false }],
    event: null,
    samples: 14,
    without_stack: 1,
    truncated: 0,
    weight: null,
    weight_unit: "events",
    functions: [
      fn("write", 6, 6),
      fn("read", 2, 3),
      fn("other", 2, 3, "/lib/y.so"),
      fn("main", 2, 11),
      fn("copy", 1, 1, "[kernel.kallsyms]"),
    ],
    functions_left_out: 0,
    files_without_functions: [],
    files_without_functions_more: 0,
    nodes: {
      parent: [-1, 0, 0, 1, -1, 4],
      function: [3, 1, 0, 4, 2, 3],
      own: [1, 2, 6, 1, 2, 1],
      total: [10, 3, 6, 1, 3, 1],
    },
    nodes_left_out: 0,
    samples_left_out: 0,
    step_ns: 100,
    steps: { at: [0, 1, 2, 5, 6], node: [3, 1, 2, 2, -1], most: [1, 2, 1, 3, 1], samples: [1, 3, 1, 3, 1] },
    label: "observed",
    missing: [],
    ...parts,
  };
}

const named = (answer: StacksSection, node: number) =>
  answer.functions[answer.nodes.function[node] ?? 0]?.name;

it("boxes are as wide as their samples, the larger first, and callers are above", () => {
  const answer = stacks();
  const flame = flameOf(answer, "heavy");
  const boxes = Array.from({ length: flame.length }, (_, box) => [
    flame.depth[box],
    named(answer, flame.node[box] ?? 0),
    Math.round((flame.x0[box] ?? 0) * 13),
    Math.round((flame.x1[box] ?? 0) * 13),
  ]);
  expect(boxes).toEqual([
    [0, "main", 0, 10],
    [0, "other", 10, 13],
    [1, "write", 0, 6],
    [1, "read", 6, 9],
    [1, "main", 10, 11],
    [2, "copy", 6, 7],
  ]);
  expect(flame.depths).toBe(3);
  expect([...flame.parent]).toEqual([NO_BOX, NO_BOX, 0, 0, 1, 3]);
});

it("by time the same function side by side is one box, and a step without samples ends it", () => {
  const answer = stacks();
  const flame = flameOf(answer, "time");
  const boxes = Array.from({ length: flame.length }, (_, box) => [
    flame.depth[box],
    named(answer, flame.node[box] ?? 0),
    Math.round((flame.x0[box] ?? 0) * 10),
    Math.round((flame.x1[box] ?? 0) * 10),
  ]);
  expect(boxes).toEqual([
    [0, "main", 0, 3],
    [1, "read", 0, 2],
    [2, "copy", 0, 1],
    [1, "write", 2, 3],
    [0, "main", 5, 6],
    [1, "write", 5, 6],
  ]);
});

it("a point has its box, also when only a part is shown", () => {
  const flame = flameOf(stacks(), "heavy");
  expect(boxAt(flame, WHOLE, 0.99, 0)).toBe(1);
  expect(boxAt(flame, WHOLE, 0.99, 2)).toBe(NO_BOX);
  const view = viewOfBox(flame, 3);
  expect(boxAt(flame, view, 0.1, 2)).toBe(5);
  expect(boxAt(flame, view, 0.5, 0)).toBe(0);
  expect(viewOfBox(flame, NO_BOX)).toEqual(WHOLE);
});

it("the arrows go to callers, calls and neighbours", () => {
  const flame = flameOf(stacks(), "heavy");
  const go = (box: number, ...keys: string[]) => keys.reduce((at, key) => stepBox(flame, at, key), box);
  expect(go(NO_BOX, "ArrowDown")).toBe(0);
  expect(go(0, "ArrowDown", "ArrowRight", "ArrowDown")).toBe(5);
  expect(go(5, "ArrowUp", "ArrowUp", "ArrowUp")).toBe(0);
  expect(go(0, "ArrowRight", "ArrowRight")).toBe(1);
  expect(go(1, "ArrowLeft", "ArrowDown", "ArrowDown")).toBe(2);
  expect(go(3, "Home")).toBe(0);
  const none = flameOf(stacks({ nodes: { parent: [], function: [], own: [], total: [] } }), "heavy");
  expect(stepBox(none, NO_BOX, "ArrowDown")).toBe(NO_BOX);
});

it("what is looked for counts each sample once", () => {
  const answer = stacks();
  expect(matches(answer, " ")).toBeNull();
  const found = (text: string) => matches(answer, text) ?? new Set<number>();
  expect([...found("MAIN")]).toEqual([3]);
  expect([...found("y.so")]).toEqual([2]);
  expect(matchedSamples(answer, found("main"))).toBe(11);
  expect(matchedSamples(answer, found("r"))).toBe(12);
  expect(matchedSamples(answer, found("nothing"))).toBe(0);
});

it("says what it shows and what it leaves out", () => {
  const answer = stacks({ truncated: 2, nodes_left_out: 5, samples_left_out: 1 });
  expect(flameSays(answer, flameOf(answer, "heavy"))).toMatch(
    /^Flame graph of 13 samples, the largest first, 3 functions deep\. Most are in write, 43/,
  );
  expect(boxSays(answer, flameOf(answer, "heavy"), 3)).toMatch(
    /^read \(\/bin\/x\): 3 samples, 21.*; 2 in itself$/,
  );
  expect(boxSays(answer, flameOf(answer, "time"), 1)).toContain(
    "0.000001 – 0.000001 s; all such calls: 3 samples",
  );
  expect(leftOutSays(answer)).toBe(
    "1 sample without a stack; 2 stacks truncated: deeper than the limit; left out 5 small callsites with 1 sample of their own",
  );
  expect(leftOutSays(stacks({ without_stack: 0 }))).toBe("");
  expect(stepSays(answer)).toContain("1 have several stacks");
  const table = functionTable(answer);
  expect(table.rows[0]?.slice(0, 2)).toEqual(["write", "6"]);
  expect(table.exactHead).toEqual(["name", "own", "own_share", "total", "total_share", "module"]);
});

it("files that are missing are counted, those that are not listed included", () => {
  expect(missingFilesSay(stacks())).toBe("");
  const file = { file: "/lib/y.so", build_id: "ab12", places: 3 };
  expect(missingFilesSay(stacks({ files_without_functions: [file] }))).toBe("1 file without functions");
  const more = { files_without_functions: [file], files_without_functions_more: 2 };
  expect(missingFilesSay(stacks(more))).toBe("3 files without functions");
});
