// The NUMA balancers in the sample recording, as replayed by the engine: attempts, cling with any degree, memory.
import type { Page } from "@playwright/test";
import type { components } from "../src/api/schema.ts";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { untilDrawn, untilStill, viewIn, watchForErrors } from "./support/page.ts";
import { expect, serveSample, test } from "./support/test.ts";

type Schemas = components["schemas"];

const sample = serveSample();

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const windowOf = (page: Page) => (viewIn(page).window ?? "~").split("~").map(Number);
const view = (page: Page, name: string) =>
  page.getByRole("group", { name: "NUMA", exact: true }).getByRole("button", { name, exact: true });

async function open(page: Page, query = "") {
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${sample.analysis}${query}`);
  await untilDrawn(page);
  return errors;
}

test("attempts are counted by our rules and by mmtests', and each is one click away", async ({ page }) => {
  const errors = await open(page, "?v=2&d=ops");
  const ops = page.getByTestId("ops-table");
  const row = (name: string) => ops.getByRole("row", { name });
  await expect(row("Migrate failed no CPU").getByRole("cell").nth(0)).toHaveText("349");
  await expect(row("Task migrate retry success").getByRole("cell").nth(0)).toHaveText("112");
  await expect(row("Task migrate retry success").getByRole("cell").nth(1)).toHaveText("–");
  await expect(row("Load balance cross NUMA").getByRole("cell").nth(0)).toHaveText("385");
  await expect(row("Load balance cross NUMA").getByRole("cell").nth(1)).toHaveText("383");
  await expect(page.getByTestId("failures").getByRole("row", { name: "no CPU found" })).toContainText("349");
  const crossed = page.getByTestId("crossings");
  await expect(crossed.getByRole("row", { name: "wakeup" })).toContainText("90");
  await expect(crossed.getByRole("row", { name: "all" })).toContainText("529");

  const attempts = page.getByTestId("attempts-table");
  await expect(attempts).toContainText("no CPU found");
  expect(await attempts.locator("tbody tr").count()).toBeLessThan(60);
  await attempts.locator("tbody").getByRole("button").first().click();
  await expect.poll(() => windowOf(page)[0]).toBeGreaterThan(7_400_000_000);
  await expect.poll(() => (windowOf(page)[1] ?? 0) - (windowOf(page)[0] ?? 0)).toBeLessThan(2e9);
  // The list keeps the window that it was made from.
  await expect(row("Migrate failed no CPU").getByRole("cell").nth(0)).toHaveText("349");
  await page.getByRole("button", { name: "follow the window" }).click();
  await expect(
    page.getByTestId("ops-table").getByRole("row", { name: "no CPU" }).getByRole("cell").nth(0),
  ).not.toHaveText("349");
  expect(errors).toEqual([]);
});

test("a click goes to a busy node, and another degree is a what-if from where it differs", async ({
  page,
}) => {
  const errors = await open(page, "?v=2&d=cling");
  const charts = page.getByTestId("cling-group").getByRole("img");
  await expect(charts).toHaveCount(4);
  await expect(charts.first()).toHaveAttribute(
    "aria-label",
    /ng_A, degree 20 %: node 0: 47 of 48 attempts failed, busy/,
  );
  const busy = page.getByTestId("busy-table");
  await expect(busy).toContainText("/ng_A");
  await expect(busy).toContainText("F 1536 of T 1536, 99 % > 20 %");
  await expect(page.getByTestId("violations")).toContainText("The replay agrees with everything printed.");
  await expect(page.getByTestId("what-if")).toHaveCount(0);

  await test.step("the slider shows another degree at once; the address and the service follow when it rests", async () => {
    const slider = page.getByRole("slider", { name: "degree", exact: true });
    await expect(page.getByTestId("degree")).toHaveText("20 %");
    await slider.fill("60");
    await expect(page.getByTestId("degree")).toHaveText("60 %");
    const note = page.getByTestId("what-if");
    await expect(note.locator(".label-what-if")).toBeVisible();
    await expect(note).toContainText("Differs from 8.865 s on");
    await expect.poll(() => param(page, "deg")).toBe("60");
    await expect(charts.first()).toHaveAttribute("aria-label", /degree 60 %/);
    await slider.press("ArrowRight");
    await expect.poll(() => param(page, "deg")).toBe("61");
    await page.reload();
    await untilDrawn(page);
    await expect(page.getByTestId("degree")).toHaveText("61 %");
    await expect(note.locator(".label-what-if")).toBeVisible();
    await page.getByRole("button", { name: "as recorded (20 %)" }).click();
    await expect(page.getByTestId("what-if")).toHaveCount(0);
    await expect.poll(() => param(page, "deg")).toBeNull();
  });

  await test.step("the list and the chart go to a time range", async () => {
    await busy.locator("tbody").getByRole("button").first().click();
    await expect.poll(() => windowOf(page)[0]).toBeGreaterThan(8_300_000_000);
    const [from = 0, to = 0] = windowOf(page);
    expect(from).toBeLessThan(8_464_544_991);
    expect(to).toBeGreaterThan(8_570_836_377);
    expect(to - from).toBeLessThan(1e9);
    await page.getByTestId("notes-table").locator("tbody").getByRole("button").first().click();
    await expect.poll(() => windowOf(page)[1]).not.toBe(to);
    await page.keyboard.press("Shift+F");
    const chart = charts.first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    // The charts keep the window in which the first range of 106 ms was found.
    const share = (8_517_000_000 - 7_045_680_538) / (52_315_179_272 - 7_045_680_538);
    await chart.click({ position: { x: share * (box?.width ?? 0), y: 46 } });
    await expect.poll(() => windowOf(page)).toEqual([from, to]);
  });
  expect(errors).toEqual([]);
});

test("memory and tasks that follow each other; the page says what was not sampled", async ({ page }) => {
  const errors = await open(page, "?v=2&d=memory");
  await expect(page.getByTestId("memory-facts")).toContainText("37 % of the pages");
  await expect(page.getByTestId("conserved-table")).toContainText("not known");
  await expect(page.getByTestId("equivalents-table")).toContainText("200,193");
  await expect(page.getByTestId("no-automig")).toBeVisible();
  await view(page, "vmstat").click();
  await expect(page.getByTestId("vmstat-absent")).toContainText("No input has samples of /proc/vmstat.");
  await expect(page.getByTestId("vmstat-absent")).toContainText("numalens record includes all of them");
  expect(errors).toEqual([]);
});

test("a kernel without cling is a what-if throughout; statistics of 2010 and counters have their tables", async ({
  page,
}) => {
  await page.route("**/sections/cling*", async (route) => {
    const answer = (await (await route.fetch()).json()) as Schemas["ClingSection"];
    const { searchParams } = new URL(route.request().url());
    expect(answer.degree).toBe(Number(searchParams.get("degree") ?? 20));
    await route.fulfill({
      json: { ...answer, known_by: "what_if", checked: null, from_events: null, from_everything: null },
    });
  });
  await page.route("**/sections/page_migration*", async (route) => {
    const answer = (await (await route.fetch()).json()) as Schemas["PageMigrationSection"];
    await route.fulfill({ json: { ...answer, table: automig() } });
  });
  await page.route("**/sections/vmstat*", (route) => route.fulfill({ json: vmstat() }));
  const errors = await open(page, "?v=2&d=cling");
  await expect(page.getByText("The traced kernel has no cling")).toBeVisible();
  await expect(page.getByTestId("what-if").locator(".label-what-if")).toBeVisible();
  await expect(page.getByRole("button", { name: /as recorded/ })).toHaveCount(0);
  await expect(page.getByText("The kernel printed nothing about cling")).toBeVisible();
  await view(page, "Memory").click();
  const laws = page.getByTestId("laws-table");
  await expect(laws.getByRole("row", { name: "C1" })).toContainText("broken");
  await expect(laws.getByRole("row", { name: "C1" })).toContainText("row 2: MP > LC");
  await expect(laws.getByRole("row", { name: "C4" })).toContainText("1 with shared pages");
  await expect(page.getByTestId("automig-table").locator("tbody tr")).toHaveCount(2);
  await page.getByTestId("automig-table").scrollIntoViewIfNeeded();
  await view(page, "vmstat").click();
  await expect(page.getByTestId("vmstat-table").getByRole("row", { name: "NUMA hint faults" })).toContainText(
    "1,204,331",
  );
  expect(errors).toEqual([]);
});

for (const theme of ["light", "dark"] as const) {
  test(`every view, ${theme}`, { tag: "@all" }, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: theme });
    const page = await context.newPage();
    for (const query of ["d=ops", "d=cling", "d=cling&deg=60", "d=memory", "d=vmstat"]) {
      await open(page, `?v=2&${query}`);
      await untilStill(page);
      await expectFits(page);
      await expectAccessible(page);
    }
    await context.close();
  });
}

function automig(): Schemas["AutomigTable"] {
  const counters = {
    ...{
      loc_checked: 9120,
      misplaced: 9121,
      migrated: 12_004,
      tasks_migrated: 71,
      scanned: 90_331,
      selected: 41_003,
    },
    ...{ failed: 2, added: 40_998, removed: 40_001, duplicates: 12, refs_freed: 40_010 },
  };
  const row = { counters, cached: 997, references: 1000, shared: 3, beyond_misplaced: 2883, never_cached: 5 };
  const law = { form: "MP <= LC", holds: 1, skewed: 0, rows: 2, violated: 0, violations: [] };
  return {
    rows: [
      { ...row, t_ns: "8000000000" },
      { ...row, t_ns: null },
    ],
    laws: [
      { ...law, law: "C1", violated: 1, violations: [{ row: 1, t_ns: null, what: "MP > LC", by: 1 }] },
      { ...law, law: "C4", form: "AD + DU == FR + (AD - RM)" },
    ],
    deltas: [],
    ratios: {
      misplaced_per_checked: null,
      scanned_per_selected: null,
      selected_per_task: null,
      checked_per_added: null,
      misplaced_per_selected: null,
      lazy_waste: 0.77,
    },
    window: null,
    leak: { from_ns: null, to_ns: "9000000000", entries: 3 },
    label: "inferred",
    missing: ["counters of one moment"],
  };
}

function vmstat(): Schemas["VmstatSection"] {
  return {
    available: true,
    from_ns: "8000000000",
    to_ns: "52000000000",
    sampled_from_ns: "8100000000",
    sampled_to_ns: "51900000000",
    placements: null,
    table: {
      rows: [
        { row: "hint_faults", name: "NUMA hint faults", value: 1_204_331 },
        { row: "hint_local_percent", name: "NUMA hint local percent", value: 71.4375 },
        { row: "autonuma_cost_intended", name: null, value: null },
      ],
      label: "replayed",
      missing: [],
    },
  };
}
