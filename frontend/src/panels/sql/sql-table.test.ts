import { describe, expect, it } from "vitest";
import type { SqlAnswer } from "../../api/types.ts";
import { tabText } from "../../lib/csv.ts";
import { exactRows, orderRows } from "../../ui/table/described-table.ts";
import { answerText, distinctNames, fieldOf, rowPlaces, sqlTable, traceText } from "./sql-table.ts";

const TRACE: SqlAnswer["trace"] = {
  events: 872_016,
  from_ns: null,
  to_ns: null,
  bytes: 49_000_000,
  load_ms: 812,
  loaded: "now",
};
const ANSWER: SqlAnswer = {
  columns: [
    { name: "ts", kind: "integer" },
    { name: "dur", kind: "integer" },
    { name: "ts", kind: "integer" },
    { name: "cpu", kind: "integer" },
    { name: "share", kind: "real" },
    { name: "raw", kind: "blob" },
    { name: "name", kind: "mixed" },
  ],
  rows: [
    ["9007199254740993", "10", "-9223372036854775808", "3", 0.5, "00ff", "a"],
    ["9007199254740992", "-1", null, null, "inf", null, ""],
    ["9007199254740994", "9000000", "9223372036854775807", "0", "nan", "", "7"],
  ],
  truncated: true,
  elapsed_ms: 4.25,
  trace: TRACE,
  notes: [],
};

describe("a query's rows as a table", () => {
  const table = sqlTable(ANSWER);

  it("keep all of 64 bits, sorted by what they are and shown as they came", () => {
    expect(table.exact[0]?.slice(0, 3)).toEqual([9007199254740993n, 10n, -9223372036854775808n]);
    expect(orderRows(table.rows, table.keys ?? [], { column: 0, down: false }, {}, table.units)).toEqual([
      1, 0, 2,
    ]);
    expect(orderRows(table.rows, table.keys ?? [], { column: 2, down: true }, {}, table.units)).toEqual([
      2, 0, 1,
    ]);
    expect(table.rows.map((row) => row[0])).toEqual([
      "9007199254740993",
      "9007199254740992",
      "9007199254740994",
    ]);
    expect(tabText(table.exactHead, exactRows(table, [2]))).toContain("9223372036854775807");
  });

  it("tell NULL from an empty text, and names from each other", () => {
    expect(table.rows[1]).toEqual(["9007199254740992", "-1", "NULL", "NULL", "inf", "NULL", ""]);
    expect(table.exact[1]?.[2]).toBeNull();
    expect(table.head).toEqual(["ts", "dur", "ts (2)", "cpu", "share", "raw", "name"]);
    expect(distinctNames(["a", "a", "a (2)", "", ""])).toEqual(["a", "a (2)", "a (2) (2)", "?", "? (2)"]);
    expect([...table.right]).toEqual([0, 1, 2, 3, 4]);
  });

  it("take durations as one writes them to the filter", () => {
    expect(orderRows(table.rows, table.keys ?? [], null, { 1: ">1ms" }, table.units)).toEqual([2]);
  });

  it("are numbers that are no numbers, too", () => {
    expect([fieldOf("inf", "real"), fieldOf("-inf", "real")]).toEqual([Infinity, -Infinity]);
    expect(fieldOf("nan", "real")).toBeNaN();
    expect(fieldOf("7", "mixed")).toBe("7");
  });
});

describe("where a row is", () => {
  it("is its ts, with dur and cpu where it has them", () => {
    const place = rowPlaces(ANSWER);
    expect(place?.(0)).toEqual({ ts: 9007199254740993n, dur: 10n, cpu: 3 });
    expect(place?.(1)).toEqual({ ts: 9007199254740992n, dur: null, cpu: null });
    expect(place?.(9)).toBeNull();
    expect(rowPlaces({ ...ANSWER, columns: ANSWER.columns.slice(3) })).toBeNull();
  });
});

describe("what is said of an answer", () => {
  it("tells rows, time, and when it is cut", () => {
    expect(answerText(ANSWER)).toBe("the first 3 rows of more in 4.3 ms");
    expect(answerText({ ...ANSWER, truncated: false, elapsed_ms: 1234.5 })).toBe("3 rows in 1,235 ms");
    expect(traceText(ANSWER)).toBe("the whole recording: 872,016 events, 47 MiB, loaded in 0.8 s");
    const interval = { ...TRACE, from_ns: "1000000000", to_ns: "1500000000", loaded: "before" as const };
    expect(traceText({ ...ANSWER, trace: interval })).toMatch(/^1\.000 – 1\.500 s, 500 ms: 872,016 events/);
  });
});
