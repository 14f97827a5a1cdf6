// Every table of the drawer can be sorted, filtered and exported as shown; lanes can be pinned.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { tableFromIPC } from "@uwdata/flechette";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { tableMenu, untilDrawn, watchForErrors } from "./support/page.ts";
import { extra } from "./support/scope.ts";
import { expect, serveSample, test } from "./support/test.ts";

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

async function saved(page: Page, label: string, format: "CSV" | "Arrow"): Promise<Buffer> {
  const download = page.waitForEvent("download");
  await tableMenu(page, new RegExp(format), label);
  return readFile(await (await download).path());
}

/** Tabs with their tables: test id, label, and a column of numbers. */
const TABLES = [
  ["d=tasks", "tasks-table", "Tasks", "in the recording"],
  ["d=nodes", "node-sums", "Aggregate by node", "busy"],
  ["d=ops", "ops-table", "Ops", "by its rules"],
  ["d=ops", "attempts-table", "NUMA balancing attempts", "start, s"],
  ["d=cling", "groups-table", "Numa groups", "to node 0"],
  ["d=memory", "equivalents-table", "The statistics of 2010 today", "in the window"],
  ["d=findings", "findings-table", "Findings", "cost"],
  ["d=pressure", "pressure-table", "Pressure of the whole system", "in the window"],
  ["d=inputs", "inputs-table", "Inputs", "holds"],
] as const;

/** Tables of the gate: a plain one, and one that draws only the rows on the screen. */
const OF_GATE: readonly string[] = ["Tasks", "NUMA balancing attempts"];

for (const [query, testId, label, column] of TABLES) {
  test(
    `${label}: sorted by keyboard, filtered, exported as shown`,
    extra(!OF_GATE.includes(label)),
    async ({ page }) => {
      const errors = await open(page, query);
      const table = page.getByTestId(testId);
      const head = table.getByRole("columnheader", { name: column, exact: true });
      await expect(head).toHaveAttribute("aria-sort", "none");
      await head.getByRole("button").focus();
      await page.keyboard.press("Enter");
      await expect(head).toHaveAttribute("aria-sort", "descending");
      await page.keyboard.press("Enter");
      await expect(head).toHaveAttribute("aria-sort", "ascending");

      const lines = (text: Buffer) => text.toString().trim().split("\r\n").length - 1;
      const all = lines(await saved(page, label, "CSV"));
      expect(all).toBeGreaterThan(0);
      expect(tableFromIPC(await saved(page, label, "Arrow")).numRows).toBe(all);
      const tools = page.getByRole("group", { name: `Tools of ${label}`, exact: true });
      await tableMenu(page, /Filter/, label);
      await table.getByLabel(`Filter by ${column}`, { exact: true }).fill("<-1");
      expect(lines(await saved(page, label, "CSV"))).toBe(0);
      await expect(tools.getByRole("status")).toHaveText(`0 of ${all.toLocaleString("en")}`);
      await expectAccessible(page);
      await expectFits(page);
      expect(errors).toEqual([]);
    },
  );
}

test("lanes are pinned by button, context click and palette, and the link keeps them", async ({ page }) => {
  const errors = await open(page, "w=23479835937~23524044432&open=0,1&d=none");
  await page.getByRole("button", { name: "Pin node 1" }).click();
  await expect.poll(() => param(page, "pin")).toBe("node:1");
  const strip = page.getByRole("group", { name: "Pinned lanes" });
  await expect(strip).toContainText("node 1");

  await page.locator(".cpu-name", { hasText: "cpu 2" }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Pin CPU 2" }).click();
  await expect.poll(() => param(page, "pin")).toBe("node:1,cpu:2");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("pin cpu 6");
  await page.keyboard.press("Enter");
  await expect.poll(() => param(page, "pin")).toBe("node:1,cpu:2,cpu:6");

  const at = () => strip.locator(".cpu-name", { hasText: "cpu 6" }).boundingBox();
  const before = await at();
  await page.getByTestId("lanes").evaluate((box) => {
    box.scrollTop = 400;
  });
  expect((await at())?.y).toBe(before?.y);
  // A click selects the slice of the pinned lane under the pointer.
  const plot = await page.getByTestId("plot").boundingBox();
  await page.mouse.click(
    (plot?.x ?? 0) + (plot?.width ?? 0) * 0.3,
    (before?.y ?? 0) + (before?.height ?? 0) / 2,
  );
  await expect.poll(() => param(page, "sel")).toMatch(/^cpu:6@/);
  await page.keyboard.press("t");
  await expectAccessible(page);

  await page.reload();
  await untilDrawn(page);
  await expect(strip.locator(".cpu-name")).toHaveText(["cpu 2", "cpu 6"]);
  await strip.getByRole("button", { name: "Unpin node 1" }).press("Enter");
  await expect.poll(() => param(page, "pin")).toBe("cpu:2,cpu:6");
  await page.goBack();
  await expect(strip).toContainText("node 1");
  expect(errors).toEqual([]);
});
