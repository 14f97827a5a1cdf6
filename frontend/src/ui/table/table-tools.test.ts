import { tableFromIPC } from "@uwdata/flechette";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrowBytes } from "./table-tools.tsx";

function read(bytes: Uint8Array) {
  const table = tableFromIPC(bytes, { useBigInt: true });
  const columns = table.schema.fields.map(({ name }) => ({
    name,
    type: String((table.getChild(name) as { type: { typeId: number } }).type.typeId),
    values: Array.from(table.getChild(name) as Iterable<unknown>),
  }));
  return { rows: table.numRows, columns };
}

describe("a table as Arrow", () => {
  it("keeps ns of a clock exact, counts whole, shares as fractions, and what is not known empty", () => {
    const { columns } = read(
      arrowBytes(
        ["comm", "t_ns", "count", "share", "ok"],
        [
          ["=cmd|'/c calc'!A1", 1_700_000_000_000_000_001n, 3, 0.5, true],
          [null, null, null, 1, undefined],
        ],
        ["text", "time", "count", "share", "text"],
      ),
    );
    expect(columns.map(({ values }) => values)).toEqual([
      ["=cmd|'/c calc'!A1", null],
      [1_700_000_000_000_000_001n, null],
      [3n, null],
      [0.5, 1],
      ["true", null],
    ]);
  });

  it("has the same types whether or not there are rows: the description decides", () => {
    const units = ["text", "ns", "share"] as const;
    const types = (rows: Parameters<typeof arrowBytes>[1]) =>
      read(arrowBytes(["a", "b", "c"], rows, units)).columns.map(({ type }) => type);
    expect(types([[null, null, null]])).toEqual(types([["x", 1, 1]]));
    expect(read(arrowBytes(["a", "b", "c"], [], units)).rows).toBe(0);
  });

  it("comes back as it went, whatever stands in it", () => {
    const row = fc.tuple(
      fc.option(fc.string({ unit: "binary" })),
      fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
      fc.option(fc.double({ noNaN: true })),
    );
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        const { columns } = read(arrowBytes(["a", "b", "c"], rows, ["text", "ns", "share"]));
        for (const [i, { values }] of columns.entries()) {
          const answer = rows.map((each) => each[i] ?? null);
          expect(values).toEqual(answer);
        }
      }),
    );
  });
});
