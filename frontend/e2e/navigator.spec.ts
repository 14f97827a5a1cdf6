// The list of threads, processes and cgroups as lanes, and the critical path of a wait: by pointer and keys, in a link, and on
// a phone.
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

const WINDOW = "w=20000000000~20200000000";
/** 775 sleeps until 696 wakes it up, which was preempted for most of that time. */
const PATH = "cp=775@20045000000";

function parameter(page: Page, name: string): string | null {
  return new URL(page.url()).searchParams.get(name);
}

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
  await untilDrawn(page);
}

interface Threads {
  readonly threads: readonly {
    readonly pid: number;
    readonly comm: string;
    readonly tgid: number | null;
    readonly wait_ns: number;
  }[];
  readonly cgroups: readonly { readonly path: string; readonly lane: number }[];
}

async function threads(): Promise<Threads> {
  const answer = await fetch(
    `${sample.server.address}/api/v1/analyses/${sample.analysis}/sections/threads?from_ns=20000000000&to_ns=20200000000`,
  );
  return (await answer.json()) as Threads;
}

test("threads by cgroup in the list and as lanes", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  const lane = (await threads()).cgroups.find(({ path }) => path === "/ng_A")?.lane;
  await open(page, `d=none&${WINDOW}&pin=process:696,cgroup:${lane}&nav=1,cgroup`);
  await expect(page.getByTestId("task-lane").first()).toContainText("process ng_A.0 696");
  await expect(page.getByTestId("task-lane").last()).toContainText("cgroup /ng_A");
  await pictured(page, "navigator", { height: 480 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the critical path of a sleep", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await open(page, `d=none&${WINDOW}&pin=task:775&${PATH}`);
  await expect(page.getByTestId("path-steps").getByRole("listitem")).toHaveCount(3);
  // The lane of the task that delayed it is shown too.
  await expect(page.getByTestId("task-lane").locator("> span:first-child")).toHaveText([
    "ng_A.2 775",
    "ng_A.0 696",
  ]);
  await pictured(page, "critical-path", { height: 480 });
  await pictured(page, "path-facts", { of: page.getByTestId("inspector"), height: 800 });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("on a phone the list of threads is a sheet", async ({ browser }) => {
  const page = await plainPage(browser, "light");
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, `d=none&${WINDOW}`);
  await expect(page.getByTestId("navigator")).toHaveCount(0);
  await page.getByRole("button", { name: "threads", exact: true }).click();
  await page.getByTestId("navigator-filter").fill("ng_A.2");
  await expect(page.getByRole("treeitem", { name: /^ng_A\.2 775/ })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Pin ng_A.2 775" }).click();
  await page.getByRole("button", { name: "Collapse the navigator" }).click();
  await expect(page.getByTestId("task-lane")).toHaveCount(1);
  expect(parameter(page, "nav")).toBe("0,,,,ng_A.2");
  await page.context().close();
});

test("a thread is found, pinned and selected by keys alone, and a link keeps the list", async ({ page }) => {
  const errors = watchForErrors(page);
  const { threads: all } = await threads();
  const own = all.filter(({ tgid }) => tgid === 696).toSorted((a, b) => b.wait_ns - a.wait_ns);
  await open(page, `d=none&${WINDOW}`);
  await page.keyboard.press("n");
  await expect(page.getByTestId("navigator-filter")).toBeFocused();
  await page.keyboard.type("ng_A.0 696");
  const tree = page.getByTestId("navigator-tree");
  await expect(tree.getByRole("treeitem", { name: /^ng_A\.0 696 \(/ }).first()).toHaveAttribute(
    "aria-expanded",
    "true",
  );
  await tree.focus();
  // The process, then its threads, longest wait first.
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(page.getByTestId("task-lane").first()).toContainText("process ng_A.0 696");
  expect(parameter(page, "pin")).toBe(`process:696,task:${own[0]?.pid}`);
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("slice-task")).toHaveText(own[0]?.comm ?? "");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(tree.getByRole("treeitem")).toHaveCount(1);

  await page.getByLabel("Group threads by").selectOption("cgroup");
  await page.getByLabel("Order").selectOption("ran");
  await page.getByLabel("Totals cover").selectOption("whole");
  expect(parameter(page, "nav")).toBe("1,cgroup,ran,whole,ng_A.0 696");
  await page.reload();
  await untilDrawn(page);
  await expect(page.getByTestId("navigator-filter")).toHaveValue("ng_A.0 696");
  await expect(page.getByTestId("navigator")).toContainText("the whole recording");
  await page.keyboard.press("n");
  await expect(page.getByTestId("navigator")).toHaveCount(0);
  await page.goBack();
  await expect(page.getByTestId("navigator")).toBeVisible();
  expect(errors).toEqual([]);
});

test("a click on a process' lane lists its threads, each one click away", async ({ page }) => {
  await open(page, `d=none&${WINDOW}&pin=process:696`);
  const plot = await page.getByTestId("plot").boundingBox();
  if (!plot) throw new Error("there is no plot");
  await page.mouse.click(plot.x + plot.width / 3, plot.y + 24);
  await expect(page.getByTestId("picked-facts").getByRole("heading").first()).toContainText(
    "process ng_A.0 696",
  );
  const { threads: all } = await threads();
  const own = all.filter(({ tgid }) => tgid === 696);
  await expect(page.getByTestId("threads-facts").locator("tbody").getByRole("row")).toHaveCount(own.length);
  await page.getByTestId("threads-facts").getByRole("button", { name: "in the navigator" }).click();
  await expect(page.getByTestId("navigator")).toBeVisible();
  await page.getByTestId("threads-facts").getByRole("button").first().click();
  await expect(page.getByTestId("slice-task")).toBeVisible();
});

test("a critical path is opened from a sleep, followed, and closed by keys", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, `d=none&${WINDOW}&pin=task:775`);
  const plot = await page.getByTestId("plot").boundingBox();
  if (!plot) throw new Error("there is no plot");
  // 775 sleeps from 20.011 to 20.053 s.
  await page.mouse.click(plot.x + (plot.width * 30) / 200, plot.y + 24);
  await expect(page.getByTestId("picked-facts").getByRole("heading").first()).toHaveText(
    "ng_A.2 775: asleep, another thread",
  );
  await page.keyboard.press("c");
  const steps = page.getByTestId("path-steps").getByRole("listitem");
  await expect(steps).toHaveCount(3);
  await expect(steps.nth(1)).toContainText("ng_A.0 696");
  await expect(page.getByTestId("path-end")).toContainText("awake when the sleep began");
  expect(parameter(page, "cp")).toBe("775@20011099685");
  // A click on a step goes to its task and time, and the path stays open.
  await steps.nth(1).getByRole("button", { name: "ng_A.0 696", exact: true }).click();
  await expect(page.getByTestId("slice-task")).toHaveText("ng_A.0");
  await expect(steps).toHaveCount(3);
  await steps.nth(1).getByRole("button", { name: "open the wait" }).click();
  await expect(page.getByTestId("wait-story")).toBeVisible();
  await page.getByTestId("wait-story").getByRole("button", { name: "critical path" }).click();
  await expect(page.getByTestId("path-end")).toContainText("lost its CPU");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("critical-path")).toHaveCount(0);
  expect(parameter(page, "cp")).toBeNull();
  await expect(page.getByTestId("task-lane")).toHaveCount(1);
  expect(errors).toEqual([]);
});
