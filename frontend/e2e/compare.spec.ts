// A comparison of two kernels: the sample, and a smaller recording of the same machine.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { untilDrawn, watchForErrors } from "./support/page.ts";
import { FIXTURES, SAMPLE_FOLDER } from "./support/recording.ts";
import { extra } from "./support/scope.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();
let heavy: string;
let small: string;
let failed: string;

test.beforeAll(async () => {
  const { server } = sample;
  heavy = sample.analysis;
  small = await server.added(
    [join(FIXTURES, "cling-2x4-small.v7-zstd.dat"), join(SAMPLE_FOLDER, "lscpu-p.txt")],
    "small",
  );
  failed = await server.added([join(SAMPLE_FOLDER, "uname.txt")], "broken");
});

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const statistics = (page: Page, name: string) =>
  page.getByTestId("compare-statistics").getByRole("row", { name: new RegExp(`^${name}`) });

async function open(page: Page, query = `ids=${heavy},${small}`) {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/compare?${query}`);
  await expect(page.getByTestId("comparison")).toBeVisible();
  return errors;
}

for (const theme of ["light", "dark"] as const) {
  for (const width of [1280, 1920]) {
    test(
      `two kernels are compared, starting from the list, ${theme}, ${width} px`,
      extra(theme === "dark" || width > 1280),
      async ({ browser }) => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
        const page = await context.newPage();
        const errors = watchForErrors(page);
        const check = async () => {
          await expectFits(page);
          await expectAccessible(page);
        };
        await page.goto(`${sample.server.address}/`);
        const boxes = page.getByTestId("analyses").getByRole("checkbox");
        // The broken one cannot be compared.
        await expect(boxes).toHaveCount(2);
        await boxes.nth(1).check();
        await expect(page.getByRole("button", { name: "Compare 1" })).toBeDisabled();
        await boxes.nth(0).check();
        await check();
        await page.getByRole("button", { name: "Compare 2" }).click();
        await expect(page.getByTestId("comparison")).toBeVisible();
        // The first choice is the baseline.
        await expect.poll(() => param(page, "ids")).toBe(`${heavy},${small}`);

        const warnings = page.getByTestId("compare-warnings");
        await expect(warnings).toContainText("Not comparable");
        await expect(warnings).toContainText("A is 45.3 s long, B is 14.2 s long");
        const decisions = page.getByRole("region", { name: "Decisions" });
        await expect(decisions).toContainText("No decision changed beyond noise.");
        await expect(page.getByTestId("heat-map")).toHaveCount(2);
        await expect(page.getByTestId("heat-map").first()).toHaveAttribute(
          "aria-label",
          /A, CPU use by node in steps of 2 s: node 0 97 % on average/,
        );
        const ops = page.getByTestId("compare-ops");
        const noCpu = ops.getByRole("row", { name: /^Migrate failed no CPU/ }).getByRole("cell");
        await expect(noCpu.nth(0)).toHaveText(/^\s*349\s*7\.71\/s$/);
        await expect(statistics(page, "Node 0 busy")).toContainText("97.58 %");
        await expect(page.getByTestId("findings-only")).toContainText("NUMA_LB_FIGHT");
        await expect(page.getByTestId("compare-nothing")).toContainText("/proc/vmstat");
        await check();
        await page.getByRole("button", { name: "all numbers" }).click();
        await expect(page.getByTestId("compare-statistics")).toContainText("first quartile");
        await page.getByRole("button", { name: "up to a length" }).click();
        await page.getByRole("button", { name: "own time scales" }).click();
        await check();
        expect(errors).toEqual([]);
        await context.close();
      },
    );
  }
}

test("the rule of significance, the baseline and the scales are in the address", async ({ page }) => {
  const errors = await open(page);
  const busy = statistics(page, "Node 0 busy");
  await expect(busy).toContainText("★");
  await page.getByRole("button", { name: "intervals (2024)" }).click();
  await expect(busy).not.toContainText("★");
  await expect.poll(() => param(page, "rule")).toBe("2024");
  await expect(busy).toContainText("−11.94 %");

  await page.getByRole("button", { name: "Make baseline" }).click();
  await expect(page.getByTestId("compare-cards").locator(".tag")).toHaveCount(1);
  await expect(busy).toContainText("+13.56 %");
  await expect.poll(() => param(page, "base")).toBe("1");

  await page.getByRole("combobox", { name: "step" }).selectOption({ label: "5 s" });
  await expect(page.getByTestId("heat-map").first()).toHaveAttribute("aria-label", /steps of 5 s/);
  await page.goBack();
  await expect(page.getByTestId("heat-map").first()).toHaveAttribute("aria-label", /steps of 2 s/);
  await page.goBack();
  await expect(busy).toContainText("−11.94 %");
  await page.reload();
  await expect(busy).toContainText("−11.94 %");
  await expect(page.getByRole("button", { name: "intervals (2024)" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  expect(errors).toEqual([]);
});

test("a time range is compared, by pointer and by keyboard", async ({ page }) => {
  const errors = await open(page);
  const maps = page.getByTestId("heat-map");
  await maps.nth(1).scrollIntoViewIfNeeded();
  const box = await maps.nth(1).boundingBox();
  if (!box) throw new Error("no heat map");
  await page.mouse.move(box.x + 120, box.y + 30);
  await expect(page.locator(".compare-readout").first()).toContainText("0 ns – 2 s: node 0");
  await page.mouse.down();
  await page.mouse.move(box.x + 320, box.y + 30, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => param(page, "w")).toMatch(/^0~\d+~\d+,1~\d+~\d+$/);
  await expect(page.getByRole("button", { name: "whole" })).toHaveCount(2);
  // Both have the same range now, because they share a scale.
  await expect(page.getByTestId("compare-warnings")).not.toContainText("long;");
  await page.getByRole("button", { name: "whole" }).first().click();
  await page.getByRole("button", { name: "whole" }).first().click();
  await expect.poll(() => param(page, "w")).toBeNull();

  await page.getByRole("button", { name: "own time scales" }).click();
  await expect(maps.first()).toHaveAttribute("aria-label", /steps of 2 s/);
  await maps.first().focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".compare-readout").first()).toContainText("2 s – 4 s: node 0");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Enter");
  await expect.poll(() => param(page, "w")).toMatch(/^0~\d+~\d+$/);
  const [, from, to] = (param(page, "w") ?? "").split("~").map(Number);
  expect((to ?? 0) - (from ?? 0)).toBe(6e9);
  await expect(page.getByTestId("compare-cards")).toContainText("6 s");
  expect(errors).toEqual([]);
});

test("several runs form one side, and can leave it", { tag: "@all" }, async ({ page }) => {
  const errors = await open(page, `ids=${heavy},${small},${small},${heavy}`);
  const cards = page.getByTestId("compare-cards").getByRole("listitem");
  await expect(page.getByTestId("compare-warnings")).toContainText("are the same recording");
  await page.getByRole("button", { name: "Another run of A" }).click();
  await expect(cards.nth(1)).toContainText("A2");
  await page.getByRole("button", { name: "Another run of B" }).click();
  await expect(cards.nth(3)).toContainText("B2");
  await expect(page.getByRole("region", { name: "Statistics", exact: true })).toContainText(
    "One value for each run",
  );
  await expect.poll(() => param(page, "ids")).toBe(`${heavy}:${small},${small}:${heavy}`);
  await page.getByRole("button", { name: "Own side" }).last().click();
  await expect(cards.nth(3)).toContainText("C");
  await page.getByRole("button", { name: "Remove A1" }).click();
  await expect(cards).toHaveCount(3);
  await expect.poll(() => param(page, "ids")).toBe(`${small},${small},${heavy}`);
  expect(errors).toEqual([]);
});

test("a table is exported with exact numbers", async ({ page }) => {
  await open(page);
  const saved = page.waitForEvent("download");
  await page.getByRole("region", { name: "Ops", exact: true }).getByRole("button", { name: "CSV" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("compare-ops.csv");
  const lines = (await readFile((await file.path()) ?? "", "utf8")).split("\r\n");
  expect(lines[0]).toContain("row,title,unit,better,side,name,total,mean");
  expect(lines[1]).toMatch(/^migrate_failed_no_cpu,Migrate failed no CPU,,lower,A,.*,349,7\.70/);
});

test("the page asks what to compare with, and says why something cannot be compared", {
  tag: "@all",
}, async ({ page, browser }) => {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${heavy}`);
  await untilDrawn(page);
  await page.getByRole("link", { name: "Compare with…" }).click();
  await expect(page.getByRole("heading", { name: "Compare with what?" })).toBeVisible();
  await expectAccessible(page);
  await page.getByTestId("compare-picker").getByRole("button").click();
  await expect(page.getByTestId("comparison")).toBeVisible();
  await expect.poll(() => param(page, "ids")).toBe(`${heavy},${small}`);

  await page.goto(`${sample.server.address}/compare`);
  await expect(page.getByRole("heading", { name: "Compare what?" })).toBeVisible();

  await page.goto(`${sample.server.address}/compare?ids=${heavy},nobody`);
  await expect(page.getByTestId("sentence")).toHaveText("There is no such analysis.");
  await page.goto(`${sample.server.address}/compare?ids=${heavy},${failed}`);
  await expect(page.getByTestId("sentence")).toContainText("broken: This analysis could not be read");

  await test.step("a slow service, and one that is unavailable for a while", async () => {
    let away = 1;
    await page.route("**/api/v1/compare?*", async (route) => {
      if (away > 0) {
        away -= 1;
        await route.abort();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.goto(`${sample.server.address}/compare?ids=${heavy},${small}`);
    await expect(page.getByTestId("sentence")).toContainText("does not answer");
    // The page tries again by itself, and shows the error until then.
    await expect(page.getByText("trying again…")).toBeVisible();
    await expect(page.getByTestId("comparison")).toBeVisible();
    await page.reload();
    await expect(page.getByRole("heading", { name: "Comparing" })).toBeVisible();
    await expect(page.getByTestId("comparison")).toBeVisible();
    await page.unroute("**/api/v1/compare?*");
  });

  await test.step("a guest with a link cannot compare", async () => {
    const made = await fetch(`${sample.server.address}/api/v1/analyses/${heavy}/shares`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ view: "?v=2", expires_in_s: null }),
    });
    const { token } = (await made.json()) as { token: string };
    const guest = await (await browser.newContext()).newPage();
    await guest.goto(`${sample.server.address}/s#${token}`);
    await untilDrawn(guest);
    await expect(guest.getByRole("link", { name: "Compare with…" })).toHaveCount(0);
    await guest.context().close();
  });
  expect(errors).toEqual([]);
});
