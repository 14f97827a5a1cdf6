import { describe, expect, it } from "vitest";
import type { Scene } from "../scene.ts";
import { lanesSummary, minimapSummary } from "./timeline.tsx";

describe("canvases in words", () => {
  it("say the window and what each panel says of itself", () => {
    const shown = {
      view: { from: 2e9, to: 3.5e9 },
      panels: [{ kind: { inWords: () => "Node 0: 97 % busy." } }],
    };
    expect(lanesSummary({ origin: 10_000_000_000n } as Scene, shown as never)).toBe(
      "Timeline from 12.000 s, 1.5 s long. Node 0: 97 % busy.",
    );
    expect(minimapSummary(0n, { from: 0, to: 40e9 }, { from: 0, to: 10e9 }, 1, 2)).toBe(
      "The whole trace, 40 s from 0.000 s: waiting tasks above, busy CPUs by node below, with 1 finding and 2 marks. The window shows 25 %.",
    );
  });
});
