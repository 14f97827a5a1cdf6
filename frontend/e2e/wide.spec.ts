// 400 lanes: all are there, the right ones are visible, and a frame does only the work of the visible lanes. The tests count
// work and measure no time, so they pass on a slow machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectFits } from "./support/checks.ts";
import { choose, hold, passFrames, untilDrawn, untilStill, viewIn, watchForErrors } from "./support/page.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";
import { CPUS, NODES, taskOf, writeWide } from "./support/wide.ts";

let server: Server;
let folder: string;
let analysis: string;

const ALL = Array.from({ length: NODES }, (_, node) => node).join(",");

test.use({ viewport: { width: 1440, height: 900 } });

test.beforeAll(async ({ browser }) => {
  server = await Server.start();
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-wide-"));
  const page = await browser.newPage();
  await page.goto(`${server.address}/`);
  await choose(page, ...(await writeWide(folder)));
  await page.waitForURL(/\/a\//, { timeout: 60_000 });
  analysis = await server.readyAnalysis();
  await page.close();
});

test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

/** Opens all nodes, at a twelfth of the trace: every key moves the window. */
async function open(page: Page): Promise<void> {
  await page.goto(`${server.address}/a/${analysis}?v=2&w=1000110000000~1000130000000&open=${ALL}&d=findings`);
  await untilDrawn(page);
}

/** Names of the visible lanes, with the middles of the lanes. */
async function seen(page: Page): Promise<{ readonly name: string; readonly y: number }[]> {
  return page.getByTestId("lanes").evaluate((scroller) => {
    const { top, bottom } = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll(".node-name, .cpu-name")].flatMap((element) => {
      const box = element.getBoundingClientRect();
      const name = element.textContent?.trim() ?? "";
      return box.bottom > top && box.top < bottom ? [{ name, y: (box.top + box.bottom) / 2 }] : [];
    });
  });
}

/** Checks the tooltip of each CPU's lane that is visible as a whole, at a time at which its task ran. */
async function expectOwnTasks(page: Page): Promise<void> {
  const plot = await page.getByTestId("plot").boundingBox();
  const lanes = await page.getByTestId("lanes").boundingBox();
  if (!plot || !lanes) throw new Error("there are no lanes");
  const [from = 0, to = 1] = (viewIn(page).window ?? "").split("~").map(Number);
  // Tasks run for 6 of every 10 ms: the middle of a visible run.
  const run = Math.ceil((from - 1e12) / 1e7 + 0.5) * 1e7 + 1e12 + 3e6;
  const x = plot.x + ((run - from) / (to - from)) * plot.width;
  const whole = (await seen(page)).filter(
    ({ name, y }) => name.startsWith("cpu ") && y > lanes.y + 20 && y < lanes.y + lanes.height - 20,
  );
  expect(whole.length).toBeGreaterThan(4);
  for (const { name, y } of whole) {
    await page.mouse.move(x, y + 2);
    await expect(page.locator(".tooltip")).toContainText(taskOf(Number(name.slice(4))));
  }
  await page.mouse.move(5, 5);
}

interface Work {
  frames: number;
  lanes: number;
  snapshots: number;
}

const workOf = (page: Page) =>
  page.evaluate(() => ({ ...(globalThis as unknown as { numalensWork: Work }).numalensWork }));

/** Number of layouts by the browser. */
async function layouts(page: Page): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  return async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "LayoutCount")?.value ?? Number.NaN;
  };
}

test("every node's lanes are there, and scrolling and panning show the right ones", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page);
  await expect(page.locator(".node-name")).toHaveCount(NODES);
  const names = await page.locator(".cpu-name").allTextContents();
  expect(names.map((name) => name.trim())).toEqual(Array.from({ length: CPUS }, (_, cpu) => `cpu ${cpu}`));
  await expectOwnTasks(page);

  const scroller = page.getByTestId("lanes");
  for (const share of [0.5, 0.97]) {
    await scroller.evaluate((box, part) => {
      box.scrollTop = part * (box.scrollHeight - box.clientHeight);
    }, share);
    await untilStill(page);
    await expectOwnTasks(page);
    await hold(page, "d", 40);
    await expectOwnTasks(page);
  }
  expect(errors).toEqual([]);
});

test("no legend, title, row of chips or header is cut, and a legend unfolds", async ({ page }) => {
  for (const width of [1024, 1440, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await open(page);
    await expectFits(page);
  }
  await page.setViewportSize({ width: 1024, height: 900 });
  const note = page.getByTestId("note-nodes");
  const last = note.locator(".glyph-key").last();
  const shownIn = async () => {
    const [key, line] = [await last.boundingBox(), await note.boundingBox()];
    return key !== null && line !== null && key.y + key.height <= line.y + line.height;
  };
  expect(await shownIn()).toBe(false);
  await note.getByRole("button", { name: "more" }).click();
  await expect.poll(shownIn).toBe(true);
  await note.getByRole("button", { name: "less" }).press("Enter");
  await expect.poll(shownIn).toBe(false);
});

test("a frame draws the visible lanes, and a pan changes only the canvases", async ({ page }) => {
  await open(page);
  const visible = (await seen(page)).length;
  const laidOut = await layouts(page);

  await test.step("pan", async () => {
    await page.keyboard.down("d");
    // The first frames lay out the strip of ticks.
    await passFrames(page, 15);
    const before = { ...(await workOf(page)), layouts: await laidOut() };
    await passFrames(page, 70);
    const after = { ...(await workOf(page)), layouts: await laidOut() };
    await page.keyboard.up("d");
    const frames = after.frames - before.frames;
    expect(frames).toBeGreaterThan(5);
    expect(after.lanes - before.lanes).toBeLessThanOrEqual(frames * visible);
    expect(after.snapshots - before.snapshots).toBe(0);
    // One for each strip of ticks, which is three windows long.
    expect(after.layouts - before.layouts).toBeLessThanOrEqual(3);
  });

  await test.step("zoom", async () => {
    await untilStill(page);
    await page.keyboard.down("w");
    await passFrames(page, 10);
    const before = await workOf(page);
    await passFrames(page, 35);
    const after = await workOf(page);
    await page.keyboard.up("w");
    expect(after.lanes - before.lanes).toBeLessThanOrEqual((after.frames - before.frames) * visible);
    expect(after.snapshots - before.snapshots).toBe(0);
  });

  await test.step("scroll", async () => {
    await untilStill(page);
    const before = await workOf(page);
    await page.getByTestId("lanes").evaluate(async (box) => {
      for (let i = 0; i < 40; i += 1) {
        box.scrollTop += 60;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
    const after = await workOf(page);
    const frames = after.frames - before.frames;
    expect(frames).toBeGreaterThan(5);
    // Lanes of CPUs are lower than those of nodes, so more fit in, and one more at each edge.
    const room = await page.getByTestId("lanes").evaluate((box) => box.clientHeight);
    expect(after.lanes - before.lanes).toBeLessThanOrEqual(frames * (room / 26 + 2));
  });
});
