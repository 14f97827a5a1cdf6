import { describe, expect, it } from "vitest";
import { lanesSummary, minimapSummary } from "./summary.ts";

describe("canvases in words", () => {
  it("say the window and what each node did in it", () => {
    const means = new Map([[0, { busy: 0.97, wait: 17.23, peak: 33 }]]);
    const nodes = [{ nid: 0 }, { nid: 1 }];
    expect(lanesSummary(10_000_000_000n, { from: 2e9, to: 3.5e9 }, nodes, means)).toBe(
      "Timeline from 12.000 s, 1.5 s long. Node 0: 97 % busy, 17.2 tasks waiting on average, 33 at most. Node 1: nothing known yet.",
    );
    expect(minimapSummary(0n, { from: 0, to: 40e9 }, { from: 0, to: 10e9 }, 1, 2)).toBe(
      "The whole trace, 40 s from 0.000 s: waiting tasks above, busy CPUs by node below, with 1 finding and 2 marks. The window is 25 % of it.",
    );
  });
});
