// Stacks of perf.data and ftrace: the flame graph by pointer and by keyboard, its functions, samples as ticks on the CPU lanes,
// and the hardware lanes.
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { openView, plainPage, tableMenu, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { FIXTURES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const fixture = (name: string) => join(FIXTURES, name);

let server: Server;
const analyses = { perf: "", ftrace: "", plain: "" };

test.beforeAll(async () => {
  server = await Server.start();
  const perf = [fixture("stacks/perf-g.data.zst"), fixture("stacks/kallsyms.zst")];
  analyses.perf = await server.added(perf, "perf with stacks");
  analyses.ftrace = await server.added([fixture("stacks/trace-stacktrace.dat.zst")], "ftrace with stacks");
  analyses.plain = await server.added([fixture("tc-small.v7-zstd.dat")], "without stacks");
});

test.afterAll(async () => {
  await server.close();
});

async function open(page: Page, name: keyof typeof analyses, query: string): Promise<void> {
  await page.goto(`${server.address}/a/${analyses[name]}?v=2&${query}`);
  await untilDrawn(page);
}

test("the flame graph of a perf.data", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await open(page, "perf", "d=stacks");
  await expect(page.getByTestId("stacks-sums")).toContainText("78 samples");
  const drawer = page.getByRole("region", { name: "Drawer" });
  await pictured(page, "stacks", { of: drawer, height: 800 });
  await page.getByRole("button", { name: "By time" }).click();
  await page.getByLabel("Highlight functions by name or file").fill("schedule");
  await expect(page.getByTestId("flame-found")).toContainText("functions");
  await pictured(page, "stacks-time", { of: drawer, height: 800 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("by keyboard alone: to a function, into it, and back", async ({ page }) => {
  await open(page, "ftrace", "d=stacks");
  const flame = page.getByTestId("flame");
  const readout = page.getByTestId("flame-readout");
  await expect(flame).toHaveAttribute("aria-label", /^Flame graph of \d+ samples, the largest first/);
  await flame.focus();
  await page.keyboard.press("ArrowDown");
  const outermost = await readout.textContent();
  expect(outermost).toMatch(/: \d+ samples, \d/);
  await page.keyboard.press("ArrowDown");
  await expect(readout).not.toHaveText(outermost ?? "");
  const inner = await readout.textContent();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "whole graph" })).toBeVisible();
  await page.keyboard.press("ArrowUp");
  await expect(readout).toHaveText(outermost ?? "");
  await page.keyboard.press("ArrowDown");
  await expect(readout).toHaveText(inner ?? "");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "whole graph" })).toHaveCount(0);
});

test("a click zooms, a row of the table highlights, and an event narrows", async ({ page }) => {
  await open(page, "perf", "d=tasks");
  await openView(page, "Tasks", "Stacks");
  const box = await page.getByTestId("flame").boundingBox();
  if (!box) throw new Error("there is no graph");
  await page.mouse.click(box.x + 20, box.y + 9);
  await expect(page.getByRole("button", { name: "whole graph" })).toBeVisible();
  await page.getByRole("button", { name: "whole graph" }).click();
  const schedule = page
    .getByTestId("stack-functions")
    .getByRole("button", { name: "__schedule", exact: true });
  await schedule.click();
  await expect(page.getByLabel("Highlight functions by name or file")).toHaveValue("__schedule");
  await expect(page.getByTestId("flame-found")).toContainText("14 samples");
  await page.getByLabel("Sampled event").selectOption({ label: "sched:sched_switch (14)" });
  await expect(page.getByTestId("stacks-sums")).toContainText("14 samples");
  await page.getByLabel("Sampled event").selectOption({ label: "cpu-clock (64)" });
  await expect(page.getByTestId("stacks-sums")).toContainText("64 samples, 321.");
  await tableMenu(page, /CSV/, "Functions");
});

test("the page says what was not sampled, and how to record it", async ({ page }) => {
  await open(page, "plain", "d=stacks");
  await expect(page.getByTestId("stacks-absent")).toContainText("perf record -a -g");
});

test("samples on CPU lanes, and the hardware lanes", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await open(page, "ftrace", "d=none&open=0");
  await expect(page.getByRole("button", { name: /^hardware/i })).toHaveCount(0);
  await page.getByRole("button", { name: "Panels" }).click();
  await page.getByRole("menuitemcheckbox", { name: "hardware" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("hardware-softirq")).toHaveCount(2);
  await pictured(page, "hardware", { height: 560, sight: page.getByTestId("hardware-softirq").last() });
  expect(errors).toEqual([]);
  await page.context().close();
});
