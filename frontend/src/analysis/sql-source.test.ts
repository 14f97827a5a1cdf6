import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../api/client.ts";
import type { SqlQuery } from "../api/routes/sql.ts";
import type { SqlAnswer } from "../api/types.ts";
import {
  formatPast,
  MOST_CHARACTERS,
  MOST_PAST,
  type PastQuery,
  parsePast,
  remember,
  SqlSource,
} from "./sql-source.ts";

const query = (sql: string, window: SqlQuery["window"] = null): SqlQuery => ({ sql, window });

const answer = (rows: number): SqlAnswer => ({
  columns: [{ name: "ts", kind: "integer" }],
  rows: Array.from({ length: rows }, (_, i) => [String(i)]),
  truncated: false,
  elapsed_ms: 1,
  trace: { events: 1, from_ns: null, to_ns: null, bytes: 1, load_ms: 0, loaded: "before" },
  notes: [],
});

interface Request {
  readonly query: SqlQuery;
  readonly signal: AbortSignal;
  readonly give: (answer: SqlAnswer) => void;
  readonly refuse: (error: unknown) => void;
}

function setting(stored: string | null = null) {
  const wanted: Request[] = [];
  const store = new Map<string, string>();
  if (stored !== null) store.set("numalens.sql.past", stored);
  const request = (query: SqlQuery, signal: AbortSignal) =>
    new Promise<SqlAnswer>((give, refuse) => {
      signal.addEventListener("abort", () => refuse(signal.reason));
      wanted.push({ query, signal, give, refuse });
    });
  const source = new SqlSource(request, {
    getItem: (key) => store.get(key) ?? null,
    setItem: (key, text) => void store.set(key, text),
  });
  return { source, wanted, store };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("the query of an analysis", () => {
  it("is run once however often it is wanted, and again when told so", async () => {
    const { source, wanted } = setting();
    source.want(query("select 1"));
    source.want(query("select 1"));
    expect(wanted).toHaveLength(1);
    expect(source.draft).toBe("select 1");
    wanted[0]?.give(answer(3));
    await turn();
    expect(source.getSnapshot()).toMatchObject({
      since: null,
      problem: null,
      answer: { rows: { length: 3 } },
    });
    void source.run(query("select 1"));
    expect(wanted).toHaveLength(2);
    // What is there stays until the new rows are.
    expect(source.getSnapshot().answer?.rows).toHaveLength(3);
    source.want(query("select 1", { from: 1n, to: 2n }));
    expect(wanted).toHaveLength(3);
    expect(source.getSnapshot().answer).toBeNull();
    source.want(null);
    expect(source.getSnapshot().query).toBeNull();
    expect(wanted[2]?.signal.aborted).toBe(true);
  });

  it("makes way for a newer one, whose answer alone counts", async () => {
    const { source, wanted } = setting();
    void source.run(query("select 1"));
    void source.run(query("select 2"));
    expect(wanted[0]?.signal.aborted).toBe(true);
    wanted[0]?.give(answer(9));
    wanted[1]?.give(answer(2));
    await turn();
    expect(source.getSnapshot().answer?.rows).toHaveLength(2);
    expect(source.past.map(({ sql }) => sql)).toEqual(["select 2"]);
  });

  it("is stopped by hand, and tells in the service's words why it was refused", async () => {
    const { source, wanted } = setting();
    void source.run(query("select 1"));
    source.cancel();
    await turn();
    expect(source.getSnapshot()).toMatchObject({
      since: null,
      answer: null,
      problem: "The query was stopped.",
    });
    void source.run(query("select x"));
    wanted[1]?.refuse(new ApiError("no such column: x.", 422));
    await turn();
    expect(source.getSnapshot().problem).toBe("no such column: x.");
    expect(source.past.map(({ sql, failed, rows }) => [sql, failed, rows])).toEqual([
      ["select x", "no such column: x.", null],
      ["select 1", "The query was stopped.", null],
    ]);
  });

  it("remembers what was run in this browser, with what another tab ran", async () => {
    const { source, wanted, store } = setting('[{"sql":"select 0","at":1,"rows":7,"failed":null}]');
    expect(source.past).toHaveLength(1);
    void source.run(query("select 1"));
    wanted[0]?.give(answer(1));
    await turn();
    expect(source.past.map(({ sql, rows }) => [sql, rows])).toEqual([
      ["select 1", 1],
      ["select 0", 7],
    ]);
    expect(JSON.parse(store.get("numalens.sql.past") ?? "")).toHaveLength(2);
  });

  it("does without a store", async () => {
    const refuse = () => {
      throw new Error("the store is full");
    };
    const source = new SqlSource(() => Promise.resolve(answer(1)), { getItem: refuse, setItem: refuse });
    await source.run(query("select 1"));
    expect(source.past).toHaveLength(1);
  });
});

describe("sql history", () => {
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
});
