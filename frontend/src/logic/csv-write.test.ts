import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvReader } from "./csv.ts";
import { csvText } from "./csv-write.ts";

describe("csvText", () => {
  it("is read back as it was written, whatever the names are", () => {
    const name = fc.string().filter((text) => !/^[=+\-@\t\r]/.test(text));
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
});
