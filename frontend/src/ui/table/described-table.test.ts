import { describe, expect, it } from "vitest";
import { tabText } from "../../lib/csv.ts";
import { type Column, describeTable, exactRows, orderRows } from "./described-table.ts";

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
