// Sections computed over a window: findings, latency, pressure, nodes. The recording, its timeline and its tasks are real; the
// sections' answers are made by hand, so that every state can be shown. `replay.spec.ts` has the real answers.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import {
  coloursIn,
  hold,
  shareOfColour,
  tableMenu,
  untilDrawn,
  untilStill,
  viewIn,
  watchForErrors,
} from "./support/page.ts";
import {
  type Answers,
  allAnswers,
  answerSections,
  cgroupPressure,
  type MockedSlice,
  someSlice,
} from "./support/sections.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();
let slice: MockedSlice;

test.beforeAll(async () => {
  slice = await someSlice(sample.server.address, sample.analysis, 754);
});

async function open(page: Page, query = "", answers: Answers = allAnswers(slice)) {
  const errors = watchForErrors(page);
  const requests = await answerSections(page, answers);
  await page.goto(`${sample.server.address}/a/${sample.analysis}${query}`);
  await untilDrawn(page);
  return { errors, requests };
}

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const windowOf = (page: Page) => (viewIn(page).window ?? "~").split("~").map(Number);
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true });

test("one sentence sums up the window, and each occurrence of a finding is one key press away", async ({
  page,
}) => {
  const { errors } = await open(page);
  await expect(page.getByTestId("headline")).toHaveText(/^4 CPUs, 31 % busy, .+\.$/);
  await expect(page.getByTestId("other-waiting")).toContainText("1.2 s, 23 % of all waiting");
  await page.getByTestId("causes").getByRole("button", { name: "Tasks stacked on one node" }).click();
  const facts = page.getByTestId("finding-facts");
  await expect(facts).toContainText("21 occurrences, the worst first");
  await expect(facts).toContainText("and 19 more");
  await expect(facts.getByTestId("finding-what-if")).toContainText("2 s in total");
  const places = facts.getByTestId("finding-occurrences").getByRole("listitem");
  await expect(places).toHaveCount(2);
  await expect(places.nth(1)).toContainText("1 task on CPU 3");
  // By keyboard, to 30.0 s and the half second after it.
  await places.nth(1).getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => windowOf(page)[0] ?? 0).toBeGreaterThan(29e9);
  const [from = 0, to = 0] = windowOf(page);
  expect(from).toBeLessThanOrEqual(30e9);
  expect(to).toBeGreaterThanOrEqual(30.5e9);
  expect(to).toBeLessThan(32e9);
  expect(errors).toEqual([]);
});

