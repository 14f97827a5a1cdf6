import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as arrangements from "./arrangement.ts";
import { type ArrangeChange, type Arrangement, placedOf } from "./arrangement.ts";

const PANELS = [
  { id: "sql", transient: true },
  { id: "tasks", transient: true },
  ...["nodes", "cling", "psi", "ilb", "memory"].map((id) => ({ id })),
];
const PANEL_IDS = PANELS.map(({ id }) => id);
const USUAL_ARRANGEMENT = arrangements.usualArrangement(PANELS);

const parseArrangement = (text: string | undefined) => arrangements.parseArrangement(text, PANELS);
const formatArrangement = (all: Arrangement) => arrangements.formatArrangement(all, PANELS);
const isUsual = (all: Arrangement) => arrangements.isUsual(all, PANELS);
const arrange = (all: Arrangement, change: ArrangeChange) => arrangements.arrange(all, change, PANELS);

const arrangement: fc.Arbitrary<Arrangement> = fc
  .shuffledSubarray([...PANEL_IDS], { minLength: PANEL_IDS.length })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) =>
        fc.oneof(
          fc.record({
            id: fc.constant(id),
            hidden: fc.constant(true),
            collapsed: fc.constant(null),
            factor: fc.constant(1),
          }),
          fc.record({
            id: fc.constant(id),
            hidden: fc.constant(false),
            collapsed: fc.constantFrom(null, true, false),
            factor: fc.integer({ min: 50, max: 400 }).map((percent) => percent / 100),
          }),
        ),
      ),
    ),
  );

const orderOf = (all: Arrangement) => all.map(({ id }) => id).join();

it("what is off is hidden until an arrangement names it, and of what is usual a link says nothing", () => {
  const panels = [{ id: "nodes" }, { id: "hardware", off: true }];
  const usual = arrangements.usualArrangement(panels);
  expect(placedOf(usual, "hardware").hidden).toBe(true);
  expect(arrangements.isUsual(usual, panels)).toBe(true);
  const shown = arrangements.arrange(usual, { kind: "hide", id: "hardware", hidden: false }, panels);
  const text = arrangements.formatArrangement(shown, panels);
  expect(text).toBe("nodes,hardware");
  expect(arrangements.parseArrangement(text, panels)).toEqual(shown);
  expect(arrangements.parseArrangement("nodes", panels)).toEqual(usual);
});

describe("parseArrangement", () => {
  it("reads what formatArrangement writes", () => {
    fc.assert(
      fc.property(arrangement, (all) => {
        expect(parseArrangement(formatArrangement(all))).toEqual(all);
      }),
    );
  });

  it("reads a link by hand: order, hidden, folded, unfolded, height", () => {
    const all = parseArrangement("psi,-ilb,_memory,~cling:1.5");
    expect(formatArrangement(all ?? [])).toBe("psi,-ilb,_memory,~cling:1.5,nodes");
    expect(placedOf(all ?? [], "cling")).toEqual({
      id: "cling",
      hidden: false,
      collapsed: false,
      factor: 1.5,
    });
  });

  it("takes nothing for an arrangement that is none, and leaves out what it does not know", () => {
    for (const text of [undefined, "", ",,", "weather", "nodes:", "<script>"]) {
      expect(parseArrangement(text)).toBeNull();
    }
    expect(orderOf(parseArrangement("weather,psi,psi:2,nodes:99") ?? [])).toBe(
      "sql,tasks,psi,nodes,cling,ilb,memory",
    );
    expect(placedOf(parseArrangement("nodes:99") ?? [], "nodes").factor).toBe(4);
    expect(placedOf(parseArrangement("nodes:0") ?? [], "nodes").factor).toBe(0.5);
  });
});

describe("panels that come and go", () => {
  it("are not named as the first ones, so that links read as they did before there were any", () => {
    expect(formatArrangement(parseArrangement("memory,nodes") ?? [])).toBe("memory,nodes,cling,psi,ilb");
    expect(isUsual(parseArrangement("nodes,cling,psi,ilb,memory") ?? [])).toBe(true);
    expect(formatArrangement(parseArrangement("sql,tasks,nodes") ?? [])).toBe("nodes,cling,psi,ilb,memory");
    expect(formatArrangement(parseArrangement("tasks,sql,nodes") ?? [])).toBe(
      "sql,nodes,cling,psi,ilb,memory",
    );
    expect(formatArrangement(parseArrangement("nodes,sql:2") ?? [])).toBe("nodes,sql:2,cling,psi,ilb,memory");
    expect(formatArrangement(parseArrangement("_sql,nodes,cling,psi,ilb,memory") ?? [])).toMatch(/^_sql,/);
  });
});

describe("arrange", () => {
  it("keeps every panel once, whatever is done", () => {
    const id = fc.constantFrom(...PANEL_IDS);
    const change = fc.oneof(
      fc.record({ kind: fc.constant("move" as const), id, by: fc.constantFrom(-1 as const, 1 as const) }),
      fc.record({ kind: fc.constant("place" as const), id, before: fc.constantFrom(null, ...PANEL_IDS) }),
      fc.record({ kind: fc.constant("hide" as const), id, hidden: fc.boolean() }),
      fc.record({ kind: fc.constant("factor" as const), id, factor: fc.double({ noNaN: true }) }),
    );
    fc.assert(
      fc.property(arrangement, fc.array(change, { maxLength: 12 }), (start, changes) => {
        const end = changes.reduce(arrange, start);
        expect(end.map((placed) => placed.id).sort()).toEqual([...PANEL_IDS].sort());
        for (const { factor } of end) {
          expect(factor).toBeGreaterThanOrEqual(0.5);
          expect(factor).toBeLessThanOrEqual(4);
        }
      }),
    );
  });

  it("moves by one among those that are shown, and not beyond the ends", () => {
    const hidden = parseArrangement("nodes,-cling,psi,ilb,memory") ?? [];
    expect(orderOf(arrange(hidden, { kind: "move", id: "psi", by: -1 }))).toBe(
      "sql,tasks,psi,nodes,cling,ilb,memory",
    );
    expect(orderOf(arrange(hidden, { kind: "move", id: "nodes", by: 1 }))).toBe(
      "sql,tasks,cling,psi,nodes,ilb,memory",
    );
    expect(arrange(hidden, { kind: "move", id: "nodes", by: -1 })).toEqual(hidden);
    expect(arrange(hidden, { kind: "move", id: "memory", by: 1 })).toEqual(hidden);
    expect(orderOf(arrange(hidden, { kind: "move", id: "sql", by: 1 }))).toBe(
      "tasks,nodes,sql,cling,psi,ilb,memory",
    );
  });

  it("puts a panel before another or behind the last, and goes back to the usual", () => {
    const first = arrange(USUAL_ARRANGEMENT, { kind: "place", id: "memory", before: "nodes" });
    expect(orderOf(first)).toBe("sql,tasks,memory,nodes,cling,psi,ilb");
    expect(orderOf(arrange(first, { kind: "place", id: "memory", before: null }))).toBe(
      orderOf(USUAL_ARRANGEMENT),
    );
    expect(orderOf(arrange(first, { kind: "place", id: "psi", before: "memory" }))).toBe(
      "sql,tasks,psi,memory,nodes,cling,ilb",
    );
    expect(arrange(first, { kind: "place", id: "psi", before: "psi" })).toEqual(first);
    expect(isUsual(first)).toBe(false);
    expect(isUsual(arrange(first, { kind: "reset" }))).toBe(true);
  });
});
