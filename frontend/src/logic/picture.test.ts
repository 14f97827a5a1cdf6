import { describe, expect, it } from "vitest";
import { escapeXml, pictureSvg } from "./picture.ts";

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
});
