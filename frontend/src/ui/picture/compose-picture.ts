/** Takes a picture of a part of the page: canvases as they are, everything else as shapes and text. */

type Format = "png" | "svg";

/** Boxes that scroll: their content is visible only inside of the box. */
const SCROLLING = ".lanes-scroller, .tab-panel, .virtual-table, .compare-scroll";
/** Elements with which pictures and files are requested. */
const ASKING = "dialog, .picture-tools, .table-tools, .download, .copy";

type Text = Picture["texts"][number];
type Written = { -readonly [K in keyof Text]: Text[K] } & { readonly holder: Element };

/** Everything of `element` that is on the screen. */
function look(element: HTMLElement, title: string): Picture {
  const whole = element.getBoundingClientRect();
  const boxes: Picture["boxes"][number][] = [];
  const images: Picture["images"][number][] = [];
  const texts: Written[] = [];
  const inside = (box: DOMRect) => ({
    x: box.left - whole.left,
    y: box.top - whole.top,
    width: box.width,
    height: box.height,
  });
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node instanceof Element ? node : node.parentElement;
    if (!holder?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    // What a reader presses to have it is no part of it.
    if (holder.closest(ASKING)) continue;
    if (node instanceof HTMLCanvasElement) {
      images.push({ ...inside(node.getBoundingClientRect()), href: node.toDataURL("image/png") });
    } else if (node instanceof Element) {
      const box = filled(node);
      if (box && isSeen(node, box.rect)) {
        boxes.push({ ...inside(box.rect), fill: box.fill, opacity: box.opacity });
      }
    } else {
      write(node, holder, whole, texts);
    }
  }
  const ground = getComputedStyle(document.body).backgroundColor;
  const { width, height } = whole;
  return { width, height, ground, boxes, images, texts, title };
}

/** Text line by line: what wraps on the page wraps here, and what was put together of pieces, as `cpu ` and `3`, is one. */
function write(node: Node, holder: Element, whole: DOMRect, texts: Written[]): void {
  const text = node.textContent ?? "";
  if (text.trim() === "" || holder.closest("title")) return;
  const range = document.createRange();
  const style = getComputedStyle(holder);
  const size = Number.parseFloat(style.fontSize);
  for (const { 0: word, index } of text.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    const rect = range.getBoundingClientRect();
    if (rect.width === 0 || !isSeen(holder, rect)) continue;
    // The baseline of a line is about so far below its middle.
    const y = rect.top - whole.top + rect.height / 2 + size * 0.34;
    const line = texts.at(-1);
    if (line?.holder === holder && Math.abs(line.y - y) < 1) {
      // A piece may begin with the blank that parts it from the one before.
      const parted = index > 0 && !/\s$/.test(line.text) && /\s/.test(text[index - 1] ?? "");
      line.text += parted ? ` ${word}` : word;
      continue;
    }
    texts.push({
      holder,
      x: rect.left - whole.left,
      y,
      text: word,
      size,
      family: style.fontFamily,
      weight: style.fontWeight,
      fill: holder instanceof SVGElement ? style.fill : style.color,
    });
  }
}

interface Filled {
  readonly rect: DOMRect;
  readonly fill: string;
  readonly opacity: number;
}

/** The ground of an element, when it has one. */
function filled(element: Element): Filled | null {
  const style = getComputedStyle(element);
  const drawn = element instanceof SVGElement;
  if (drawn && !(element instanceof SVGRectElement || element instanceof SVGLineElement)) return null;
  const line = element instanceof SVGLineElement;
  const fill = line ? style.stroke : drawn ? style.fill : style.backgroundColor;
  if (fill === "none" || fill === "transparent" || /, 0\)$|\/ 0\)$/.test(fill)) return null;
  const rect = element.getBoundingClientRect();
  const opacity = drawn && !line ? Number(style.fillOpacity) : 1;
  if (line)
    return {
      rect: new DOMRect(rect.x, rect.y, Math.max(1, rect.width), Math.max(1, rect.height)),
      fill,
      opacity,
    };
  return rect.width > 0 && rect.height > 0 ? { rect, fill, opacity } : null;
}

function isSeen(element: Element, rect: DOMRect): boolean {
  const scroller = element.parentElement?.closest(SCROLLING)?.getBoundingClientRect();
  if (!scroller) return true;
  const middle = (rect.top + rect.bottom) / 2;
  return middle >= scroller.top && middle <= scroller.bottom && rect.left < scroller.right;
}

async function png(picture: Picture, element: HTMLElement): Promise<Blob> {
  const ratio = window.devicePixelRatio || 1;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * ratio);
  canvas.height = Math.round(picture.height * ratio);
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("This browser offers no 2D canvas.");
  ctx.scale(ratio, ratio);
  ctx.fillStyle = picture.ground;
  ctx.fillRect(0, 0, picture.width, picture.height);
  for (const { x, y, width, height, fill, opacity } of picture.boxes) {
    ctx.globalAlpha = opacity;
    ctx.fillStyle = fill;
    ctx.fillRect(x, y, width, height);
  }
  ctx.globalAlpha = 1;
  const whole = element.getBoundingClientRect();
  for (const drawn of element.querySelectorAll("canvas")) {
    const box = drawn.getBoundingClientRect();
    ctx.drawImage(drawn, box.left - whole.left, box.top - whole.top, box.width, box.height);
  }
  for (const { x, y, text, size, family, weight, fill } of picture.texts) {
    ctx.font = `${weight} ${size}px ${family}`;
    ctx.fillStyle = fill;
    ctx.fillText(text, x, y);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large."))),
      "image/png",
    );
  });
}

export async function takePicture(element: HTMLElement, title: string, format: Format): Promise<Blob> {
  const picture = look(element, title);
  if (format === "png") return png(picture, element);
  return new Blob([pictureSvg(picture)], { type: "image/svg+xml" });
}

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
  /** In painting order. */
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
  /** Description for screen readers. */
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
