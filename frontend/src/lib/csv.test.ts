import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvReader } from "./csv.ts";

function readAll(parts: readonly string[]): string[][] {
  const reader = new CsvReader();
  return [...parts.flatMap((part) => reader.push(part)), ...reader.end()];
}

const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
/** Nulls and empty text look alike, and a record of one empty field looks like an empty line. */
const field = fc.string({ unit: fc.constantFrom("a", "7", ",", '"', "\n", "\r", " ", "µ") });
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((width) => fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 1 }));

describe("CsvReader", () => {
  it("gives back what was written, however the text is cut", () => {
    fc.assert(
      fc.property(table, fc.array(fc.nat(200)), fc.constantFrom("\n", "\r\n"), (rows, cuts, end) => {
        const text = rows.map((row) => row.map(quoted).join(",") + end).join("");
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const parts = places.slice(1).map((to, i) => text.slice(places[i], to));
        expect(readAll(parts)).toEqual(rows);
      }),
    );
  });

  it("closes a last line without an end, and tells nothing from nothing", () => {
    expect(readAll(["a,b\n1,"])).toEqual([
      ["a", "b"],
      ["1", ""],
    ]);
    expect(readAll(['"x"'])).toEqual([["x"]]);
    expect(readAll([""])).toEqual([]);
  });
});
