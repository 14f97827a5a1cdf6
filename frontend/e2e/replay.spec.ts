// The sample's findings, waits, pressure and nodes, as the engine replays them.
import { openView, untilDrawn, viewIn, watchForErrors } from "./support/page.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

/** Exact ns in the titles of a table's cells. */
const exactNs = (titles: (string | null)[]) =>
  titles.map((title) => Number((title ?? "").replace(/\D/g, "")));

test("the sample is explained: findings, the worst wait, pressure next to its samples, nodes", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${sample.analysis}`);
  await untilDrawn(page);

  await test.step("findings are ranked", async () => {
    const rows = page.getByTestId("findings-table").locator("tbody tr");
    const none = page.getByTestId("no-findings");
    await expect(rows.first().or(none)).toBeVisible();
    if (await none.isVisible()) return;
    await page.keyboard.press("]");
    await expect(rows.first()).toHaveClass(/selected/);
    await expect.poll(() => viewIn(page).window).not.toBeNull();
    await page.keyboard.press("Shift+F");
    await untilDrawn(page);
  });

  await test.step("a click goes to the worst wait, whose causes add up exactly", async () => {
    await openView(page, "Waits");
    const wakeups = page.getByTestId("percentiles").getByRole("row", { name: /wakeups/ });
    await expect(wakeups).toContainText(/\d{3}/);
    const longest = exactNs([await wakeups.getByRole("cell").last().getAttribute("title")])[0] ?? 0;
    await page.getByTestId("waits-table").locator("tbody").getByRole("button").first().click();
    await expect(page.getByTestId("wait-facts")).toBeVisible();
    const titles = await page
      .getByTestId("wait-causes")
      .locator("td:nth-child(2)")
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title")));
    const parts = exactNs(titles);
    const whole = parts.pop() ?? 0;
    expect(whole).toBe(longest);
    expect(parts.reduce((a, b) => a + b, 0)).toBe(whole);
    // The lane and the list have the same wait.
    const [from = 0, to = 0] = (viewIn(page).window ?? "~").split("~").map(Number);
    const at = Number((viewIn(page).selection ?? "@").split("@")[1]);
    expect(at - longest).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(to);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+F");
  });

  await test.step("the replayed CPU pressure agrees with the kernel's", async () => {
    await page.getByRole("tab", { name: "Pressure", exact: true }).click();
    const cpu = page.getByTestId("pressure-table").getByRole("row", { name: /^cpu some/ });
    await expect(cpu).toContainText("agrees");
    await expect(page.getByTestId("averages")).toContainText("predicted from the sampled totals");
    await page.getByTestId("lanes").evaluate((lanes) => lanes.scrollTo(0, lanes.scrollHeight));
    await expect(page.getByTestId("replay-legend").first()).toBeVisible();
    await untilDrawn(page);
    const traced = await cpu.getByRole("cell").first().textContent();
    await page.getByRole("combobox").selectOption("4.20");
    await expect(cpu.locator(".label-what-if")).toBeVisible();
    expect(await cpu.getByRole("cell").first().textContent()).not.toBe(traced);
    await page.getByRole("combobox").selectOption("");
  });

  await test.step("each node's busy, idle and unknown time add up to its CPUs' time", async () => {
    await openView(page, "NUMA", "Nodes");
    const sums = page.getByTestId("node-sums").locator("tbody tr");
    await expect(sums).toHaveCount(2);
    const whole: number[] = [];
    for (const row of await sums.all()) {
      const titles = await row
        .locator("td")
        .evaluateAll((cells) => cells.slice(0, 3).map((cell) => (cell as HTMLElement).title));
      whole.push(exactNs(titles).reduce((a, b) => a + b, 0));
    }
    // Both nodes have four CPUs.
    expect(whole[0]).toBe(whole[1]);
    const cells = await page.getByTestId("utilisation-table").locator("tbody td").allTextContents();
    for (const cell of cells.map(Number)) expect(cell >= 0 && cell <= 100).toBe(true);
    await untilDrawn(page);
  });
  expect(errors).toEqual([]);
});

test("findings of one kind are one line with a count", async ({ page }) => {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${sample.analysis}`);
  await untilDrawn(page);
  const rows = page.getByTestId("findings-table").locator("tbody tr");
  const busy = rows.filter({ hasText: "Busy node releases its tasks" });
  await expect(busy).toHaveCount(1);
  const count = busy.getByRole("button", { name: /^× \d+$/ });
  const more = Number((await count.textContent())?.replace("× ", ""));
  expect(more).toBeGreaterThan(1);
  await count.click();
  await expect(busy).toHaveCount(more);
  await count.first().click();
  await expect(busy).toHaveCount(1);
  expect(errors).toEqual([]);
});
