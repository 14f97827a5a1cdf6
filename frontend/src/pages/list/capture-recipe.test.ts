import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDoc } from "./capture-recipe.tsx";

describe("parseDoc", () => {
  it("takes headings, paragraphs, code over empty lines, and tables apart", () => {
    const text = [
      "# How to capture",
      "",
      "As root, with `perf` or",
      "without.",
      "",
      "    lscpu -p > a.txt",
      "",
      "      indented",
      "",
      "| said | do |",
      "|---|---|",
      "| `a` b | |",
      "",
    ].join("\n");
    expect(parseDoc(text)).toEqual([
      { kind: "heading", level: 1, words: ["How to capture"] },
      { kind: "text", words: ["As root, with ", "perf", " or without."] },
      { kind: "code", text: "lscpu -p > a.txt\n\n  indented" },
      { kind: "table", head: [["said"], ["do"]], rows: [[["", "a", " b"], [""]]] },
    ]);
  });

  it("loses no word of any text", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "#") });
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const letters = (text: string) => text.replace(/[^ab]/g, "");
        const kept = parseDoc(lines.join("\n"))
          .map((block) =>
            block.kind === "code" ? block.text : block.kind === "table" ? "" : block.words.join(""),
          )
          .join("");
        expect(letters(kept)).toBe(letters(lines.join("")));
      }),
    );
  });
});