test("the page opens with the costliest finding; others are one click away, and the link keeps the choice", async ({
  page,
}) => {
  const { errors } = await open(page);
  const rows = page.getByTestId("findings-table").locator("tbody tr");
  await expect(tab(page, "Findings")).toHaveAttribute("aria-selected", "true");
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText("3.2 s");
  await expect(rows.nth(1).locator(".label-inferred")).toBeVisible();

  // It opens at the costliest finding, and a click on that finding stays there.
  await expect(rows.first()).toHaveClass(/selected/);
  await expect.poll(() => viewIn(page).window).not.toBeNull();
  const opened = windowOf(page);
  await rows.first().getByRole("button", { name: "Tasks stacked on one node" }).click();
  await untilStill(page);
  const [from = 0, to = 0] = windowOf(page);
  expect([from, to]).toEqual(opened);
  // The finding, 16.5 to 22.6 s, with a margin.
  expect(from).toBeGreaterThan(15e9);
  expect(from).toBeLessThan(16.5e9);
  expect(to).toBeGreaterThan(22.6e9);
  expect(to).toBeLessThan(24e9);
  const found = page.url();

  await test.step("brackets step through occurrences, braces through findings, and Back returns", async () => {
    await page.keyboard.press("]");
    await expect.poll(() => param(page, "oc")).toBe("1");
    await page.keyboard.press("]");
    await expect.poll(() => param(page, "fi")).toBe("CGROUP_THROTTLE@40000000000");
    await page.keyboard.press("}");
    await expect.poll(() => param(page, "fi")).toBe("CPU_SOME_WAKE_ONLY@30000000000");
    await expect(rows.nth(2)).toHaveClass(/selected/);
    // The list ends here.
    await page.keyboard.press("}");
    await page.keyboard.press("]");
    await page.keyboard.press("{");
    await expect.poll(() => param(page, "fi")).toBe("CGROUP_THROTTLE@40000000000");
    for (let step = 0; step < 4; step += 1) await page.goBack();
    await expect(page).toHaveURL(found);
    await expect(rows.first()).toHaveClass(/selected/);
  });

  await test.step("a reload shows the same", async () => {
    await page.reload();
    await untilDrawn(page);
    await expect(rows.first()).toHaveClass(/selected/);
    await expect.poll(() => windowOf(page)).toEqual([from, to]);
  });

  await test.step("the filter finds findings, and the rows shown can be saved", async () => {
    await page.getByLabel("Filter findings").fill("batch");
    await expect(rows).toHaveCount(1);
    const download = page.waitForEvent("download");
    await tableMenu(page, /CSV/);
    const text = await readFile(await (await download).path(), "utf8");
    expect(text.trim().split("\r\n")).toHaveLength(2);
    expect(text).toContain("CGROUP_THROTTLE,medium,512.4,40000000000,42000000000");
  });

  await test.step("brackets also work while the drawer is folded", async () => {
    await page.getByRole("button", { name: "Collapse" }).click();
    await expect.poll(() => param(page, "d")).toBe("none");
    await page.keyboard.press("}");
    await expect.poll(() => param(page, "fi")).toBe("CGROUP_THROTTLE@40000000000");
  });
  expect(errors).toEqual([]);
});

/** Requests of the tab: it asks for more waits than are marked on the lanes. */
const isTabs = ({ pathname, searchParams }: URL) =>
  pathname.endsWith("/latency") && searchParams.get("limit") === "200";

test("a wait is picked from the list and explained: causes add up, antagonists are named", async ({
  page,
}) => {
  const { errors, requests } = await open(page, "?v=2&d=latency&open=0,1");
  await expect(page.getByTestId("percentiles").getByRole("row", { name: /wakeups/ })).toContainText(
    "118,204",
  );
  await expect(page.getByTestId("percentiles").getByRole("row", { name: /preempted/ })).toContainText(
    "3,104",
  );
  await expect(page.getByTestId("percentiles").getByRole("row", { name: /new tasks/ })).toContainText("21");
  await expect(page.getByTestId("unfinished")).toContainText("at least this long");
  await expect(page.getByTestId("latency-causes").getByRole("row").first()).toContainText("all CPUs busy");
  const meaning = page.getByTestId("latency-causes").getByRole("button", { name: "idle CPU, other node" });
  await expect(meaning).toHaveAttribute("title", /Kernel: /);

  const table = page.getByTestId("waits-table");
  // Only the rows on the screen are elements.
  expect(await table.locator("tbody tr").count()).toBeLessThan(60);
  await table.locator("tbody").getByRole("button").first().click();
  await expect(page.getByTestId("slice-task")).toHaveText(slice.comm);
  await expect.poll(() => viewIn(page).selection).toBe(`cpu:${slice.cpu}@${slice.start_ns}`);
  const [from = 0, to = 0] = windowOf(page);
  expect(to - from).toBeLessThan(10e6);
  expect(to).toBeGreaterThan(Number(slice.start_ns));

  await test.step("the inspector's causes add up exactly", async () => {
    const facts = page.getByTestId("wait-causes");
    const titles = await facts
      .locator("td:nth-child(2)")
      .evaluateAll((cells) =>
        cells.map((cell) => Number((cell.getAttribute("title") ?? "").replace(/\D/g, ""))),
      );
    const sum = titles.pop();
    expect(titles.length).toBeGreaterThan(3);
    expect(titles.reduce((a, b) => a + b, 0)).toBe(sum);
    await expect(page.getByTestId("wait-facts")).toContainText("ng_B.1");
    await expect(page.getByTestId("wait-facts")).toContainText("Became runnable on CPU 6, ran on CPU 1.");
  });

  await test.step("each kind of wait has its list and its causes", async () => {
    await page.getByRole("group", { name: "List" }).getByRole("button", { name: "Unfinished" }).click();
    await expect(page.getByRole("heading", { name: "Unfinished wait breakdown" })).toBeVisible();
    await expect(page.getByTestId("latency-causes").getByRole("row").first()).toContainText("throttled");
    await expect(table.locator("tbody tr")).toHaveCount(1);
    await page.getByRole("button", { name: "Worst wakeups" }).click();
  });

  await test.step("the list keeps its window until it follows the timeline again", async () => {
    await untilStill(page);
    expect(requests.filter(isTabs)).toHaveLength(1);
    await page.getByRole("button", { name: "follow the window" }).click();
    await expect
      .poll(() => requests.filter(({ pathname }) => pathname.endsWith("/latency")).length)
      .toBeGreaterThan(1);
  });

  await test.step("by node, cgroup and cause, in the link", async () => {
    await page.getByRole("button", { name: "By node" }).click();
    await expect(table.getByRole("columnheader").first()).toHaveText("node");
    await expect.poll(() => param(page, "lat")).toBe("node");
    await page.getByRole("button", { name: "By cgroup" }).click();
    await expect(page.getByRole("tabpanel")).toContainText("cgroups were not recorded");
    await page.getByRole("button", { name: "By cause" }).click();
    await expect(table.locator("tbody tr").first()).toContainText("all CPUs busy");
    const download = page.waitForEvent("download");
    await tableMenu(page, /CSV/);
    expect((await download).suggestedFilename()).toBe("latency-cause.csv");
  });
  expect(errors).toEqual([]);
});

