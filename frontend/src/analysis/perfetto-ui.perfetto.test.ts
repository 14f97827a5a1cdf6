import { describe, expect, it } from "vitest";
import {
  MOST_WHOLE,
  otherPart,
  type PerfettoState,
  perfettoSentence,
  usualPart,
  whyPart,
} from "./perfetto-ui.ts";

describe("what of a recording is opened", () => {
  it("is all of a small one and the window of a large one, and says why", () => {
    expect(usualPart(MOST_WHOLE)).toBe("whole");
    expect(usualPart(MOST_WHOLE + 1)).toBe("window");
    expect(whyPart(145_336)).toContain("145,336 events");
    expect(whyPart(16_000_000)).toMatch(/^Only this window .* 16,000,000 events/);
    expect([otherPart("whole"), otherPart("window")]).toEqual(["window", "whole"]);
  });

  it("has one sentence for every state", () => {
    const states: PerfettoState[] = [
      { kind: "preparing", part: "whole", bytes: 3_200_000 },
      { kind: "starting", part: "whole", bytes: 3_200_000 },
      { kind: "reading", part: "window", bytes: 3_200_000 },
      { kind: "shown", part: "window" },
      { kind: "failed", sentence: "It went wrong." },
    ];
    const said = states.map(perfettoSentence);
    for (const sentence of said) expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(new Set(said).size).toBe(said.length);
    expect(said[0]).toContain("3.1 MiB so far");
    expect(perfettoSentence({ kind: "idle" })).toBe("");
  });
});
