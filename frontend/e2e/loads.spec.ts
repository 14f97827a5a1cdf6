// Memory samples of a perf.data: where loads found their data, and whether memory followed a task.
import { join } from "node:path";
import { expectAccessible } from "./support/checks.ts";
import { openView, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { FIXTURES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

let server: Server;
const analyses: Record<string, string> = {};

test.beforeAll(async () => {
  server = await Server.start();
  for (const name of ["followed", "other-pages", "native"]) {
    analyses[name] = await server.added(
      [join(FIXTURES, `perf/mem-${name}.data.zst`)],
      `memory samples ${name}`,
    );
  }
  analyses["plain"] = await server.added([join(FIXTURES, "tc-small.v7-zstd.dat")], "without memory samples");
});

test.afterAll(async () => {
  await server.close();
});

test("loads of two nodes and a move between them", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await page.goto(`${server.address}/a/${analyses["followed"]}?v=2&d=loads`);
  await untilDrawn(page);
  await expect(page.getByTestId("loads-sum")).toContainText("852 from memory, 16 % of them another node's");
  await expect(page.getByTestId("loads-meanwhile")).toContainText("by NUMA balancing: 48");
  await expect(page.getByTestId("loads-move")).toContainText("memory followed and loads became faster");
  await expect(page.getByTestId("loads-by-node").locator("tbody tr")).toHaveCount(2);
  await expect(page.getByTestId("loads-between").locator("tbody tr")).toHaveCount(3);
  const drawer = page.getByRole("region", { name: "Drawer" });
  await expect(page.getByTestId("cache-lines").locator("tbody tr").first()).toContainText("(physical)");
  await pictured(page, "loads", { of: drawer, height: 800 });
  await openView(page, "NUMA", "LLC");
  await expect(page.getByTestId("process-distances-table")).toContainText("mover");
  await expectAccessible(page);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("memory that stays on the old node is recognized, and a click on a move goes there", async ({
  page,
}) => {
  await page.goto(`${server.address}/a/${analyses["other-pages"]}?v=2&d=nodes`);
  await untilDrawn(page);
  await openView(page, "NUMA", "Loads");
  const move = page.getByTestId("loads-move");
  await expect(move).toContainText("memory stayed behind");
  await expect(move).toContainText("0 of 48 pages");
  await page.getByTestId("memory-moves").getByRole("button", { name: "5.99998" }).click();
  await expect(page.getByRole("button", { name: "follow the window" })).toBeVisible();
});

test("the page says what was not recorded", async ({ page }) => {
  await page.goto(`${server.address}/a/${analyses["native"]}?v=2&d=loads`);
  await expect(page.getByTestId("loads-sum")).toContainText("mean latency not recorded");
  await expect(page.getByTestId("loads-sum")).toContainText("406 samples that show only where memory is");
  await page.goto(`${server.address}/a/${analyses["plain"]}?v=2&d=loads`);
  await expect(page.getByTestId("memory_samples-absent")).toContainText("perf mem record");
});