test("a moving window is requested once it rests, one request at a time", async ({ page }) => {
  const { requests } = await open(page, "?v=2&d=latency&w=20000000000~21000000000");
  const under = new Set<unknown>();
  let most = 0;
  page.on("request", (request) => {
    if (!isTabs(new URL(request.url()))) return;
    under.add(request);
    most = Math.max(most, under.size);
  });
  page.on("requestfinished", (request) => under.delete(request));
  page.on("requestfailed", (request) => under.delete(request));
  await page.route("**/sections/latency*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.fallback();
  });
  const latencies = () => requests.filter(isTabs);
  const before = latencies().length;
  await hold(page, "d", 80);
  // On a busy machine the window may rest once on its way.
  expect(latencies().length - before).toBeGreaterThanOrEqual(1);
  expect(latencies().length - before).toBeLessThanOrEqual(2);
  expect(most).toBe(1);
  const last = latencies().at(-1)?.searchParams;
  const [from, to] = windowOf(page);
  expect(Math.abs(Number(last?.get("from_ns")) - (from ?? 0))).toBeLessThan(2);
  expect(Math.abs(Number(last?.get("to_ns")) - (to ?? 0))).toBeLessThan(3);
});

test("replayed pressure is next to the samples, and is a what-if under another version's rules", async ({
  page,
}) => {
  const { errors, requests } = await open(page, "?v=2&d=pressure&p=psi,nodes&open=");
  const table = page.getByTestId("pressure-table");
  const cpu = table.getByRole("row", { name: /^cpu some/ });
  await expect(cpu).toContainText("+0.56 %");
  await expect(cpu).toContainText("± 1 %");
  await expect(cpu).toContainText("agrees");
  await expect(cpu.locator(".label-replayed")).toBeVisible();
  await expect(table.getByRole("row", { name: /^io some/ })).toContainText(
    "lacks in_iowait of sleeping tasks",
  );
  await expect(table.getByRole("row", { name: /^memory/ })).toContainText("No event tells");
  await expect(page.getByTestId("averages")).toContainText("at most 0.007 from the kernel's values");
  await expect(page.getByTestId("no-cgroups")).toContainText("numalens record");
  await expect(page.getByTestId("replay-legend")).toHaveText("replayed");

  await test.step("the lane shows both", async () => {
    const lane = await page.getByTestId("pressure-cpu").locator("..").boundingBox();
    const plot = await page.getByTestId("plot").boundingBox();
    if (!lane || !plot) throw new Error("there is no pressure lane");
    const part = { x: plot.x, width: plot.width, y: lane.y, height: lane.height };
    const drawn = async () => shareOfColour(page, part, "--text");
    // A line of one pixel, and marks; the recorded area has no pixel of this colour.
    const solid = await drawn();
    expect(solid).toBeGreaterThan(0.015);
    await page.getByRole("combobox").selectOption("4.20");
    await expect(page.getByTestId("replay-legend")).toContainText("what-if");
    await untilStill(page);
    const dotted = await drawn();
    expect(dotted).toBeGreaterThan(0.002);
    expect(dotted).toBeLessThan(0.7 * solid);
    await page.getByRole("combobox").selectOption("");
    await expect(page.getByTestId("replay-legend")).toHaveText("replayed");
    await page.mouse.move(plot.x + plot.width * 0.4, lane.y + lane.height / 2);
    await expect(page.getByRole("tooltip")).toContainText("some, replayed");
    await page.mouse.move(plot.x + 5, 5);
  });

  await test.step("rules are picked, kept in the link, and never called replayed", async () => {
    await page.getByRole("combobox").selectOption("4.20");
    await expect(cpu.locator(".label-what-if")).toBeVisible();
    await expect(cpu).toContainText("other rules");
    await expect(page.getByTestId("replay-legend")).toHaveText("what-if: rules of 4.20 to 5.6");
    await expect.poll(() => param(page, "rules")).toBe("4.20");
    expect(requests.at(-1)?.searchParams.get("psi_rules")).toBe("4.20");
    await page.reload();
    await untilDrawn(page);
    await expect(page.getByRole("combobox")).toHaveValue("4.20");
    await expect(page.getByTestId("replay-legend")).toHaveText("what-if: rules of 4.20 to 5.6");
    await page.goBack();
    await expect(page.getByRole("combobox")).toHaveValue("");
    await expect(page.getByTestId("replay-legend")).toHaveText("replayed");
  });
  expect(errors).toEqual([]);
});

