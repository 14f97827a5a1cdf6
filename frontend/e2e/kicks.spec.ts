// A probed idle load balancer: five seconds of a real guest, from the finding to one dropped kick.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { choose, openView, shareOfColour, untilDrawn, watchForErrors } from "./support/page.ts";
import { FIXTURES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const RECORDING = `${FIXTURES}/idle-6.1-2x4.part.v7-none.dat.zst`;
const TOPOLOGY = `${FIXTURES}/sidecars/2x4.numactl-H.txt`;
/** By `trace-cmd report`: `nohz_csd_func` on CPU 4 without a `softirq_raise` of SCHED after it. */
const DROPPED_AT = 17_807_110_784n;

let server: Server;

test.beforeAll(async () => {
  server = await Server.start();
});

test.afterAll(async () => {
  await server.close();
});

test.use({ viewport: { width: 1440, height: 1000 } });

const param = (page: Page, key: string) => new URL(page.url()).searchParams.get(key);

async function boxOf(page: Page, testId: string) {
  const box = await page.getByTestId(testId).boundingBox();
  if (!box) throw new Error(`${testId} has no place on the page`);
  return box;
}

test("(d) a dropped kick is found and explained", async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${server.address}/`);
  await choose(page, RECORDING, TOPOLOGY);
  await page.waitForURL(/\/a\//, { timeout: 60_000 });
  await untilDrawn(page);

  await test.step("the finding leads to its panel", async () => {
    const rows = page.getByTestId("findings-table").locator("tbody tr");
    await rows.filter({ hasText: "Idle CPUs balanced too late" }).getByRole("button").first().click();
    await expect(page.getByTestId("note-ilb")).toHaveAttribute("data-state", "ready");
    await expect(page.getByTestId("note-ilb")).toContainText("15 kicks, 3 dropped");
    await expect(page.getByTestId("kicks-lane")).toBeVisible();
  });

  await test.step("a kick says what became of it", async () => {
    const window = `${DROPPED_AT - 30_000_000n}~${DROPPED_AT + 30_000_000n}`;
    await page.goto(`${page.url().split("?")[0]}?v=2&d=none&p=ilb:1.6,nodes,cling,psi,memory&w=${window}`);
    await untilDrawn(page);
    await expect(page.getByTestId("note-ilb")).toHaveAttribute("data-state", "ready");
    const lane = await boxOf(page, "kicks-lane");
    const plot = await boxOf(page, "plot");
    const x = plot.x + plot.width / 2;
    const strip = { x: x - 8, y: lane.y, width: 16, height: 16 };
    await expect.poll(() => shareOfColour(page, strip, "--cost")).toBeGreaterThan(0.03);
    await page.mouse.move(x, lane.y + 8);
    const tip = page.getByRole("tooltip");
    await expect(tip).toContainText("kick dropped");
    await expect(tip).toContainText("nohz_csd_func");
    await page.mouse.click(x, lane.y + 8);
    const facts = page.getByTestId("picked-facts");
    await expect(facts).toContainText("kick dropped");
    await expect(facts).toContainText("CPU 4");
    await expect(facts).toContainText("no softirq was raised");
    await expect.poll(() => param(page, "g")).toBe(`ilb:kicks@${DROPPED_AT}`);
    await page.mouse.move(plot.x + 4, plot.y + plot.height - 4);
  });
  await test.step("the recording is exported as a Perfetto trace", async () => {
    await openView(page, "Events & SQL", "By type");
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "the whole" }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe("trace.pftrace");
    const bytes = await readFile(await download.path());
    // A packet, and a generic event described by its name.
    expect(bytes[0]).toBe(0x0a);
    expect(bytes.includes("nohz_csd_func")).toBe(true);
    expect(bytes.includes("Idle load balancer")).toBe(true);
  });
  expect(errors).toEqual([]);
});
