import { describe, expect, it } from "vitest";
import { GlyphTrack, glyphsOf } from "./draw/glyphs.ts";
import { eventFact, type Marks, pickMark } from "./event-fact.ts";
import type { LaneBox } from "./lanes.ts";

const events = [100, 101, 900];
const { glyphs } = glyphsOf(
  events,
  (t) => t,
  () => 0,
);
const marks: Marks = {
  track: new GlyphTrack(glyphs),
  middle: 8,
  word: "kick",
  factAt: (i) =>
    eventFact({
      title: `event ${i}`,
      label: "observed",
      rows: [],
      note: null,
      fn: null,
      from: BigInt(events[i] ?? 0),
      to: BigInt(events[i] ?? 0) + 1n,
    }),
  sum: (facts) => [["all", String(facts.length)]],
};
const box = { key: "lane" } as LaneBox;
const at = (t: number) =>
  pickMark({ box, y: 8, at: t, view: { from: 0, to: 1000 }, width: 1000, perPixel: 1 }, marks, "ilb", 0n);

describe("a click on a mark", () => {
  it("takes its event", () => {
    const taken = at(900)?.taken;
    expect(taken?.kind === "fact" && [taken.fact.title, taken.fact.merged]).toEqual(["event 2", undefined]);
  });

  it("takes all that it stands for where several are merged in it, and fits them", () => {
    const picked = at(100);
    expect(picked?.what.title).toBe("2 kicks merged");
    const taken = picked?.taken;
    if (taken?.kind !== "fact") throw new Error("nothing is taken");
    expect(taken.fact.merged?.map(({ title }) => title)).toEqual(["event 0", "event 1"]);
    expect(taken.fact.span.from).toBeLessThan(100);
    expect(taken.fact.span.to).toBeGreaterThan(101);
  });

  it("on nothing takes nothing", () => {
    expect(at(500)).toBeNull();
  });
});