test("pressure of many cgroups scrolls, and is exported in full", async ({ page }) => {
  await open(page, "?v=2&d=pressure", { ...allAnswers(slice), psi: () => cgroupPressure() });
  const table = page.getByTestId("cgroup-pressure");
  await expect(table).toContainText("/batch/job-00");
  expect(await table.locator("tbody tr").count()).toBeLessThan(60);
  const download = page.waitForEvent("download");
  const tools = page.getByRole("group", { name: "Tools of Pressure by cgroup" });
  await tools.getByRole("button").click();
  await page.getByRole("menuitem", { name: /CSV/ }).click();
  const text = await readFile(await (await download).path(), "utf8");
  expect(text.trim().split("\r\n")).toHaveLength(1 + 4 * 80);
});

test("nodes: the table of steps, wasted time, and queue depths", async ({ page }) => {
  const { errors, requests } = await open(page, "?v=2&d=nodes");
  const table = page.getByTestId("utilisation-table");
  await expect(table.getByRole("row")).toHaveCount(3);
  await expect(table.getByRole("row").nth(1)).toHaveText(/^0400132639/);
  await expect(page.getByTestId("node-sums").getByRole("row").nth(1)).toContainText("NUMA placement");
  await expect(page.getByTestId("waste-causes")).toContainText("3.047 s");
  await expect(page.getByTestId("imbalance")).toContainText("points on average");
  const spark = page.getByRole("img", { name: /Tasks waiting on node 0/ });
  const drawn = await spark.evaluate((canvas) => {
    const { width, height } = canvas as HTMLCanvasElement;
    const { data } = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height) ?? {
      data: [],
    };
    return data.filter((value, i) => i % 4 === 3 && value > 0).length / (width * height);
  });
  expect(drawn).toBeGreaterThan(0.1);

  await page.getByRole("combobox").selectOption("1000000000");
  const steps = () => requests.filter(({ pathname }) => pathname.endsWith("/utilisation"));
  await expect.poll(() => steps().at(-1)?.searchParams.get("step_ns")).toBe("1000000000");
  await expect(table.getByRole("columnheader")).toHaveCount(46);
  await expect.poll(() => param(page, "step")).toBe("1000000000");
  const download = page.waitForEvent("download");
  await page.getByText("Step by step").click();
  const tools = page.getByRole("group", { name: "Tools of Utilisation step by step" });
  await tools.getByRole("button").click();
  await page.getByRole("menuitem", { name: /CSV/ }).click();
  const text = await readFile(await (await download).path(), "utf8");
  expect(text.trim().split("\r\n")).toHaveLength(45);
  expect(errors).toEqual([]);
});

