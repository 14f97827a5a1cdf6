// Questions over all analyses: machines with flips, their recordings, changes with an upgrade, and a comparison.
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { untilDrawn, watchForErrors } from "./support/page.ts";
import { FIXTURES, SAMPLE_FOLDER } from "./support/recording.ts";
import { extra } from "./support/scope.ts";
import { Server } from "./support/server.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();
let heavy: string;

test.beforeAll(async () => {
  const { server } = sample;
  heavy = sample.analysis;
  const numa = await server.added(
    [join(FIXTURES, "cling-2x4-small.v7-zstd.dat"), join(SAMPLE_FOLDER, "lscpu-p.txt")],
    "numa",
  );
  const newer = await server.added([join(FIXTURES, "tc-small.v7-zstd.dat")], "newer kernel");
  for (const [id, tags] of [
    [heavy, ["machine:db7", "storage"]],
    [numa, ["machine:db8"]],
    [newer, ["machine:db7"]],
  ] as const) {
    await fetch(`${server.address}/api/v1/analyses/${id}`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ tags }),
    });
  }
});

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

for (const theme of ["light", "dark"] as const) {
  test(
    `machines with flips, and changes with the new kernel, ${theme}`,
    extra(theme === "dark"),
    async ({ browser }) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        colorScheme: theme,
      });
      const page = await context.newPage();
      const errors = watchForErrors(page);
      const check = async () => {
        await expectAccessible(page);
        await expectFits(page);
      };
      const machines = page.getByTestId("fleet-machines").locator("tbody tr");

      await test.step("from the list to the machines", async () => {
        await page.goto(sample.server.address);
        await page.getByRole("link", { name: "Fleet" }).click();
        await expect(machines).toHaveCount(2);
        await expect(page.getByRole("status").first()).toHaveText("3 recordings of 2 machines");
        // db7 has the sample, in which nodes became busy for the four groups 276 times.
        await expect(machines.first()).toContainText("db7");
        await expect(machines.first()).toContainText("276");
        await check();
      });

      await test.step("a range of days is in the address and limits the recordings", async () => {
        await page.getByLabel("Time", { exact: true }).selectOption("between");
        await page.getByLabel("from", { exact: true }).fill("2026-11-21");
        await page.getByLabel("to", { exact: true }).fill("2026-11-21");
        await expect(machines).toHaveCount(1);
        expect([param(page, "from"), param(page, "to")]).toEqual(["2026-11-21", "2026-11-21"]);
        await page.reload();
        await expect(machines).toHaveCount(1);
        await page.getByLabel("from", { exact: true }).fill("2026-11-01");
        await page.getByLabel("to", { exact: true }).fill("2026-11-20");
        await expect(page.getByText("No matching data in the selected analyses")).toBeVisible();
        await page.getByLabel("Time", { exact: true }).selectOption("");
        await expect(machines).toHaveCount(2);
      });

      await test.step("the number of flips leads to the recording, and Back to the question", async () => {
        await machines.first().getByRole("link", { name: "276" }).click();
        await untilDrawn(page);
        expect(new URL(page.url()).pathname).toBe(`/a/${heavy}`);
        await page.goBack();
        await expect(machines).toHaveCount(2);
      });

      await test.step("the changes with the new kernel lead to a comparison", async () => {
        await machines.first().getByRole("link", { name: "and 1 before" }).click();
        const rows = page.getByTestId("fleet-upgrade").locator("tbody tr");
        await expect(rows.filter({ hasText: "Wakeup latency p99" })).toHaveCount(1);
        expect([param(page, "ask"), param(page, "machine")]).toEqual(["upgrade", "db7"]);
        await expect(page.getByRole("listitem").first()).toContainText("6.1.192-cling");
        await check();
        await page.getByRole("link", { name: "Compare the latest" }).click();
        await expect(page.getByTestId("comparison")).toBeVisible();
        await expect.poll(() => param(page, "ids")?.split(",")[0]).toBe(heavy);
        await page.goBack();
        await expect(rows.first()).toBeVisible();
      });

      await test.step("a metric over time", async () => {
        await page.getByRole("button", { name: "A metric over time" }).click();
        await page.getByLabel("Metric").selectOption("busy");
        await page.getByLabel("Groups").selectOption("tag");
        await page.getByLabel("Period").selectOption("day");
        await page.getByLabel("machine", { exact: true }).selectOption("");
        await expect(page.getByTestId("fleet-chart")).toBeVisible();
        const groups = page.getByTestId("fleet-series").locator("tbody tr");
        await expect(groups.filter({ hasText: "storage" })).toHaveCount(1);
        expect([param(page, "metric"), param(page, "by"), param(page, "every")]).toEqual([
          "busy",
          "tag",
          "day",
        ]);
        await check();
      });

      await test.step("findings over time", async () => {
        await page.getByRole("button", { name: "Findings over time" }).click();
        const found = page.getByTestId("fleet-findings").locator("tbody tr");
        await expect(found.filter({ hasText: "Busy node releases its tasks" }).first()).toBeVisible();
        await check();
      });

      await test.step("in SQL; a forbidden query ends in one sentence", async () => {
        await page.getByRole("button", { name: "In SQL" }).click();
        await page.getByRole("button", { name: "Ask" }).click();
        await expect(page.getByTestId("fleet-rows").locator("tbody tr").first()).toContainText("db7");
        await check();
        await page.getByRole("textbox").fill("SELECT * FROM read_csv('/etc/passwd')");
        await page.getByRole("textbox").press("Control+Enter");
        await expect(page.getByTestId("fleet-problem")).toContainText("Permission Error");
        await expectAccessible(page);
      });
      // The forbidden query is part of the test.
      expect(errors.filter((error) => !/422/.test(error))).toEqual([]);
      await context.close();
    },
  );
}

test("an empty fleet says how to add recordings", { tag: "@all" }, async ({ page }) => {
  const empty = await Server.start();
  try {
    await page.goto(`${empty.address}/fleet?ask=metric`);
    await expect(page.getByTestId("fleet-empty")).toContainText("machine:db7");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Add recordings" }).click();
    await expect(page.getByText("Find out why a task waited, in three steps")).toBeVisible();
  } finally {
    await empty.close();
  }
});
