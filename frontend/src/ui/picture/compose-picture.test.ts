import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOSTILE } from "../../../test-support/hostile-names.ts";
import { escapeXml, pictureSvg } from "./compose-picture.ts";

describe("a picture as SVG", () => {
  it("keeps names of a trace text, whatever they are", () => {
    expect(escapeXml('<b on="1">&\u0000\ud800')).toBe("&lt;b on=&quot;1&quot;&gt;&amp;");
    const svg = pictureSvg({
      width: 10,
      height: 20.256,
      ground: "#fff",
      boxes: [{ x: 1, y: 2, width: 3, height: 4, fill: "rgb(1, 2, 3)", opacity: 0.5 }],
      images: [{ x: 0, y: 0, width: 10, height: 10, href: "data:image/png;base64,AA" }],
      texts: [
        {
          x: 1,
          y: 9,
          text: "</text><script>",
          size: 11,
          family: 'ui, "DejaVu Sans"',
          weight: "400",
          fill: "red",
        },
      ],
      title: "a & b",
    });
    expect(svg).toContain('height="20.26"');
    expect(svg).not.toContain("<script");
    expect(svg.match(/<text /g)).toHaveLength(1);
    expect(svg).toContain("<title>a &amp; b</title>");
  });

  it("has the same elements and attributes whatever the names are", () => {
    const pictureOf = (text: string) =>
      pictureSvg({
        width: 1,
        height: 1,
        ground: text,
        boxes: [{ x: 0, y: 0, width: 1, height: 1, fill: text, opacity: 1 }],
        images: [{ x: 0, y: 0, width: 1, height: 1, href: `data:${text}` }],
        texts: [{ x: 0, y: 0, text, size: 1, family: text, weight: text, fill: text }],
        title: text,
      });
    const shape = (text: string) => {
      const svg = pictureOf(text);
      // Values and text taken out, only what a reader of XML takes for structure is left.
      return svg.replace(/"[^"<]*"/g, "").replace(/>[^<>]*</g, "><");
    };
    const plain = shape("name");
    const hostile = fc.constantFrom(
      '"/><script>alert(1)</script>',
      "]]>",
      "<!--",
      "&#x3c;b>",
      "\u0000\ufffe\ud800",
      "'\" onload='x",
    );
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (text) => {
        expect(shape(text)).toBe(plain);
      }),
    );
    for (const { name } of HOSTILE) {
      expect(shape(name)).toBe(plain);
      // What XML has no sign for ends a reader's patience at once.
      expect(pictureOf(name)).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
    }
  });
});
