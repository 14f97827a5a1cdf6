import fc from "fast-check";
import type { Nodes, Root } from "mdast";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../test-support/hostile-names.ts";
import { literal, plainName } from "../../lib/plain-names.ts";
import { parseMarkdown, safeLink } from "./markdown.tsx";

/** All text under a node, and the kinds of nodes that hold it. */
function spoken(node: Nodes): { text: string; kinds: string[] } {
  if (node.type === "text") return { text: node.value, kinds: ["text"] };
  const inner = "children" in node ? node.children.map(spoken) : [];
  return {
    text: inner.map(({ text }) => text).join(""),
    kinds: [node.type, ...inner.flatMap(({ kinds }) => kinds)],
  };
}

const places: readonly (readonly [string, (name: string) => string, (root: Root) => Nodes | undefined])[] = [
  ["a paragraph", (name) => `${name}\n`, (root) => root.children[0]],
  ["the middle of a paragraph", (name) => `x${name}y\n`, (root) => root.children[0]],
  ["a heading", (name) => `### 1. ${name}\n`, (root) => root.children[0]],
  ["a list", (name) => `- ${name}\n`, (root) => root.children[0]],
  [
    "a table",
    (name) => `| a | b |\n| --- | --- |\n| ${name} | x |\n`,
    (root) => {
      const table = root.children[0];
      return table?.type === "table" ? table.children[1]?.children[0] : undefined;
    },
  ],
];

const PLAIN = new Set(["root", "paragraph", "heading", "list", "listItem", "tableCell", "text"]);

function expectLiteral(name: string): void {
  for (const [where, write, find] of places) {
    // Without a name there is no paragraph that it could be in.
    if (name === "" && !where.startsWith("the middle")) continue;
    const root = parseMarkdown(write(literal(name)));
    const node = find(root);
    if (!node) throw new Error(`${where} is gone: ${JSON.stringify(name)}`);
    const { text, kinds } = spoken(node);
    const wanted = where.startsWith("the middle") ? `x${plainName(name)}y` : plainName(name);
    expect({ where, text: where === "a heading" ? text.replace(/^1\. /, "") : text }).toEqual({
      where,
      text: wanted,
    });
    expect(kinds.filter((kind) => !PLAIN.has(kind))).toEqual([]);
  }
}

describe("Markdown made of names", () => {
  it.each(HOSTILE)("shows $what literally", ({ name }) => expectLiteral(name));

  it("shows any name literally", () => {
    const signs = fc.constantFrom(..."\\`*_{}[]<>()#+-.!|~&$=@^:;/\n\r\t \u202e\u0000\u001b1aé😀");
    const names = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(signs).map((all) => all.join("")),
      fc
        .array(
          fc.constantFrom("&amp;", "www.x.y", "1.", "-", "---", "![", "](", "||", "\ud800", "**", "[^1]"),
        )
        .map((all) => all.join("")),
    );
    fc.assert(
      fc.property(names, (name) => {
        expectLiteral(name);
      }),
      { numRuns: 400 },
    );
  });

  it("changes nothing of what can be seen", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~äöü€]*$/), (name) => {
        expect(plainName(name)).toBe(name);
      }),
    );
    expect(plainName("a\nb\u202ec")).toBe("a␊b⟨U+202E⟩c");
  });
});

describe("Markdown", () => {
  it("knows no HTML", () => {
    const { text, kinds } = spoken(
      parseMarkdown("<script>x</script>\n\n<div onclick=y>\n\na <b>c</b> d <!-- e -->\n"),
    );
    expect(text).toBe("<script>x</script><div onclick=y>a <b>c</b> d <!-- e -->");
    expect(kinds).not.toContain("html");
  });

  it.each([
    ["https://example.org/a?b=1#c", { href: "https://example.org/a?b=1#c", outside: true }],
    ["HTTP://example.org", { href: "http://example.org/", outside: true }],
    ["/a/x?v=2", { href: "/a/x?v=2", outside: false }],
    ["//example.org/a", null],
    ["/\\example.org", null],
    ["/\t/example.org", null],
    ["javascript:alert(1)", null],
    ["java\nscript:alert(1)", null],
    [" javascript:alert(1)", null],
    ["data:text/html,x", null],
    ["vbscript:x", null],
    ["mailto:a@b", null],
    ["a/x", null],
    ["#x", null],
    ["https://", null],
  ])("lets %j lead to %j", (url, wanted) => expect(safeLink(url)).toEqual(wanted));
});
