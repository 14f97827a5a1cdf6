import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../test-support/hostile-names.ts";
import { CsvReader, csvText, tabText } from "./csv.ts";

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

describe("csv write", () => {
  describe("csvText", () => {
    it("is read back as it was written, whatever the names are", () => {
      const name = fc.string().filter((text) => !/^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(text));
      fc.assert(
        fc.property(fc.array(fc.tuple(name, name), { minLength: 1 }), (rows) => {
          const reader = new CsvReader();
          const read = [...reader.push(csvText(["a", "b"], rows)), ...reader.end()];
          expect(read).toEqual([["a", "b"], ...rows]);
        }),
      );
    });

    it("keeps numbers exact and leaves nothing where there is nothing", () => {
      expect(
        csvText(
          ["ns", "x"],
          [
            [1_790_000_000_000_000_123n, null],
            [-5, true],
            [0.25, undefined],
          ],
        ),
      ).toBe("ns,x\r\n1790000000000000123,\r\n-5,true\r\n0.25,\r\n");
    });

    it("lets no task's name become a formula in a spreadsheet", () => {
      expect(csvText(["comm"], [["=HYPERLINK(1)"], ["@x"], ["-12"], ["-a"]])).toBe(
        "comm\r\n'=HYPERLINK(1)\r\n'@x\r\n-12\r\n'-a\r\n",
      );
    });

    it.each(HOSTILE)("keeps $what in its field, and no formula", ({ name }) => {
      const reader = new CsvReader();
      const read = [...reader.push(csvText(["comm", "n"], [[name, 1]])), ...reader.end()];
      expect(read).toHaveLength(2);
      const [field = "", number] = read[1] ?? [];
      expect([field, number]).toEqual([field.startsWith("'") ? `'${name}` : name, "1"]);
      expect(isFormula(field)).toBe(false);
    });
  });

  /** As spreadsheets look at it: blanks, controls and what has no width do not count. */
  function isFormula(field: string): boolean {
    const seen = [...field].filter((sign) => !/[\s\p{C}]/u.test(sign)).join("");
    return /^[=+\-@]/.test(seen.normalize("NFKC"));
  }

  describe("tabText", () => {
    it.each(HOSTILE)("keeps $what in its field and its line, and no formula", ({ name }) => {
      const text = tabText(["comm", "n"], [[name, -1]]);
      const lines = text.split(/[\n\r\u0085\u2028\u2029\v\f]/);
      expect(lines).toHaveLength(3);
      const fields = (lines[1] ?? "").split("\t");
      expect(fields).toHaveLength(2);
      expect(fields[1]).toBe("-1");
      expect(isFormula(fields[0] ?? "")).toBe(false);
      expect(fields[0]?.startsWith('"')).toBe(false);
    });
  });
});
