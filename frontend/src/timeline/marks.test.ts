import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GlyphTrack, glyphsOf } from "./draw/glyphs.ts";
import { eventFact, type Marks, pickMark } from "./event-fact.ts";
import type { LaneBox } from "./lanes.ts";
import { addMark, cleanMarkName, type Mark, MOST_MARKS, removeMark, renameMark } from "./marks.ts";
import { isMarkedOn, threadFlags } from "./notes.ts";

describe("marks", () => {
  it("stand in time, each with a name that is free, one to a moment", () => {
    let marks = addMark([], 50n);
    marks = addMark(marks, 20n);
    expect(marks).toEqual([
      { at: 20n, name: "mark 2" },
      { at: 50n, name: "mark 1" },
    ]);
    expect(addMark(marks, 50n)).toBe(marks);
    marks = renameMark(marks, 50n, "  the\nstall ~ ");
    expect(marks[1]?.name).toBe("the stall");
    expect(addMark(marks, 70n).at(-1)?.name).toBe("mark 1");
    expect(removeMark(marks, 20n)).toHaveLength(1);
  });

  it("keep their name when the new one is empty", () => {
    const marks: readonly Mark[] = [{ at: 1n, name: "a" }];
    expect(renameMark(marks, 1n, " ~ \u0000")).toBe(marks);
  });

  it("are never too many or too long for a link", () => {
    let marks: readonly Mark[] = [];
    for (let at = 0n; at < 100n; at += 1n) marks = addMark(marks, at);
    expect(marks).toHaveLength(MOST_MARKS);
    expect(cleanMarkName("x".repeat(500))).toHaveLength(40);
  });
});

describe("notes", () => {
  describe("saidFlags", () => {
    it("merge where they would cover each other, and lose nothing that is seen", () => {
      fc.assert(
        fc.property(fc.array(fc.integer({ min: -50, max: 1050 }), { maxLength: 60 }), (times) => {
          const said = times.map((time, place) => ({ id: String(place), at: time }));
          const flags = threadFlags(said, { from: 0, to: 1000 }, 500, 14);
          const seen = said.filter((one) => one.at >= 0 && one.at <= 1000);
          expect(flags.flatMap(({ ids }) => ids).sort()).toEqual(seen.map(({ id }) => id).sort());
          for (const [place, { x }] of flags.entries()) {
            if (place > 0) expect(x - (flags[place - 1]?.x ?? 0)).toBeGreaterThanOrEqual(14);
          }
        }),
      );
    });
  });

  describe("an occurrence", () => {
    const machine = [
      { nid: 0, cpus: [0, 1] },
      { nid: 1, cpus: [2, 3] },
    ];
    const lane = (kind: string, cpu: number, nid: number, open = true) => ({ kind, cpu, nid, open });
    const marked = (cpus: number[], nodes: number[], box: ReturnType<typeof lane>) =>
      isMarkedOn({ cpus, nodes }, box, machine);

    it("is marked on the lanes of its CPUs, and on their node's where those are not shown", () => {
      expect(marked([1], [], lane("cpu", 1, 0))).toBe(true);
      expect(marked([1], [], lane("cpu", 0, 0))).toBe(false);
      expect(marked([1], [], lane("node", -1, 0))).toBe(false);
      expect(marked([1], [], lane("node", -1, 0, false))).toBe(true);
      expect(marked([1], [], lane("node", -1, 1, false))).toBe(false);
    });

    it("without CPUs is marked on its nodes, or on all; on no other panel's lanes", () => {
      expect(marked([], [1], lane("node", -1, 1))).toBe(true);
      expect(marked([], [1], lane("node", -1, 0))).toBe(false);
      expect(marked([], [], lane("node", -1, 0))).toBe(true);
      expect(marked([], [], lane("kicks", -1, -1))).toBe(false);
    });
  });
});

describe("event facts", () => {
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
});