test("a section without its inputs says why, and how to record them", async ({ page }) => {
  const lacking = () => ({ available: false, reason: "The recording has no sched_switch." });
  await open(page, "", {
    findings: lacking,
    latency: lacking,
    psi: lacking,
    utilisation: lacking,
    waste: lacking,
  });
  await expect(page.getByTestId("findings-absent")).toContainText("no sched_switch");
  for (const [name, id] of [
    ["Waits", "latency"],
    ["Pressure", "pressure"],
    ["NUMA", "nodes"],
  ] as const) {
    await tab(page, name).click();
    await expect(page.getByTestId(`${id}-absent`)).toContainText("no sched_switch");
    await expect(page.getByTestId(`${id}-absent`)).toContainText("numalens record includes all of them");
  }
  // The lanes still show what was recorded.
  await expect(page.getByTestId("replay-legend")).toHaveCount(0);
  const place = await page.getByTestId("plot").boundingBox();
  expect(
    await coloursIn(page, { x: 0, y: 0, width: Math.floor(place?.width ?? 0), height: 200 }),
  ).toBeGreaterThan(8);
});

test("an error is one sentence, and the next window is still requested", async ({ page }) => {
  await open(page, "?v=2&d=latency");
  await page.route("**/sections/latency*", (route) =>
    route.fulfill({ status: 422, json: { error: { sentence: "The window is empty." } } }),
  );
  await page.getByTestId("plot").hover({ position: { x: 400, y: 60 } });
  await page.mouse.wheel(0, -240);
  await expect(page.getByRole("tabpanel")).toHaveText("The window is empty.");
  await page.unroute("**/sections/latency*");
  await answerSections(page, allAnswers(slice));
  await page.mouse.wheel(0, -240);
  await expect(page.getByTestId("percentiles")).toBeVisible();
});

for (const size of [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]) {
  for (const theme of ["light", "dark"] as const) {
    test(`every tab at ${size.width} px, ${theme}`, { tag: "@all" }, async ({ browser }) => {
      const context = await browser.newContext({ viewport: size, colorScheme: theme });
      const page = await context.newPage();
      const { errors } = await open(page);
      const check = async () => {
        await expectFits(page);
        await expectAccessible(page);
      };
      await page.getByTestId("causes").getByRole("button", { name: "Throttled" }).click();
      await untilDrawn(page);
      await check();
      for (const name of ["Waits", "Pressure", "NUMA"]) {
        await tab(page, name).click();
        await expect(page.getByRole("tabpanel").getByRole("table").first()).toBeVisible();
        if (name === "Pressure") {
          await page.getByTestId("lanes").evaluate((lanes) => lanes.scrollTo(0, lanes.scrollHeight));
        }
        await untilDrawn(page);
        await check();
      }
      await tab(page, "Pressure").click();
      await page.getByRole("tabpanel").getByRole("combobox").selectOption("5.7");
      await expect(page.getByRole("tabpanel").locator(".label-what-if").first()).toBeVisible();
      await untilDrawn(page);
      await check();
      await tab(page, "Waits").click();
      await page.getByTestId("waits-table").locator("tbody").getByRole("button").first().click();
      await expect(page.getByTestId("wait-facts")).toBeVisible();
      await untilDrawn(page);
      await check();
      expect(errors).toEqual([]);
      await context.close();
    });
  }
}
