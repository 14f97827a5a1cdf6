import { describe, expect, it } from "vitest";
import { tabText } from "../../lib/csv.ts";
import {
  type Column,
  describeTable,
  exactRows,
  nextSorting,
  orderRows,
  parseBound,
} from "./described-table.ts";

interface Row {
  readonly name: string;
  readonly ns: number | null;
  readonly at: bigint;
  readonly ok?: boolean;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: "task", exact: "comm", value: ({ name }) => name },
  { name: "waited", exact: "wait_ns", unit: "ns", value: ({ ns }) => ns, title: "How long" },
  { name: "at, s", exact: "t_ns", unit: "time", value: ({ at }) => at },
  { name: null, exact: "ok", value: ({ ok }) => ok },
  { name: "half", exact: null, unit: "share", value: ({ ns }) => (ns === null ? null : 0.5) },
];
const ROWS: readonly Row[] = [
  { name: "a\tb", ns: 1_204_331, at: 1_700_000_000_000_000_001n, ok: true },
  { name: "b", ns: null, at: 1_700_000_000_000_000_000n },
];

describe("a described table", () => {
  const table = describeTable(COLUMNS, ROWS);

  it("shows by the unit, and gives away exact numbers under the machines' names", () => {
    expect(table.head).toEqual(["task", "waited", "at, s", "half"]);
    expect([...table.right]).toEqual([1, 2, 3]);
    expect(table.rows[0]).toEqual(["a\tb", "1.204 ms", "1700000000.000000", "50 %"]);
    expect(table.rows[1]).toEqual(["b", "–", "1700000000.000000", "–"]);
    expect(table.exactHead).toEqual(["comm", "wait_ns", "t_ns", "ok"]);
    expect(table.exact[0]).toEqual(["a\tb", 1_204_331, 1_700_000_000_000_000_001n, true]);
    expect(table.exactUnits).toEqual(["text", "ns", "time", "text"]);
    for (const row of [...table.rows, ...(table.keys ?? [])]) expect(row).toHaveLength(table.head.length);
  });

  it("sorts by the exact value, also where two moments look the same", () => {
    const order = orderRows(table.rows, table.keys ?? [], { column: 2, down: false }, {}, table.units);
    expect(order).toEqual([1, 0]);
    expect(exactRows(table, order).map(([name]) => name)).toEqual(["b", "a\tb"]);
    expect(exactRows(table, null)).toBe(table.exact);
  });

  it("is copied as text in which a name cannot open a field or a line", () => {
    expect(
      tabText(
        ["comm", "n"],
        [
          ["a\tb\r\nc", 12n],
          [null, undefined],
        ],
      ),
    ).toBe("comm\tn\na b c\t12\n\t\n");
  });
});

describe("table order", () => {
  const ROWS = [
    ["b", "5 ms"],
    ["a", "–"],
    ["B10", "20 ms"],
    ["b2", "5 ms"],
  ];
  const KEYS = [
    ["b", 5e6],
    ["a", null],
    ["B10", 20e6],
    ["b2", 5e6],
  ];

  describe("the order of a table", () => {
    it("sorts numbers as numbers, names as people do, and what is missing to the end both ways", () => {
      expect(orderRows(ROWS, KEYS, null, {})).toEqual([0, 1, 2, 3]);
      expect(orderRows(ROWS, KEYS, { column: 1, down: true }, {})).toEqual([2, 0, 3, 1]);
      expect(orderRows(ROWS, KEYS, { column: 1, down: false }, {})).toEqual([0, 3, 2, 1]);
      expect(orderRows(ROWS, KEYS, { column: 0, down: false }, {})).toEqual([1, 0, 3, 2]);
    });

    it("filters by column: numbers by a bound with a unit, anything by text", () => {
      expect(orderRows(ROWS, KEYS, null, { 0: "b" })).toEqual([0, 2, 3]);
      expect(orderRows(ROWS, KEYS, null, { 0: "b", 1: "<10ms" })).toEqual([0, 3]);
      expect(orderRows(ROWS, KEYS, null, { 1: "20 ms" })).toEqual([2]);
      expect(orderRows(ROWS, KEYS, null, { 1: " " })).toHaveLength(4);
      expect(parseBound(">= 0.5 s")?.(5e8)).toBe(true);
      expect(parseBound("40 %")?.(0.4)).toBe(true);
      expect(parseBound("about 3")).toBeNull();
    });

    it("understands a bound in the unit of the column", () => {
      expect(parseBound(">10ms", "us")?.(10_001)).toBe(true);
      expect(parseBound(">10ms", "us")?.(9_999)).toBe(false);
      expect(parseBound(">= 50 %", "share")?.(0.5)).toBe(true);
      expect(parseBound(">50%", "percent")?.(50.1)).toBe(true);
      expect(parseBound(">1,000", "count")?.(1001)).toBe(true);
      expect(parseBound("<2k", "count")?.(1999)).toBe(true);
      expect(parseBound(">-5", "percent")?.(-4)).toBe(true);
      expect(parseBound(">23.5", "time")?.(23_500_000_001n)).toBe(true);
      expect(parseBound("=0.1s", "ns")?.(100_000_000)).toBe(true);
      expect(parseBound(">10ms", "count")).toBeNull();
      expect(parseBound("5", "text")).toBeNull();
    });

    it("finds a moment by its digits, and compares what no float64 holds", () => {
      const t = 1_700_000_000_000_000_000n;
      const rows = [["1700000000.000000"], ["1700000000.000000"], ["23.5"]];
      const keys = [[t + 1n], [t], [null]];
      expect(orderRows(rows, keys, { column: 0, down: false }, {}, ["time"])).toEqual([1, 0, 2]);
      expect(orderRows(rows, keys, null, { 0: "17000" }, ["time"])).toEqual([0, 1]);
      expect(orderRows(rows, keys, null, { 0: ">1700000001" }, ["time"])).toEqual([]);
    });

    it("goes round: large first for numbers, the other way, as it came", () => {
      const once = nextSorting(null, 1, true);
      expect(once).toEqual({ column: 1, down: true });
      const twice = nextSorting(once, 1, true);
      expect(twice).toEqual({ column: 1, down: false });
      expect(nextSorting(twice, 1, true)).toBeNull();
      expect(nextSorting(twice, 0, false)).toEqual({ column: 0, down: false });
    });
  });
});
