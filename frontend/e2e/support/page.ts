import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Browser, expect, type Locator, type Page, type Request } from "@playwright/test";

/** A page that looks the same on every machine: the fonts come with Debian's fontconfig. */
export async function plainPage(browser: Browser, colorScheme: "light" | "dark"): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 720 },
    deviceScaleFactor: 1,
    colorScheme,
    locale: "en-US",
    timezoneId: "UTC",
    reducedMotion: "reduce",
  });
  await context.addInitScript(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(':root { --sans: "DejaVu Sans"; --mono: "DejaVu Sans Mono"; }');
    document.adoptedStyleSheets = [sheet];
  });
  return context.newPage();
}

/** Goes to another view of the open analysis, as Back and Forward do: much faster than loading the page again. */
export async function goWithin(page: Page, query: string): Promise<void> {
  await page.evaluate((address) => {
    history.pushState(null, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
  }, query);
}

/** Opens a tab of the drawer, and a view in it. */
export async function openView(page: Page, tab: string, view?: string): Promise<void> {
  const button = page.getByRole("tab", { name: tab, exact: true });
  if ((await button.getAttribute("aria-selected")) !== "true") await button.click();
  if (view === undefined) return;
  const group = page.getByRole("group", { name: tab, exact: true });
  await group.getByRole("button", { name: view, exact: true }).click();
}

/** Chooses an item of a table's menu; without a label, of the only table. */
export async function tableMenu(page: Page, item: RegExp, label?: string): Promise<void> {
  const tools = page.getByRole("group", {
    name: label === undefined ? /^Tools of / : `Tools of ${label}`,
    exact: true,
  });
  await tools.first().getByRole("button").click();
  await page
    .getByRole("menuitem", { name: item })
    .or(page.getByRole("menuitemcheckbox", { name: item }))
    .click();
  if (/Filter/.test(item.source)) await page.keyboard.press("Escape");
}

/** Gives files to the page's file input, as the dialog would. */
export async function choose(page: Page, ...files: string[]): Promise<void> {
  await page.getByTestId("file-input").setInputFiles(files);
}

/** Drops a file on the drop zone. */
export async function drop(page: Page, file: string): Promise<void> {
  const bytes = [...readFileSync(file)];
  const transfer = await page.evaluateHandle(
    ({ name, content }) => {
      const made = new DataTransfer();
      made.items.add(new File([new Uint8Array(content)], name));
      return made;
    },
    { name: basename(file), content: bytes },
  );
  const zone = page.getByRole("region", { name: "Upload", exact: true });
  await zone.dispatchEvent("dragover", { dataTransfer: transfer });
  await zone.dispatchEvent("drop", { dataTransfer: transfer });
}

export function uploadRow(page: Page, name: string): Locator {
  return page.getByTestId("upload-file").filter({ hasText: name });
}

/** Share that the server has of the files dropped together with this one, as the page shows it. */
export async function sentShare(row: Locator): Promise<number> {
  return row
    .locator("xpath=ancestor::article")
    .locator("progress")
    .evaluate((bar) => (bar as HTMLProgressElement).value);
}

export async function untilSent(row: Locator, share: number): Promise<void> {
  await expect.poll(() => sentShare(row), { intervals: [50], timeout: 60_000 }).toBeGreaterThan(share);
}

/** Waits until the timeline is drawn and its requests are answered. */
export async function untilDrawn(page: Page): Promise<void> {
  await expect(page.getByTestId("plot")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("trace time, s")).toBeVisible();
  await untilStill(page);
}

const underWay = new WeakMap<Page, Set<Request>>();

/** Requests of a page without an answer, since the first call for this page. */
function requestsOf(page: Page): Set<Request> {
  const known = underWay.get(page);
  if (known) return known;
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on("request", (request) => {
    if (request.resourceType() !== "eventsource") requests.add(request);
  });
  page.on("requestfinished", (request) => requests.delete(request));
  page.on("requestfailed", (request) => requests.delete(request));
  return requests;
}

/**
 * Waits until the page is idle: every request is answered, and text, lanes and address have not changed for longer than any
 * timer of the page takes. It also counts frames, because a machine may be slow.
 */
export async function untilStill(page: Page): Promise<void> {
  const requests = requestsOf(page);
  do {
    await expect.poll(() => requests.size, { timeout: 90_000 }).toBe(0);
    await page.evaluate(async () => {
      let changes = 0;
      const observer = new MutationObserver(() => {
        changes += 1;
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      const { numalensWork } = globalThis as unknown as { numalensWork?: { frames: number } };
      let seen = "";
      let since = 0;
      for (let still = 0; still < 20 || performance.now() - since < 450; still += 1) {
        const now = `${location.href} ${numalensWork?.frames} ${changes}`;
        if (now !== seen || document.querySelector("[aria-busy=true], [data-state=loading]")) {
          seen = now;
          since = performance.now();
          still = 0;
        }
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      observer.disconnect();
    });
  } while (requests.size > 0);
}

/** Waits for `count` frames of the page. */
export async function passFrames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (wanted) => {
    for (let passed = 0; passed < wanted; passed += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);
}

/** Holds a key for `count` frames, and waits until the page is idle. */
export async function hold(page: Page, key: string, count = 20): Promise<void> {
  await page.keyboard.down(key);
  await passFrames(page, count);
  await page.keyboard.up(key);
  await untilStill(page);
}

export interface ViewInAddress {
  readonly window: string | null;
  readonly open: string | null;
  readonly selection: string | null;
}

export function viewIn(page: Page): ViewInAddress {
  const query = new URL(page.url()).searchParams;
  return { window: query.get("w"), open: query.get("open"), selection: query.get("sel") };
}

/** Collects script errors and violations of the content security policy. */
export function watchForErrors(page: Page): string[] {
  const seen: string[] = [];
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("console", (message) => {
    const text = message.text();
    // Broken connections and rejected links are part of the tests; the browser logs both.
    if (message.type() === "error" && !/Failed to load resource|ERR_|EventSource/.test(text)) seen.push(text);
  });
  return seen;
}

/** Number of different colours in a part of the lanes' canvas; an empty canvas has one. */
export async function coloursIn(
  page: Page,
  box: { x: number; y: number; width: number; height: number },
): Promise<number> {
  return page
    .getByTestId("plot")
    .locator("canvas")
    .first()
    .evaluate((canvas, { x, y, width, height }) => {
      const { data } = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(x, y, width, height) ?? {
        data: [],
      };
      const seen = new Set<number>();
      for (let i = 0; i < data.length; i += 4) {
        seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
      }
      return seen.size;
    }, box);
}

/** Share of the pixels in a part of the plot that have a token's colour; `part` in CSS pixels of the page. */
export async function shareOfColour(
  page: Page,
  part: { x: number; y: number; width: number; height: number },
  token: string,
): Promise<number> {
  return page
    .getByTestId("plot")
    .locator("canvas")
    .first()
    .evaluate(
      (element, { part, token }) => {
        const canvas = element as HTMLCanvasElement;
        const box = canvas.getBoundingClientRect();
        const ratio = canvas.width / box.width;
        const probe = document.createElement("span");
        probe.style.color = `var(${token})`;
        document.body.append(probe);
        const wanted = (getComputedStyle(probe).color.match(/\d+/g) ?? []).slice(0, 3).map(Number);
        probe.remove();
        const ctx = canvas.getContext("2d");
        const { data } = ctx?.getImageData(
          (part.x - box.x) * ratio,
          (part.y - box.y) * ratio,
          part.width * ratio,
          part.height * ratio,
        ) ?? { data: [] };
        let same = 0;
        for (let i = 0; i < data.length; i += 4) {
          if (wanted.every((value, channel) => Math.abs((data[i + channel] ?? 0) - value) <= 8)) same += 1;
        }
        return same / Math.max(1, data.length / 4);
      },
      { part, token },
    );
}
