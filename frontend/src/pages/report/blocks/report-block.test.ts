import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../../test-support/hostile-names.ts";
import { fileStem, literal } from "../../../lib/plain-names.ts";
import { parseMarkdown } from "../../../ui/page/markdown.tsx";
import { isLinked } from "../../../view-state/tab-views.ts";
import { EMPTY_VIEW, encodeView } from "../../../view-state/view-state.ts";
import {
  appended,
  blockText,
  FENCE_NAME,
  parseAddress,
  parseBlock,
  VIEW_KINDS,
  withLinks,
} from "./report-block.ts";

/** The views of a text as its readers find them. */
const blocksOf = (text: string) =>
  parseMarkdown(text).children.flatMap((node) =>
    node.type === "code" && node.lang === FENCE_NAME ? [parseBlock(node.meta ?? "", node.value)] : [],
  );

describe("live views in a text", () => {
  it("are found as they were put there, whatever the query says", () => {
    const query = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...HOSTILE.map(({ name }) => name)),
    );
    fc.assert(
      fc.property(query, fc.constantFrom(...VIEW_KINDS), (sql, kind) => {
        // A longer one is in no link, and so in no view.
        fc.pre(sql.trim() !== "" && !/\p{Cs}/u.test(sql) && isLinked(sql));
        const view = { ...EMPTY_VIEW, query: sql, finding: "X@1" };
        const [found, ...more] = blocksOf(appended("Words.\n", blockText(kind, "abc", encodeView(view))));
        expect(more).toEqual([]);
        expect(found).toMatchObject({ ok: true, block: { kind, id: "abc", view: { query: sql } } });
      }),
    );
  });

  it("have captions, and a kind by themselves", () => {
    expect(parseBlock("", "/a/x?v=2\nWhat is seen.\n")).toMatchObject({
      ok: true,
      block: { kind: "timeline", id: "x", caption: "What is seen." },
    });
    expect(parseAddress("https://numa.example/a/x?v=2")).toEqual({ id: "x", query: "v=2" });
  });

  it.each([
    ["portrait", "/a/x?v=2", "kinds timeline"],
    ["", "", "no address"],
    ["", "/s?v=2#secret", "no address"],
    ["", "javascript:alert(1)", "no address"],
    ["", "/a/../x", "no address"],
    ["", "/a/x?v=99", "later version"],
    ["finding", "/a/x?v=2", "names no finding"],
    ["sql", "/a/x?v=2", "no query"],
  ])("of kind %j at %j say why there is none", (kind, text, words) => {
    const parsed = parseBlock(kind, text);
    expect(parsed.ok ? "" : parsed.sentence).toContain(words);
  });

  it("are links in a file, and the rest stays as it is", () => {
    const text = `A\n\n${blockText("table", "x", "v=2&d=findings")}\n\`\`\`c\nint x;\n\`\`\`\n`;
    const linked = withLinks(text, "https://numa.example");
    expect(linked).toContain("[Open this table in NumaLens](<https://numa.example/a/x?v=2&d=findings>)");
    expect(linked).toContain("```c\nint x;\n```");
    expect(blocksOf(linked)).toEqual([]);
  });
});

it.each(HOSTILE)("a file named after $what has a name that every system takes", ({ name }) => {
  expect(fileStem(name)).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}-]{0,79}$/u);
  expect(literal(fileStem(name)).replace(/\\/g, "")).toBe(fileStem(name));
});
