import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addSide,
  type CompareState,
  compareQuery,
  joinBefore,
  parseCompare,
  removeRun,
  sideOf,
  splitLast,
  withPart,
} from "./compare-state.ts";

const state = (query: string) => parseCompare(query);

describe("a comparison as a link", () => {
  it("says sides, runs and what is shown", () => {
    const parsed = state("ids=a,b:c&base=1&rule=2024&step=2000000000&axes=own&curve=sum&w=1~5~9");
    expect(parsed.sides).toEqual([["a"], ["b", "c"]]);
    expect(parsed).toMatchObject({ base: 1, rule: "2024", step: 2e9, axes: "own", curve: "sum" });
    expect(parsed.windows).toEqual(new Map([[1, { from: 5n, to: 9n }]]));
  });

  it("takes nothing that cannot be", () => {
    const parsed = state("ids=a,,%20,b/c,d&base=7&rule=1999&step=1&axes=x&w=0~9~5,9~1~2,0~x~y");
    expect(parsed.sides).toEqual([["a"], ["d"]]);
    expect(parsed).toMatchObject({ base: 0, rule: "2020", step: null, axes: "shared" });
    expect(parsed.windows.size).toBe(0);
    expect(state("").sides).toEqual([]);
  });

  it("comes back as it was written", () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
    const sides = fc.array(fc.array(id, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        sides,
        fc.nat(3),
        fc.boolean(),
        fc.bigInt({ min: 0n, max: 1n << 62n }),
        (ids, base, own, from) => {
          const written: CompareState = {
            sides: ids,
            base: base % ids.length,
            rule: own ? "2024" : "2020",
            step: own ? 1e9 : null,
            axes: own ? "own" : "shared",
            curve: own ? "sum" : "bins",
            windows: new Map([[0, { from, to: from + 1n }]]),
          };
          expect(parseCompare(compareQuery(written))).toEqual(written);
        },
      ),
    );
  });
});

describe("sides and runs", () => {
  it("change places without the base changing who it is", () => {
    const three = state("ids=a,b,c&base=2&w=0~1~2,2~5~6");
    const joined = joinBefore(three, 1);
    expect(joined.sides).toEqual([["a", "b"], ["c"]]);
    expect(joined.base).toBe(1);
    expect(joined.windows).toEqual(three.windows);
    expect(splitLast(joined, 0)).toEqual(three);
    expect(splitLast(three, 0)).toBe(three);
    expect(joinBefore(three, 0)).toBe(three);
    expect(addSide(three, "d").sides).toHaveLength(4);
  });

  it("lose a run with its window, and a side with its last run", () => {
    const parsed = state("ids=a,b:c,d&base=2&w=0~1~2,2~5~6,3~7~8");
    const less = removeRun(parsed, 2);
    expect(less.sides).toEqual([["a"], ["b"], ["d"]]);
    expect(less.windows).toEqual(
      new Map([
        [0, { from: 1n, to: 2n }],
        [2, { from: 7n, to: 8n }],
      ]),
    );
    expect(removeRun(less, 0)).toMatchObject({ sides: [["b"], ["d"]], base: 1 });
    expect(removeRun(less, 2)).toMatchObject({ sides: [["a"], ["b"]], base: 0 });
    expect([0, 1, 2, 3, 4].map((place) => sideOf(parsed.sides, place))).toEqual([0, 1, 1, 2, -1]);
  });

  it("take a part of a window from its begin on", () => {
    const parsed = withPart(state("ids=a,b"), [0, 1], [100n, 900n], { from: 10.4, to: 19.2 });
    expect(parsed.windows).toEqual(
      new Map([
        [0, { from: 110n, to: 120n }],
        [1, { from: 910n, to: 920n }],
      ]),
    );
    expect(withPart(state("ids=a"), [0], [5n], { from: 3, to: 3 }).windows.size).toBe(0);
  });
});
