// Raw events by a filter, sums of a window, sorted tables, and pictures of the timeline.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { openView, tableMenu, untilDrawn, viewIn, watchForErrors } from "./support/page.ts";
import { expect, serveSample, test } from "./support/test.ts";

const WINDOW = "w=23479835937~23524044432&open=0,1";
const sample = serveSample();
let address: string;

test.beforeAll(() => {
  address = `${sample.server.address}/a/${sample.analysis}`;
});

async function open(page: Page, query: string): Promise<string[]> {
  const errors = watchForErrors(page);
  await page.goto(`${address}?v=2&${query}`);
  await untilDrawn(page);
  return errors;
}

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

test("raw events: a filter, its errors, to the timeline and back", async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=types`);
  const rows = page.getByTestId("event-rows").locator("tbody tr[aria-rowindex]");
  const field = page.getByLabel("Filter of the events");

  await test.step("a click filters by type", async () => {
    await page.getByTestId("events-table").getByRole("button", { name: "sched_switch" }).click();
    await expect(field).toHaveValue("event == sched_switch");
    await expect(rows.first()).toContainText("prev_comm=");
  });

  await test.step("the service applies the filter, and the link has it", async () => {
    await field.fill('event == sched_switch && prev_comm ~ "ng_A" && cpu in 4-7');
    await expect(page.getByTestId("event-count")).toHaveText("13 in the window");
    await expect(rows).toHaveCount(13);
    for (const row of await rows.all()) await expect(row).toContainText(/[4-7]sched_switchprev_comm=ng_A/);
    await expect.poll(() => param(page, "ev")).toContain("prev_comm ~");
  });

  await test.step("a row goes to its time, the list stays, and the row of the slice is marked", async () => {
    await rows.nth(3).getByRole("button").click();
    await expect(page.getByTestId("slice-task")).toBeVisible();
    await expect.poll(() => viewIn(page).selection).toMatch(/^cpu:4@23490067033$/);
    await expect(page.getByRole("button", { name: "follow the window" })).toBeVisible();
    await expect(rows.nth(3)).toHaveClass(/selected/);
  });

  await test.step("the selected slice's next one marks another row", async () => {
    await page
      .getByRole("button", { name: "previous slice" })
      .or(page.getByTitle("Previous slice of this task (,)"))
      .click();
    await expect(rows.nth(3)).not.toHaveClass(/selected/);
  });

  await test.step("an error is one sentence with its position, and the field is invalid", async () => {
    await field.fill("event == sched_switch && prev_pid == bash");
    await expect(
      page.getByText("The filter is wrong at character 38: prev_pid is a number, found bash."),
    ).toBeVisible();
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await page.getByRole("button", { name: "how to filter" }).click();
    await expect(page.getByTestId("filter-rules")).toBeVisible();
    await expectAccessible(page);
    await field.fill("prev_pid == 750");
    await expect(field).toHaveAttribute("aria-invalid", "false");
    await expect(rows.first()).toContainText("prev_pid=750");
  });

  await test.step("the filtered events are exported", async () => {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    expect(text).toMatch(/^ts_ns,cpu,event_type,/);
    const count = Number(((await page.getByTestId("event-count").textContent()) ?? "").match(/^\d+/)?.[0]);
    expect(text.trim().split("\n")).toHaveLength(count + 1);
  });
  expect(errors).toEqual([]);
});

test("long lists load more rows as they are scrolled", async ({ page }) => {
  const errors = await open(page, "w=23000000000~24000000000&open=&d=rows&ev=");
  const table = page.getByTestId("event-rows");
  await expect(table).toBeVisible();
  expect(await table.locator("tbody tr").count()).toBeLessThan(80);
  const tall = () => table.evaluate((box) => box.scrollHeight);
  const before = await tall();
  await table.evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await expect.poll(tall).toBeGreaterThan(before * 1.5);
  expect(await table.evaluate((box) => box.scrollTop)).toBeGreaterThan(1000);
  expect(errors).toEqual([]);
});

test("sums follow the window: by task, node and cause; columns sort and filter", async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=tasks`);
  const rows = page.getByTestId("tasks-table").locator("tbody tr[aria-rowindex]");
  await expect(rows.first()).toContainText(/ms/);
  const ran = async () =>
    (await rows.locator("td:nth-child(3)").allTextContents()).filter((text) => text !== "–");
  const inMs = (text: string) =>
    Number.parseFloat(text) *
    ({ ns: 1e-6, µs: 1e-3, ms: 1, s: 1e3 }[text.replace(/[\d.,\s]/g, "")] ?? Number.NaN);

  await page.getByRole("columnheader", { name: "ran" }).getByRole("button").click();
  await expect(page.getByRole("columnheader", { name: "ran" })).toHaveAttribute("aria-sort", "descending");
  const down = (await ran()).map(inMs);
  expect(down).toEqual([...down].sort((a, b) => b - a));
  await page.getByRole("columnheader", { name: "ran" }).getByRole("button").click();
  const up = (await ran()).map(inMs);
  expect(up).toEqual([...up].sort((a, b) => a - b));

  await tableMenu(page, /Filter/);
  await page.getByLabel("Filter by ran", { exact: true }).fill(">5ms");
  await expect.poll(async () => Math.min(...(await ran()).map(inMs))).toBeGreaterThan(5);
  await expectAccessible(page);

  await openView(page, "NUMA", "Nodes");
  const nodes = page.getByTestId("node-sums").locator("tbody tr");
  await expect(nodes).toHaveCount(2);
  const idle = (await nodes.nth(1).locator("td").nth(1).textContent()) ?? "";
  await page.keyboard.press("Shift+F");
  await expect(nodes.nth(1).locator("td").nth(1)).not.toHaveText(idle);
  // A link to the sums by cause.
  await page.goto(`${address}?v=2&${WINDOW}&d=latency&lat=cause`);
  await expect(page.getByTestId("waits-table")).toContainText("all CPUs busy");
  await expectFits(page);
  expect(errors).toEqual([]);
});

test("the timeline is saved as PNG and as SVG", async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=findings`);
  const take = async (name: string) => {
    await page.keyboard.press("p");
    const dialog = page.getByRole("dialog", { name: "Save a picture" });
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name }).click();
    const file = await (await download).path();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    return readFile(file);
  };
  const png = await take("The timeline as PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  const svg = (await take("The timeline as SVG")).toString();
  const show = await page.context().newPage();
  const colours = async (source: string) => {
    await show.goto("about:blank");
    return show.evaluate(async (href) => {
      const image = new Image();
      // Not decode(), which waits for a frame: a page in the background may never have one.
      await new Promise((loaded, failed) => {
        image.onload = loaded;
        image.onerror = failed;
        image.src = href;
      });
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const ctx = canvas.getContext("2d");
      ctx?.drawImage(image, 0, 0);
      const { data } = ctx?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      const seen = new Set<number>();
      for (let i = 0; i < data.length; i += 4) {
        seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
      }
      return { width: canvas.width, colours: seen.size };
    }, source);
  };
  const box = await page.getByRole("region", { name: "Timeline" }).boundingBox();
  for (const source of [
    `data:image/png;base64,${png.toString("base64")}`,
    `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
  ]) {
    const answer = await colours(source);
    expect(Math.abs(answer.width - (box?.width ?? 0))).toBeLessThan(2);
    expect(answer.colours).toBeGreaterThan(100);
  }
  expect(svg.includes(">cpu 3</text>")).toBe(true);
  expect(svg.includes("<title>Two nodes under NUMA cling")).toBe(true);
  await show.close();
  expect(errors).toEqual([]);
});
