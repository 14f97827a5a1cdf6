// An analysis saved as one HTML file, with and without a server; and a look at a recording while it is uploaded.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { openView, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { FIXTURES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

/** A small recording, so that saving and opening are fast. */
const SMALL = join(FIXTURES, "tc-small.v7-zstd.dat");

let server: Server;
let folder: string;

test.beforeAll(async () => {
  server = await Server.start();
  folder = await mkdtemp(join(tmpdir(), "numalens-saved-"));
});

test.afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Saves the file of "Save as HTML", and checks the size shown. */
async function saved(page: Page, name: string, options: readonly string[] = []): Promise<string> {
  await page.getByRole("button", { name: "Save as HTML", exact: true }).click();
  for (const option of options) await page.getByLabel(option).check();
  await page.getByRole("button", { name: "Make the file" }).click();
  const size = page.getByTestId("file-size");
  await expect(size).toContainText(/incident\.html, [\d.]+ MiB/);
  await expectAccessible(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const file = join(folder, name);
  await (await download).saveAs(file);
  const shown = Number(/([\d.]+) MiB/.exec((await size.textContent()) ?? "")?.[1]);
  expect((await readFile(file)).length / 2 ** 20).toBeCloseTo(shown, 0);
  await page.keyboard.press("Escape");
  return file;
}

/** Titles of the copies on the server. */
async function copies(page: Page): Promise<string[]> {
  const answer = await page.request.get(`${server.address}/api/v1/analyses`);
  const { analyses } = (await answer.json()) as { analyses: { title: string }[] };
  return analyses.map(({ title }) => title).filter((title) => /copy/i.test(title));
}

const windowOf = (page: Page) => /[?&]w=([^&]+)/.exec(page.url())?.[1];

/** Zooms in a little and opens a tab. */
async function lookCloser(page: Page): Promise<void> {
  await untilDrawn(page);
  await openView(page, "Tasks");
  await page.keyboard.press("w");
  await expect.poll(() => windowOf(page)).toBeTruthy();
}

test("a saved analysis opens at the same view, with its notes", async ({ page, browser }) => {
  const errors = watchForErrors(page);
  const id = await server.added([SMALL], "whole");
  const said = await page.request.post(`${server.address}/api/v1/analyses/${id}/notes`, {
    data: { author: "Ann", text: 'Look at "this" <here>.' },
  });
  expect(said.ok()).toBe(true);
  await page.goto(`${server.address}/a/${id}`);
  await lookCloser(page);
  const file = await saved(page, "whole.html");
  const alone = await plainPage(browser, "light");
  await alone.context().setOffline(true);
  await alone.goto(pathToFileURL(file).href);
  await untilDrawn(alone);
  await expect(alone).toHaveTitle(/whole/);
  expect(windowOf(alone)).toBe(windowOf(page));
  await expect(alone.getByRole("tab", { name: "Tasks" })).toHaveAttribute("aria-selected", "true");
  await openView(alone, "Recording", "Notes");
  await expect(alone.getByText('Look at "this" <here>.')).toBeVisible();
  // Features that need a server are absent.
  await expect(alone.getByRole("button", { name: "Reports" })).toHaveCount(0);
  await openView(alone, "Events & SQL");
  await expect(alone.getByRole("button", { name: "SQL", exact: true })).toHaveCount(0);
  // The file can be saved again.
  const again = await saved(alone, "again.html");
  await alone.goto(pathToFileURL(again).href);
  await untilDrawn(alone);
  await alone.context().close();
  expect(errors).toEqual([]);
});

test("pseudonyms: the file has no real names, and the server keeps no copy", { tag: "@all" }, async ({
  page,
  browser,
}) => {
  const id = await server.added([SMALL], "named");
  await page.goto(`${server.address}/a/${id}`);
  await lookCloser(page);
  const file = await saved(page, "part.html", ["pseudonyms for names"]);
  const alone = await plainPage(browser, "light");
  await alone.goto(pathToFileURL(file).href);
  await untilDrawn(alone);
  await expect(alone).toHaveTitle(/Copy/);
  await expect(alone.getByText("hackbench")).toHaveCount(0);
  await alone.context().close();
  expect(await copies(page)).toEqual([]);
});

test("leaving the page while a copy is made leaves no copy on the server", { tag: "@all" }, async ({
  page,
}) => {
  const id = await server.added([SMALL], "left");
  // The page never learns that its copy is ready.
  await page.route("**/api/v1/analyses/*", async (route) => {
    if (route.request().method() !== "GET" || route.request().url().endsWith(id)) return route.continue();
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), status: "queued" } });
  });
  await page.goto(`${server.address}/a/${id}`);
  await lookCloser(page);
  await page.getByRole("button", { name: "Save as HTML", exact: true }).click();
  await page.getByLabel("pseudonyms for names").check();
  const heard = page.waitForResponse(
    (answer) => /analyses\/(?!.*\/)/.test(answer.url()) && !answer.url().endsWith(id),
  );
  await page.getByRole("button", { name: "Make the file" }).click();
  await heard;
  expect(await copies(page)).toHaveLength(1);
  await page.goto("about:blank");
  await expect.poll(() => copies(page)).toEqual([]);
});

test("a recording that was never uploaded is saved with pseudonyms by the browser alone", {
  tag: "@all",
}, async ({ page, browser }) => {
  await page.goto(server.address);
  await page.getByLabel("Analyze in this browser (no upload)").check();
  await page.getByTestId("file-input").setInputFiles([SMALL]);
  await lookCloser(page);
  const whole = await saved(page, "local.html");
  const hidden = await saved(page, "local-hidden.html", ["pseudonyms for names"]);
  for (const [file, title] of [
    [whole, /tc-small/],
    [hidden, /recording/],
  ] as const) {
    const alone = await plainPage(browser, "dark");
    await alone.context().setOffline(true);
    await alone.goto(pathToFileURL(file).href);
    await untilDrawn(alone);
    await expect(alone).toHaveTitle(title);
    expect(windowOf(alone)).toBe(windowOf(page));
    await alone.context().close();
  }
});

test("a recording can be viewed during its upload, and then becomes the server's analysis at the same view", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/v1/uploads/**", async (route) => {
    if (route.request().method() === "PATCH") await held;
    await route.continue();
  });
  await page.goto(server.address);
  await page.getByTestId("file-input").setInputFiles([SMALL]);
  await page.getByRole("button", { name: "View it now" }).click();
  await lookCloser(page);
  await expect(page).toHaveURL(/\/local\?/);
  await expect(page.getByTestId("upload-banner")).toBeVisible();
  const before = windowOf(page);
  release();
  await expect(page).toHaveURL(/\/a\//);
  await untilDrawn(page);
  await expect.poll(() => windowOf(page)).toBe(before);
  await expect(page.getByRole("tab", { name: "Tasks" })).toHaveAttribute("aria-selected", "true");
  expect(errors).toEqual([]);
});

test("a setting of the server makes the page view recordings without uploading", { tag: "@all" }, async ({
  page,
}) => {
  const looking = await Server.start([], { NUMALENS_LOOK_ONLY: "1" });
  await page.goto(looking.address);
  await expect(page.getByLabel("Analyze in this browser (no upload)")).toBeChecked();
  await expect(page.getByText("sends nothing")).toBeVisible();
  await looking.close();
});
