import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatPast, MOST_CHARACTERS, MOST_PAST, type PastQuery, parsePast, remember } from "./sql-source.ts";

const past = (sql: string, more: Partial<PastQuery> = {}): PastQuery => ({
  sql,
  at: 1,
  rows: 3,
  failed: null,
  ...more,
});

describe("queries that were run", () => {
  it("come with the last one first, each text once, with what came of it last", () => {
    const parsed = [
      past("select 1"),
      past("select x", { rows: null, failed: "no such column: x." }),
      past(" select 1\n"),
    ];
    const all = parsed.reduce<readonly PastQuery[]>((before, query) => remember(before, query), []);
    expect(all.map(({ sql }) => sql)).toEqual([" select 1\n", "select x"]);
    expect(all[1]?.failed).toBe("no such column: x.");
    expect(remember(all, past("  "))).toBe(all);
  });

  it("are bounded in number and in length", () => {
    let all: readonly PastQuery[] = [];
    for (let i = 0; i < 2 * MOST_PAST; i += 1) all = remember(all, past(`select ${i}`));
    expect(all).toHaveLength(MOST_PAST);
    expect(all[0]?.sql).toBe(`select ${2 * MOST_PAST - 1}`);
    for (let i = 0; i < 10; i += 1) all = remember(all, past(`${i}${"x".repeat(49_000)}`));
    expect(all.reduce((sum, { sql }) => sum + sql.length, 0)).toBeLessThanOrEqual(MOST_CHARACTERS);
    expect(all).toHaveLength(4);
    expect(remember([], past("a", { failed: "x".repeat(9999) }))[0]?.failed).toHaveLength(300);
  });

  it("come back from the store as they were", () => {
    const kept = fc.record({
      sql: fc.string({ minLength: 1, maxLength: 60 }).filter((sql) => sql.trim() !== ""),
      at: fc.nat(),
      rows: fc.option(fc.nat()),
      failed: fc.option(fc.string({ maxLength: 60 })),
    });
    fc.assert(
      fc.property(fc.array(kept, { maxLength: 20 }), (all) => {
        expect(parsePast(formatPast(all))).toEqual(all);
      }),
    );
  });

  it("are none where the store has something else", () => {
    for (const text of [null, "", "{", "7", "null", '[1, null, {"sql": 5}, {"sql": " "}]']) {
      expect(parsePast(text)).toEqual([]);
    }
    expect(parsePast('[{"sql": "select 1", "at": "x", "rows": -1, "failed": 2}]')).toEqual([
      { sql: "select 1", at: 0, rows: null, failed: null },
    ]);
  });
});
