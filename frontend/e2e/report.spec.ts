// Reports: started from a finding, written, with live views, saved without losing words, shared, printed.
import { readFile } from "node:fs/promises";
import { inflateSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { openView, passFrames, shareOfColour, untilDrawn, watchForErrors } from "./support/page.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();

test.use({ actionTimeout: 30_000 });

interface Written {
  readonly id: string;
  readonly text: string;
  readonly revision: number;
}

async function fetched<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const answer = await fetch(`${sample.server.address}/api/v1/analyses/${sample.analysis}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as T;
}

const written = (title: string, text: string) => fetched<Written>("/reports", "POST", { title, text });

const views = (page: Page) => page.getByTestId("live-view");

/** Scrolls to every view, because only those near the screen are drawn. */
async function untilViewsDrawn(page: Page, count: number): Promise<void> {
  await expect(views(page)).toHaveCount(count);
  for (let i = 0; i < count; i += 1) {
    await views(page).nth(i).scrollIntoViewIfNeeded();
    await expect(views(page).nth(i)).toHaveAttribute("data-drawn", "true", { timeout: 60_000 });
  }
}

/** Replaces the browser's print dialog, which would block the test. */
async function printable(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.print = () => {
      document.documentElement.dataset["printed"] = "yes";
    };
  });
}

async function untilPrinted(page: Page): Promise<void> {
  await expect(page.getByTestId("printing")).toHaveAttribute("data-ready", "true", { timeout: 90_000 });
  await expect(page.locator("html")).toHaveAttribute("data-printed", "yes");
}

interface Pdf {
  readonly pages: number;
  /** Pictures and their sizes, pixels. */
  readonly images: readonly { readonly width: number; readonly height: number; readonly colours: number }[];
}

/** Finer than on the screen, and of several colours. */
const isDrawn = ({ width, colours }: Pdf["images"][number]) => width > 1000 && colours >= 4;

/** Pages and pictures of a PDF. */
function readPdf(bytes: Buffer): Pdf {
  const text = bytes.toString("latin1");
  const images: { width: number; height: number; colours: number }[] = [];
  for (const { 1: dictionary = "", index } of text.matchAll(/<<((?:[^<>]|<<[^<>]*>>)*)>>\s*stream\r?\n/g)) {
    if (!/\/Subtype\s*\/Image/.test(dictionary) || !/\/BitsPerComponent\s+8/.test(dictionary)) continue;
    const number = (key: string) => Number(new RegExp(`/${key}\\s+(\\d+)`).exec(dictionary)?.[1] ?? 0);
    const start = text.indexOf("stream", index) + text.slice(text.indexOf("stream", index)).search(/\n/) + 1;
    const pixels = /FlateDecode/.test(dictionary)
      ? inflateSync(bytes.subarray(start, start + number("Length")))
      : bytes.subarray(start, start + number("Length"));
    const seen = new Set<number>();
    for (let i = 0; i + 2 < pixels.length && seen.size < 50; i += 3) seen.add(pixels.readUIntBE(i, 3));
    images.push({ width: number("Width"), height: number("Height"), colours: seen.size });
  }
  return { pages: (text.match(/\/Type\s*\/Page\b(?!s)/g) ?? []).length, images };
}

test("from a finding to a report that is written, shared and printed", async ({ page, browser }) => {
  await page.setViewportSize({ width: 1360, height: 900 });
  await printable(page);
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${sample.analysis}`);
  await untilDrawn(page);

  await test.step("started from a finding, it says what was found", async () => {
    await page.getByTestId("findings-table").locator("tbody button").first().click();
    await page.getByTestId("finding-facts").getByRole("button", { name: "Report…" }).click();
    await expect(page.getByRole("dialog", { name: "Reports" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Start a report" }).click();
    await expect(page.getByTestId("report-editor")).toBeVisible();
    await expect(page.getByTestId("report").getByRole("heading", { name: "What was found" })).toBeVisible();
    await expect(views(page).first()).toHaveAttribute("data-drawn", "true", { timeout: 60_000 });
    await expect(page.locator(".live-finding").first()).toContainText("cost");
  });

  await test.step("the preview follows the text, which is saved", async () => {
    await page.getByLabel("Text of the report, Markdown").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Move the **batch** cgroup. <b>no tag</b>");
    await expect(page.getByTestId("report")).toContainText("Move the batch cgroup. <b>no tag</b>");
    await expect(page.getByTestId("saved")).toHaveText("not saved");
    await page.keyboard.press("Control+s");
    await expect(page.getByTestId("saved")).toHaveText("saved, revision 2");
    await expectAccessible(page);
  });

  const report = new URL(page.url()).pathname;
  await test.step("a view of the analysis is inserted", async () => {
    await page.goto(`${sample.server.address}/a/${sample.analysis}`);
    await untilDrawn(page);
    await openView(page, "NUMA", "Ops");
    await page.keyboard.press("r");
    await page.getByLabel("Put into a report").selectOption("table");
    await page.getByRole("button", { name: /^Insert this view into/ }).click();
    await expect(page.getByText("Inserted.")).toBeVisible();
    await page.getByTestId("report-list").getByRole("link").click();
    await expect(page).toHaveURL(`${sample.server.address}${report}`);
  });

  const { length } =
    (await fetched<Written>(`/reports/${report.split("/").at(-1)}`)).text.match(/```numalens/g) ?? [];
  await test.step("every view is drawn when it comes near the screen, and is interactive", async () => {
    await untilViewsDrawn(page, length);
    await expect(page.locator(".live-table").last()).toBeVisible();
    const moving = page.locator(".live-timeline").first();
    await moving.scrollIntoViewIfNeeded();
    await expect(moving).toHaveAttribute("data-drawn", "true", { timeout: 60_000 });
    await expect(moving.locator("canvas").first()).toBeVisible();
    await moving.scrollIntoViewIfNeeded();
    const caption = moving.locator("figcaption");
    const before = await caption.textContent();
    const box = await moving.getByTestId("plot").boundingBox();
    if (!box) throw new Error("no plot");
    // The wheel scrolls the report until the reader clicks a view.
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.wheel(0, -20);
    await expect(moving.getByRole("button", { name: "as it was" })).toHaveCount(0);
    await page.mouse.click(box.x + 300, box.y + 60);
    await page.mouse.wheel(0, -200);
    await expect(caption).not.toHaveText(before ?? "");
    await moving.getByRole("button", { name: "as it was" }).click();
    await expect(caption).toHaveText(before ?? "");
    await expectAccessible(page);
  });

  await test.step("a read-only link opens it elsewhere", async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("button", { name: "Create link" }).click();
    const link = await page.getByTestId("share-link").inputValue();
    await page.keyboard.press("Escape");
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const guest = await context.newPage();
    const guestErrors = watchForErrors(guest);
    await guest.goto(link);
    await untilViewsDrawn(guest, length);
    await expect(guest.getByText("Shared view, for looking.")).toBeVisible();
    await expect(guest.getByTestId("report")).toContainText("Move the batch cgroup.");
    for (const name of ["Edit", "Save", "Revisions", "Share"])
      await expect(guest.getByRole("button", { name, exact: true })).toHaveCount(0);
    await guest.locator(".live-timeline").first().scrollIntoViewIfNeeded();
    await guest.locator(".live-timeline").first().getByRole("link", { name: "open in the analysis" }).click();
    await untilDrawn(guest);
    await guest.getByRole("button", { name: "Reports" }).click();
    await guest.getByTestId("report-list").getByRole("link").click();
    await expect(guest.getByTestId("report")).toContainText("Move the batch cgroup.");
    expect(guestErrors).toEqual([]);
    await context.close();
  });

  await test.step("every view is printed", async () => {
    await page.getByRole("button", { name: "Print / PDF" }).click();
    await untilPrinted(page);
    await page.pdf({ path: "test-results/report/report.pdf", preferCSSPageSize: true });
    const pdf = readPdf(await readFile("test-results/report/report.pdf"));
    expect(pdf.pages).toBeGreaterThan(2);
    // A picture that several views share is embedded once.
    expect(pdf.images.filter(isDrawn).length).toBeGreaterThanOrEqual(2);
  });
  expect(errors).toEqual([]);
});

test("two users who save at once lose no words", async ({ page, browser }) => {
  const { id } = await written("Who was first", "As it was.\n");
  const address = `${sample.server.address}/a/${sample.analysis}/report/${id}?edit=1`;
  const other = await (await browser.newContext()).newPage();
  for (const [writer, words] of [
    [page, "Of Ada. "],
    [other, "Of Bo. "],
  ] as const) {
    await writer.goto(address);
    await writer.getByLabel("Text of the report, Markdown").click();
    await writer.keyboard.press("Control+Home");
    await writer.keyboard.type(words);
    await expect(writer.getByTestId("saved")).toHaveText("not saved");
  }
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByTestId("saved")).toHaveText("saved, revision 2");
  await other.getByRole("button", { name: "Save" }).click();
  await expect(other.getByRole("alert")).toContainText("readers see revision 2, yours is kept as revision 3");
  await expect(other.getByTestId("report")).toContainText("Of Bo.");
  await other.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(other.getByTestId("saved")).toHaveText("saved, revision 4");
  await other.getByRole("button", { name: "Revisions" }).click();
  await expect(other.getByTestId("revisions").getByRole("row")).toHaveCount(4);
  await other.getByRole("button", { name: "Revision 2" }).click();
  await expect(other.locator(".revision-text")).toContainText("Of Ada.");
  await expectAccessible(other);
  await other.getByRole("button", { name: "Take revision 2 into the editor" }).click();
  await expect(other.getByTestId("report")).toContainText("Of Ada.");
  // A page that is closed before saving restores the text when it is opened again.
  await other.reload();
  await expect(other.getByText("Unsaved changes were recovered.")).toBeVisible();
  await expect(other.getByTestId("report")).toContainText("Of Ada.");
  await other.getByRole("button", { name: "Drop them" }).click();
  await expect(other.getByTestId("report")).toContainText("Of Bo.");
  await other.context().close();
});

const fence = (kind: string, path: string) => `\`\`\`numalens ${kind}\n${path}\n\`\`\`\n`;

test("views far down that were never scrolled to are printed", { tag: "@all" }, async ({ page }) => {
  await printable(page);
  const long = Array.from({ length: 60 }, (_, i) => `Line ${i} of a long report.\n`).join("\n");
  const text = `${fence("timeline", `/a/${sample.analysis}?v=2&p=nodes,-psi`)}\n${long}\n${fence("timeline", `/a/${sample.analysis}?v=2&p=psi,nodes`)}`;
  const { id } = await written("Paper", text);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(`${sample.server.address}/a/${sample.analysis}/report/${id}`);
  await expect(views(page).first()).toHaveAttribute("data-drawn", "true", { timeout: 60_000 });
  await expect(views(page).last()).toHaveAttribute("data-drawn", "false");
  await page.getByRole("button", { name: "Print / PDF" }).click();
  await untilPrinted(page);
  // The browser embeds the pictures in an SVG; each canvas of a view is one.
  for (const picture of await page.locator(".live-view img").all())
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(600);
  const bytes = await page.pdf({ path: "test-results/report/paper.pdf", preferCSSPageSize: true });
  const { pages, images } = readPdf(bytes);
  expect(pages).toBeGreaterThanOrEqual(3);
  // The minimap, which both share, and the lanes of each.
  expect(images.filter(isDrawn).length).toBeGreaterThanOrEqual(3);
  await page.getByRole("button", { name: "Back to the report" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.locator(".live-view img")).toHaveCount(0);
});

test("views that cannot be drawn say so in place, and HTML in a text stays text", async ({ page }) => {
  const errors = watchForErrors(page);
  const { id } = await written(
    "<img src=x onerror=alert(1)>",
    [
      fence("timeline", "/a/nothing-here?v=2"),
      fence("timeline", `/a/${sample.analysis}?v=99`),
      fence("portrait", `/a/${sample.analysis}?v=2`),
      fence("finding", `/a/${sample.analysis}?v=2&fi=NO_SUCH@1`),
      fence("table", `/a/${sample.analysis}?v=2&d=tasks`),
      fence("sql", `/a/${sample.analysis}?v=2&d=sql&q=SELECT`),
      fence("sql", `/a/${sample.analysis}?v=2&d=sql&q=SELECT%20'<b>bold</b>'%20AS%20word`),
      "[a](javascript:alert(1)) [b](https://example.org) <script>alert(1)</script> ![c](https://example.org/c.png)",
      "",
    ].join("\n"),
  );
  await page.goto(`${sample.server.address}/a/${sample.analysis}/report/${id}`);
  const sentences = [
    "There is no such analysis",
    "made by a later version",
    "kinds timeline, finding, table, sql",
    "no longer has this finding",
    "Reports can contain tables of",
    "cannot be drawn",
  ];
  for (const [i, sentence] of sentences.entries()) await expect(views(page).nth(i)).toContainText(sentence);
  await expect(views(page).nth(6)).toContainText("<b>bold</b>", { timeout: 60_000 });
  const report = page.getByTestId("report");
  await expect(report.getByRole("heading", { level: 1 })).toHaveText("<img src=x onerror=alert(1)>");
  await expect(report.locator("a:not(figcaption a)")).toHaveCount(1);
  await expect(report.getByRole("link", { name: "b", exact: true })).toHaveAttribute(
    "rel",
    "noopener noreferrer",
  );
  await expect(report.locator("script, p img")).toHaveCount(0);
  await expect(report).toContainText("<script>alert(1)</script>");
  expect(errors).toEqual([]);
});

test("a report of a dozen views draws only those near the screen", { tag: "@all" }, async ({ page }) => {
  const text = Array.from({ length: 12 }, (_, i) =>
    fence("timeline", `/a/${sample.analysis}?v=2&mk=${i}:${i}`),
  ).join("\n");
  const { id } = await written("Many", text);
  await page.goto(`${sample.server.address}/a/${sample.analysis}/report/${id}`);
  await expect(views(page).first()).toHaveAttribute("data-drawn", "true", { timeout: 60_000 });
  await expect(views(page)).toHaveCount(12);
  expect(await page.locator(".live-view canvas").count()).toBeLessThan(12 * 3);
  await untilViewsDrawn(page, 12);
  expect(await page.locator(".live-view canvas").count()).toBeLessThan(12 * 3);
});

test("a view that leaves and re-enters the screen while the page is busy is drawn", { tag: "@all" }, async ({
  page,
}) => {
  await page.addInitScript(() => {
    const Real = window.IntersectionObserver;
    window.IntersectionObserver = class extends Real {
      constructor(callback: IntersectionObserverCallback, options?: IntersectionObserverInit) {
        let kept: IntersectionObserverEntry[] = [];
        super((entries, observer) => {
          kept.push(...entries);
          if (document.documentElement.dataset["busy"] === "yes") return;
          const all = kept;
          kept = [];
          callback(all, observer);
        }, options);
      }
    };
  });
  const text = Array.from({ length: 12 }, (_, i) =>
    fence("timeline", `/a/${sample.analysis}?v=2&mk=${i}:${i}`),
  ).join("\n");
  const { id } = await written("Busy", text);
  await page.goto(`${sample.server.address}/a/${sample.analysis}/report/${id}`);
  await untilViewsDrawn(page, 12);
  // It leaves while the page is busy, and is back when the page looks again.
  await page.evaluate(() => {
    document.documentElement.dataset["busy"] = "yes";
  });
  await views(page).first().scrollIntoViewIfNeeded();
  await passFrames(page, 2);
  await views(page).last().scrollIntoViewIfNeeded();
  await page.evaluate(() => {
    delete document.documentElement.dataset["busy"];
  });
  await expect(views(page).last().locator("canvas").first()).toBeVisible();
  await views(page).nth(9).scrollIntoViewIfNeeded();
  await passFrames(page, 2);
  await expect(views(page).last().locator("canvas").first()).toBeVisible();
});

test("on a high-density screen, the nodes' strips fill their lanes", { tag: "@all" }, async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&d=none`);
  await untilDrawn(page);
  const box = await page.getByTestId("plot").boundingBox();
  if (!box) throw new Error("no plot");
  const busy = { x: box.x + box.width * 0.6, y: box.y + 24, width: box.width * 0.2, height: 60 };
  expect(await shareOfColour(page, busy, "--cost")).toBeGreaterThan(0);
  await context.close();
});
