// First use: the three steps, the tour of the sample's incident, narrow screens, and errors.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { choose, untilDrawn, watchForErrors } from "./support/page.ts";
import { SAMPLE_FOLDER, TOPOLOGY, TRACE } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

test("three steps that can be dismissed, and the tour in six stops by keyboard", async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/`);
  const steps = page.getByTestId("first-steps");
  await expect(steps.getByRole("listitem")).toHaveCount(3);
  await expectAccessible(page);
  await steps.getByRole("link", { name: /^Take the tour/ }).press("Enter");
  await untilDrawn(page);
  for (let stop = 1; stop <= 6; stop += 1) {
    const tour = page.getByRole("dialog", { name: `Tour, ${stop} of 6` });
    await expect(tour).toBeVisible();
    await expect(page.locator(".tour-frame")).toBeVisible();
    const [card, frame] = [await tour.boundingBox(), await page.locator(".tour-frame").boundingBox()];
    if (!card || !frame) throw new Error("the tour has no place");
    // The card does not cover what it explains, unless that fills the page.
    const apart = card.y >= frame.y + frame.height || card.y + card.height <= frame.y;
    expect(apart || frame.height > 250).toBe(true);
    if (stop < 6) await page.keyboard.press("Enter");
  }
  await expect(page.getByTestId("wait-verdict")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.goto(`${sample.server.address}/`);
  await steps.getByRole("button", { name: "Dismiss" }).click();
  await expect(steps).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId("analyses")).toBeVisible();
  await expect(steps).toHaveCount(0);
  expect(errors).toEqual([]);
});

test("the picture opens the sample, the palette takes the tour again, and a drop asks once", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/`);
  await page.getByRole("link", { name: /^The sample/ }).click();
  await untilDrawn(page);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("take the tour");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Tour, 1 of 6" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    for (const name of ["trace.dat", "lscpu-p.txt"]) dataTransfer.items.add(new File(["x"], name));
    for (const kind of ["dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  });
  const question = page.getByRole("dialog", { name: "Read these files" });
  await expect(question).toContainText("trace.dat and 1 more file: add to this analysis");
  await expect(question.getByRole("button", { name: "Add to this analysis" })).toBeVisible();
  await expectAccessible(page);
  await question.getByRole("button", { name: "Make a new one" }).click();
  await expect(question.getByRole("alert")).toContainText("Nothing was uploaded");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByTestId("plot")).toBeVisible();
  expect(errors).toEqual([]);
});

for (const width of [390, 768]) {
  test(`list, findings and timeline fit ${width} px`, { tag: "@all" }, async ({ browser }) => {
    const context = await browser.newContext({
      viewport: { width, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const page = await context.newPage();
    await page.goto(`${sample.server.address}/`);
    await expect(page.getByTestId("analyses")).toBeVisible();
    await expectFits(page);
    for (const drawer of ["findings", "none"]) {
      await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&d=${drawer}`);
      await untilDrawn(page);
      await expectFits(page);
    }
    await context.close();
  });
}

test("a definition opens by keyboard and by touch, and does not cover its term", async ({ browser }) => {
  const context = await browser.newContext({ hasTouch: true });
  const page = await context.newPage();
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&d=latency`);
  await untilDrawn(page);
  const word = page.getByTestId("percentiles").getByRole("button", { name: "preempted" });
  await word.tap();
  const tip = page.locator(".tip");
  await expect(tip).toBeVisible();
  const [box, over] = [await word.boundingBox(), await tip.boundingBox()];
  if (!box || !over) throw new Error("the tip has no place");
  expect(over.y >= box.y + box.height || over.y + over.height <= box.y).toBe(true);
  const text = await tip.textContent();
  await page.keyboard.press("Tab");
  await expect(tip).not.toHaveText(text ?? "");
  await page.keyboard.press("Shift+Tab");
  await expect(tip).toHaveText(text ?? "");
  await expect(tip).toBeVisible();
  await context.close();
});

test("a picture and a truncated recording are rejected with one sentence; a title has host, kernel and day", {
  tag: "@all",
}, async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), "numalens-e2e-files-"));
  const own = await Server.start();
  try {
    const [png, cut] = [join(folder, "shot.png"), join(folder, "cut.dat")];
    await writeFile(png, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
    const { readFile } = await import("node:fs/promises");
    const whole = await readFile(TRACE);
    await writeFile(cut, whole.subarray(0, Math.floor(whole.length * 0.6)));
    await page.goto(`${own.address}/`);
    await choose(page, png);
    await expect(page.getByRole("alert")).toContainText("shot.png is a PNG image.");
    await choose(page, cut);
    await page.waitForURL(/\/a\//);
    await expect(page.getByTestId("sentence")).toHaveText(/^cut\.dat is cut off/);
    await page.goto(`${own.address}/`);
    await choose(page, TRACE, TOPOLOGY);
    await page.waitForURL(/\/a\//);
    await untilDrawn(page);
    await expect(page).toHaveTitle(/^trace\.dat, .*CPUs saturated · NumaLens$/);
  } finally {
    await own.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("a banner while the server is unavailable, and none afterwards", async ({ page }) => {
  const own = await Server.start(["--sample", SAMPLE_FOLDER]);
  try {
    await page.goto(`${own.address}/a/${await own.readyAnalysis()}`);
    await untilDrawn(page);
    await own.kill();
    // A closer look needs tiles that are not there yet.
    await page.keyboard.down("w");
    await expect(page.getByTestId("server-away")).toBeVisible();
    await page.keyboard.up("w");
    await own.run();
    await expect(page.getByTestId("server-away")).toHaveCount(0);
  } finally {
    await own.close();
  }
});
