// Tasks as lanes: pinned from any place that names them, kept by a link, with states and wakeups; the right column sums up a
// task, and a click on a wait opens it.
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { plainPage, untilDrawn, untilStill, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

const WINDOW = "w=20000000000~20200000000";
/** The upper part of the page has the differences from other states. */
const LOWER = { height: 480 };
const PINS = "pin=task:774,task:775,task:696,task:746";

function pinsOf(page: Page): string | null {
  return new URL(page.url()).searchParams.get("pin");
}

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
  await untilDrawn(page);
}

test("lanes of tasks with states and wakeups", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await open(page, `d=none&${WINDOW}&${PINS}`);
  await expect(page.getByTestId("task-lane")).toHaveCount(4);
  await pictured(page, "task-lanes", LOWER);
  // In the whole recording states are merged, and there are no arrows. The first key ends the fitting of lanes.
  await untilStill(page);
  await page.keyboard.press("Shift+F");
  await untilStill(page);
  await pictured(page, "task-lanes-whole", { height: 400 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a selected wait", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  await open(page, `d=none&${WINDOW}&${PINS}`);
  const plot = await page.getByTestId("plot").boundingBox();
  if (!plot) throw new Error("there is no plot");
  // The third lane is that of 696, which waits at the start of the window.
  await page.mouse.click(plot.x + 100, plot.y + 2 * 26 + 16);
  await page.mouse.move(plot.x + 10, plot.y - 60);
  await expect(page.getByTestId("wait-story")).toBeVisible();
  await untilStill(page);
  const heading = page.getByTestId("picked-facts").getByRole("heading").first();
  await expect(heading).toHaveText("ng_A.0 696: runnable since a preemption");
  const wait = new URL(page.url()).searchParams.get("wait") ?? "";
  expect(wait).toMatch(/^696:\d+@\d+~\d+$/);
  await pictured(page, "task-wait", { height: 640 });
  await pictured(page, "wait-story", { of: page.getByRole("region", { name: "Drawer" }), height: 800 });
  // The link opens the same.
  await page.reload();
  await untilDrawn(page);
  await expect(page.getByTestId("wait-story")).toBeVisible();
  await expect(heading).toHaveText("ng_A.0 696: runnable since a preemption");
  await page.context().close();
});

test("a task is pinned from the table, the palette and the right column, and unpinned", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, `d=tasks&${WINDOW}`);
  await page.getByLabel("Filter tasks by name or pid").fill("ng_A.1");
  await page.getByTestId("tasks-table").getByRole("button", { name: "Pin ng_A.1 774" }).click();
  await expect(page.getByTestId("task-lane").locator("> span:first-child")).toHaveText(["ng_A.1 774"]);
  expect(pinsOf(page)).toBe("task:774");

  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("pin ng_A.2 775");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("task-lane").locator("> span:first-child")).toHaveText([
    "ng_A.1 774",
    "ng_A.2 775",
  ]);
  expect(pinsOf(page)).toBe("task:774,task:775");

  // The task that ran before it is pinned next to its name.
  await page.getByTestId("tasks-table").getByRole("button", { name: "ng_A.1", exact: true }).click();
  await expect(page.getByTestId("slice-task")).toHaveText("ng_A.1");
  const before = page.getByTestId("inspector").locator("dd .task-button").first();
  const name = ((await before.getByRole("button").first().textContent()) ?? "").trim();
  await before.getByRole("button", { name: /^Pin / }).click();
  await expect(page.getByTestId("task-lane").last()).toContainText(name);

  // The link brings them back, in their order; Back undoes the last one.
  await page.reload();
  await untilDrawn(page);
  await expect(page.getByTestId("task-lane").locator("> span:first-child")).toHaveText([
    "ng_A.1 774",
    "ng_A.2 775",
    name,
  ]);
  await page.getByTestId("pinned").getByRole("button", { name: "Unpin ng_A.2 775" }).click();
  await expect(page.getByTestId("task-lane").locator("> span:first-child")).toHaveText(["ng_A.1 774", name]);
  await page.goBack();
  await expect(page.getByTestId("task-lane")).toHaveCount(3);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test("the right column sums up a task in the window", async ({ page }) => {
  await open(page, `d=none&${WINDOW}&${PINS}`);
  const answered = page.waitForResponse((response) => response.url().includes("/sections/explain?"));
  const plot = await page.getByTestId("plot").boundingBox();
  if (!plot) throw new Error("there is no plot");
  // A click on 774 in the middle of the window.
  await page.mouse.click(plot.x + plot.width / 2, plot.y + 16);
  const task = (await (await answered).json()) as {
    readonly states: Readonly<Record<string, readonly { readonly ns: number }[]>>;
  };
  const all = Object.values(task.states).flat();
  expect(all.reduce((sum, { ns }) => sum + ns, 0)).toBe(200_000_001);
  for (const state of ["running", "runnable", "asleep"])
    await expect(page.getByTestId(`ledger-${state}`).getByRole("rowheader").first()).toHaveText(state);
  await expect(page.getByTestId("ledger").getByRole("row").last()).toContainText("200 ms");
  // Its longest wait is one click away.
  await page.getByTestId("task-waits").getByRole("button").first().click();
  await expect(page.getByTestId("wait-story")).toBeVisible();
});
