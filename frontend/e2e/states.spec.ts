// Messages of the page when something is wrong or only partly known.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { choose, drop, openView, untilDrawn, uploadRow, watchForErrors } from "./support/page.ts";
import { TOPOLOGY } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const DROPPED = fileURLToPath(new URL("../../samples/fixtures/tc-dropped.v7-zstd.dat", import.meta.url));

let server: Server;
let folder: string;

test.beforeAll(async () => {
  server = await Server.start();
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-file-"));
});

test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

test("a file above the limit is rejected with one sentence that names the limit", { tag: "@all" }, async ({
  page,
}) => {
  const own = await Server.start([], { NUMALENS_MAX_UPLOAD_BYTES: "50" });
  try {
    await page.goto(`${own.address}/`);
    await expect(page.getByText("up to 50 B each")).toBeVisible();
    await choose(page, TOPOLOGY);
    await expect(uploadRow(page, "lscpu-p.txt")).toHaveAttribute("data-state", "failed");
    await expect(page.getByRole("alert")).toContainText("max_upload_bytes");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect(page.getByTestId("upload-file")).toHaveCount(0);
  } finally {
    await own.close();
  }
});

test("a file that is not a recording ends in one sentence, and can be deleted", async ({ page }) => {
  const errors = watchForErrors(page);
  const file = join(folder, "broken.dat");
  await writeFile(
    file,
    Buffer.concat([Buffer.from([0x17, 0x08, 0x44]), Buffer.from("tracing"), Buffer.alloc(64, 0xff)]),
  );
  await page.goto(`${server.address}/`);
  await drop(page, file);
  await page.waitForURL(/\/a\//);
  await expect(page.getByRole("heading", { name: "This recording could not be read" })).toBeVisible();
  await expect(page.getByTestId("sentence")).toContainText("broken.dat");
  await page.getByRole("button", { name: "Delete this analysis" }).click();
  await expect(
    page.getByRole("heading", { name: "Find out why a task waited, in three steps" }),
  ).toBeVisible();
  expect(errors).toEqual([]);
});

test("an empty file does not keep the next recording from opening", async ({ page }) => {
  const errors = watchForErrors(page);
  const file = join(folder, "nothing.dat");
  await writeFile(file, "");
  await page.goto(`${server.address}/`);
  await choose(page, file);
  await expect(page.getByRole("alert")).toContainText("Nothing was uploaded: nothing.dat is empty.");
  await choose(page, DROPPED);
  await page.waitForURL(/\/a\//);
  await untilDrawn(page);
  await page.goto(`${server.address}/`);
  await expect(page.getByTestId("analyses")).toBeVisible();
  await expect(page.getByTestId("upload-file")).toHaveCount(0);
  expect(errors).toEqual([]);
});

test("lost events and an assumed topology are shown and explained", async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${server.address}/`);
  await choose(page, DROPPED);
  await page.waitForURL(/\/a\//);
  await untilDrawn(page);
  await expect(page.getByRole("button", { name: /lost/ })).toBeVisible();
  await expect(page.getByRole("button", { name: /^topology/ })).toBeVisible();
  await page.getByRole("button", { name: /lost/ }).click();
  await expect(page.getByTestId("inputs-table")).toBeVisible();
  await openView(page, "Events & SQL", "By type");
  const download = page.waitForEvent("download");
  await page
    .getByRole("row", { name: /sched_switch/ })
    .getByRole("link", { name: "CSV" })
    .click();
  expect((await download).suggestedFilename()).toMatch(/sched_switch.*\.csv$/);
  expect(errors).toEqual([]);
});

test("an unknown analysis and an invalid link each end in one sentence", { tag: "@all" }, async ({
  page,
}) => {
  await page.goto(`${server.address}/a/nothing-here`);
  await expect(page.getByTestId("sentence")).toHaveText(/\.$/);
  await page.goto(`${server.address}/s`);
  await expect(page.getByTestId("sentence")).toContainText("incomplete");
  await page.goto(`${server.address}/#`);
  await page.goto(`${server.address}/s#not-a-key`);
  await expect(page.getByTestId("sentence")).toContainText("This link is wrong");
});
