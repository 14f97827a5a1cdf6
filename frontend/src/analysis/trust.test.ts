import { describe, expect, it } from "vitest";
import { topologySentence, trustBadges } from "./trust.ts";

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
    expect(badges.map(({ text }) => text)).toEqual(["topology assumed", "128 events lost", "1 warning"]);
    expect(badges[1]?.detail).toMatch(/in 3 places, 128 by the kernel's count/);
  });
  it("do not invent a number that the kernel did not tell", () => {
    const [badge] = trustBadges("perf", [{ lost_events: 0, lost_marks: 4 }], []);
    expect(badge?.text).toBe("events lost in 4 places");
    expect(badge?.detail).toMatch(/number unknown/);
  });
  it("has a sentence for every source", () => {
    for (const source of ["sidecar", "perf", "events", "assumed"])
      expect(topologySentence(source)).toMatch(/\.$/);
  });
});
