import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../test-support/hostile-names.ts";
import { CsvReader, csvText, tabText } from "./csv.ts";

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
