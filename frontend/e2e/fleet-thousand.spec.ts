// Fleet questions over 1,200 analyses, whose summaries are derived from real recordings.
import type { Page } from "@playwright/test";
import type { FleetMachines, FleetUpgrade } from "../src/api/types.ts";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { fillFleet } from "./support/made-fleet.ts";
import { tableMenu, watchForErrors } from "./support/page.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const COUNT = 1200;
const WEEK = "from=2026-11-02&to=2026-11-08";
/** More elements mean that a list is not cut to what one reads. */
const MOST_ELEMENTS = 5000;
let server: Server;

test.beforeAll(async () => {
  server = await Server.start([], {}, (data) => fillFleet(data, COUNT));
});

test.afterAll(async () => {
  await server.close();
});

const rows = (page: Page, name: string) => page.getByTestId(name).locator("tbody tr");

async function fetched<T>(path: string): Promise<T> {
  const answer = await fetch(`${server.address}/api/v1/fleet/${path}`);
  expect(answer.ok).toBe(true);
  return (await answer.json()) as T;
}

async function settled(page: Page, query: string): Promise<void> {
  await page.goto(`${server.address}/fleet?${query}`);
  await expect(page.getByTestId("fleet")).toHaveAttribute("aria-busy", "false");
}

test.describe("over 1,200 analyses", { tag: "@all" }, () => {
  for (const [width, theme] of [
    [1400, "light"],
    [1400, "dark"],
    [420, "light"],
    [420, "dark"],
  ] as const) {
    test(`every question fits and is accessible, ${width} px, ${theme}`, async ({ browser }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
      const page = await context.newPage();
      const errors = watchForErrors(page);
      for (const [name, query] of [
        ["machines", WEEK],
        ["metric", "ask=metric&metric=wakeup_p99"],
        ["days", "ask=metric&metric=wakeup_p99&by=machine&every=day"],
        ["upgrade", "ask=upgrade"],
        ["findings", "ask=findings"],
        ["sql", "ask=sql&sql=SELECT+*+FROM+recordings"],
      ] as const) {
        await settled(page, query);
        expect(await page.locator("*").count()).toBeLessThan(MOST_ELEMENTS);
        await expectFits(page);
        // Tables of days and of a query's rows are built like the others, and axe takes long over so many fields.
        if (!["days", "sql"].includes(name)) await expectAccessible(page);
      }
      expect(errors).toEqual([]);
      await context.close();
    });
  }

  test("machines with flips in a week, most flips first, each a link to its recording", async ({ page }) => {
    await settled(page, WEEK);
    await expect(page.getByRole("status").first()).toHaveText("1,200 recordings of 40 machines");
    const { machines } = await fetched<FleetMachines>("machines?from=2026-11-02&to=2026-11-09");
    const having = machines.filter(({ flips }) => (flips ?? 0) > 0);
    expect(having.length).toBeGreaterThan(5);
    await expect(rows(page, "fleet-machines")).toHaveCount(machines.length);
    const upgrade = page.getByTestId("fleet-summary");
    await expect(upgrade).toContainText(`Busy nodes flipped on ${having.length} of `);
    const names = await rows(page, "fleet-machines").locator("th").allTextContents();
    expect(names).toEqual(machines.map(({ machine }) => machine));
    const first = rows(page, "fleet-machines").first();
    const flips = first.getByRole("link", {
      name: (having[0]?.flips ?? 0).toLocaleString("en-US"),
      exact: true,
    });
    await expect(flips).toHaveAttribute("href", new RegExp(`^/a/${having[0]?.most_flips}\\b`));
    await expect(first).toContainText("replayed");
  });

  test("by keyboard: to the first machine, and sort by another column", async ({ page }) => {
    await settled(page, WEEK);
    const first = rows(page, "fleet-machines").first().getByRole("link").first();
    await page.locator("body").press("Tab");
    for (let i = 0; i < 60 && !(await first.evaluate((link) => link === document.activeElement)); i += 1) {
      await page.keyboard.press("Tab");
    }
    await expect(first).toBeFocused();
    const head = page.getByTestId("fleet-machines").getByRole("button", { name: "recordings" });
    await head.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("columnheader", { name: "recordings" })).toHaveAttribute(
      "aria-sort",
      "descending",
    );
    const column = await page.getByTestId("fleet-machines").locator("thead th").allTextContents();
    const place = column.indexOf("recordings");
    const counts = (
      await rows(page, "fleet-machines")
        .locator(`:nth-child(${place + 1})`)
        .allTextContents()
    ).map(Number);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  test("a metric by machine and day shows its first 200 rows, and the filter finds the others", async ({
    page,
  }) => {
    await settled(page, "ask=metric&metric=wakeup_p99&by=machine&every=day");
    await expect(rows(page, "fleet-series")).toHaveCount(200);
    await expect(page.getByText(/The first 200 of \d[\d,]* rows/)).toBeVisible();
    await tableMenu(page, /Filter/);
    await page.getByRole("searchbox", { name: "Filter by machine" }).fill("node07");
    await expect(rows(page, "fleet-series").filter({ hasNotText: "node07" })).toHaveCount(0);
    await expect(rows(page, "fleet-series").first()).toContainText("node07");
    const link = rows(page, "fleet-series")
      .first()
      .getByRole("link", { name: /the latest of node07, 2026-/ });
    await expect(link).toHaveAttribute("href", /^\/a\/made\d{5}/);
  });

  test("metrics that changed with the upgrade come first, and only they have a colour", async ({ page }) => {
    await settled(page, "ask=upgrade");
    const upgrade = await fetched<FleetUpgrade>("upgrade");
    const changed = upgrade.rows.filter((row) => row.significant_2020 || row.significant_2024);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(upgrade.rows.length);
    await expect(page.getByTestId("fleet-summary")).toContainText(
      `${changed.length} of ${upgrade.rows.length} metrics changed`,
    );
    const table = rows(page, "fleet-upgrade");
    await expect(table).toHaveCount(upgrade.rows.length);
    for (let place = 0; place < upgrade.rows.length; place += 1) {
      const star = (await table.nth(place).textContent())?.includes("★");
      expect(star).toBe(place < changed.length);
      if (!star) await expect(table.nth(place).locator(".compare-better, .compare-worse")).toHaveCount(0);
    }
    await expect(page.getByRole("link", { name: "Compare the latest" })).toHaveAttribute(
      "href",
      /^\/compare\?ids=made/,
    );
  });

  test("the page says that a question is running, why it failed, and that nothing matches", async ({
    page,
  }) => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/v1/fleet/machines**", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.address}/fleet`);
    await expect(page.getByTestId("fleet")).toHaveAttribute("aria-busy", "true");
    await expect(page.getByText("asking…")).toBeVisible();
    answer();
    await expect(page.getByTestId("fleet")).toHaveAttribute("aria-busy", "false");
    await expect(page.getByText("asking…")).toHaveCount(0);
    await settled(page, "ask=upgrade&machine=nobody");
    await expect(page.getByRole("alert")).toHaveText(/Comparing needs two kernels/);
    await settled(page, "from=2030-01-01&to=2030-01-02");
    await expect(page.getByText("No matching data in the selected analyses")).toBeVisible();
  });
});
