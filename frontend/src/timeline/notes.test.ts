import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMarkedOn, threadFlags } from "./notes.ts";

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
