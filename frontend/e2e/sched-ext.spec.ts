// A BPF scheduler that stalls a task: the cause of the wait, the kernel's dump, and the distances of migrations.
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { choose, drop, openView, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { FIXTURES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const BUNDLE = fileURLToPath(new URL("../../samples/scenarios/scx/bundle.tar.zst", import.meta.url));

let server: Server;

test.beforeAll(async () => {
  server = await Server.start();
});

test.afterAll(async () => {
  await server.close();
});

async function opened(page: Page, ...files: string[]) {
  const errors = watchForErrors(page);
  await page.goto(`${server.address}/`);
  const [file = "", ...others] = files;
  if (others.length > 0) await choose(page, ...files);
  else await drop(page, file);
  await page.waitForURL(/\/a\/[\w-]+/, { timeout: 90_000 });
  return errors;
}

test("a stall is shown with the scheduler's queue and its dump", { tag: "@pictures" }, async ({
  browser,
}) => {
  const page = await plainPage(browser, "light");
  const errors = await opened(page, BUNDLE);
  await untilDrawn(page);
  await expect(page.getByTestId("causes").getByRole("button").first()).toContainText(
    "Stalled by the BPF scheduler",
  );
  await expect(page.getByTestId("note-ilb")).toContainText("Load balancing does not move tasks of sched_ext");
  await openView(page, "Tasks", "sched_ext");
  await expect(page.getByTestId("scx-reason")).toContainText("runnable task stall (held[");
  const held = page.getByTestId("scx-tasks").getByRole("row", { name: /^held/ });
  await expect(held).toContainText("0x4e1d (its own)");
  await expect(page.getByTestId("scx-cpus")).toContainText("idle");
  await expect(page.getByTestId("scx-loaded")).toContainText("all of the fair class's policies");
  await expect(page.getByTestId("scx-waiting")).toContainText("replayed");
  await expect(page.getByTestId("scx-counters")).toContainText("SCX_EV_BYPASS_ACTIVATE");
  const drawer = page.getByRole("region", { name: "Drawer" });
  await pictured(page, "sched-ext", { of: drawer, height: 800 });

  await openView(page, "NUMA", "LLC");
  const rows = page.getByTestId("distances-table").locator("tbody tr");
  await expect(rows.first()).toContainText("same CPU");
  await expect(page.getByTestId("distances-machine")).toContainText("Last-level caches: CPU 0; CPU 1");
  await pictured(page, "distances", { of: drawer, height: 800 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the view Domains shows the counters of perf sched stats", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = await opened(page, `${FIXTURES}/perf/sched-stats-7.2.data`);
  await openView(page, "NUMA", "Domains");
  await expect(page.getByText("whose times are not recorded")).toBeVisible();
  await expect(page.getByTestId("domains-table")).toContainText("1 NUMA");
  await pictured(page, "domains", { of: page.getByRole("region", { name: "Drawer" }), height: 800 });
  expect(errors).toEqual([]);
  await page.context().close();
});
