import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { threadFlags } from "./notes.ts";

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
