/** A part of the page as flat shapes, and these as SVG. */

export interface Shape {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly ground: string;
  /** In the order in which they lie on each other. */
  readonly boxes: readonly (Shape & { readonly fill: string; readonly opacity: number })[];
  readonly images: readonly (Shape & { readonly href: string })[];
  readonly texts: readonly {
    readonly x: number;
    readonly y: number;
    readonly text: string;
    readonly size: number;
    readonly family: string;
    readonly weight: string;
    readonly fill: string;
  }[];
  /** What it shows, for who does not see it. */
  readonly title: string;
}

/** Names come from a trace: they must stay text. Signs that XML does not know are left out. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

const number = (value: number) => String(Math.round(value * 100) / 100);
const place = ({ x, y, width, height }: Shape) =>
  `x="${number(x)}" y="${number(y)}" width="${number(width)}" height="${number(height)}"`;

export function pictureSvg(picture: Picture): string {
  const { width, height, ground, boxes, images, texts, title } = picture;
  const size = `width="${number(width)}" height="${number(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${number(width)} ${number(height)}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect ${size} fill="${escapeXml(ground)}"/>`,
    ...boxes.map(
      (box) => `<rect ${place(box)} fill="${escapeXml(box.fill)}" fill-opacity="${number(box.opacity)}"/>`,
    ),
    ...images.map((image) => `<image ${place(image)} href="${escapeXml(image.href)}"/>`),
    ...texts.map(
      ({ x, y, text, size: letters, family, weight, fill }) =>
        `<text x="${number(x)}" y="${number(y)}" font-size="${number(letters)}" font-family="${escapeXml(family)}" font-weight="${escapeXml(weight)}" fill="${escapeXml(fill)}" xml:space="preserve">${escapeXml(text)}</text>`,
    ),
    "</svg>",
    "",
  ].join("\n");
}
