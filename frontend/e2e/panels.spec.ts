// The timeline's panels on the sample: arranged by mouse and keyboard, kept by the link, and what each panel explains.
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { passFrames, shareOfColour, untilDrawn, untilStill, watchForErrors } from "./support/page.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sample.server.address}/a/${sample.analysis}${query}`);
  await untilDrawn(page);
}

const param = (page: Page, key: string) => new URL(page.url()).searchParams.get(key);

/** The panels' headings from top to bottom. */
async function order(page: Page): Promise<string[]> {
  const headings = page.locator(".section-name");
  const places = await headings.evaluateAll((all) =>
    all.map((each) => ({ id: each.getAttribute("data-testid") ?? "", y: each.getBoundingClientRect().y })),
  );
  return places.sort((a, b) => a.y - b.y).map(({ id }) => id.replace("panel-", ""));
}

async function boxOf(page: Page, testId: string) {
  const box = await page.getByTestId(testId).boundingBox();
  if (!box) throw new Error(`${testId} has no place on the page`);
  return box;
}

/** Position of a time on the page. */
async function xOf(page: Page, at: bigint): Promise<number> {
  const plot = await boxOf(page, "plot");
  const [from = "0", to = "1"] = (param(page, "w") ?? "").split("~");
  return plot.x + (Number(at - BigInt(from)) / Number(BigInt(to) - BigInt(from))) * plot.width;
}

test.use({ viewport: { width: 1440, height: 1000 } });

test("panels are folded, moved, resized and hidden by mouse, and the link keeps that", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, "?v=2&d=none&open=");
  await expect(page.getByTestId("note-cling")).toHaveAttribute("data-state", "ready");
  await expect(page.getByTestId("note-memory")).toHaveAttribute("data-state", "ready");
  await expect.poll(() => order(page)).toEqual(["nodes", "cling", "psi", "ilb", "memory"]);

  await test.step("fold", async () => {
    await page.getByRole("button", { name: "cling", exact: true }).click();
    await expect(page.getByTestId("cling-lane")).toHaveCount(0);
    await expect.poll(() => param(page, "p")).toBe("nodes,_cling,psi,ilb,memory,-hardware");
  });

  await test.step("drag a heading", async () => {
    const memory = await boxOf(page, "panel-memory");
    const nodes = await boxOf(page, "panel-nodes");
    await page.mouse.move(memory.x + 8, memory.y + 13);
    await page.mouse.down();
    await page.mouse.move(memory.x + 12, nodes.y + 60, { steps: 6 });
    await expect(page.locator(".drop-mark")).toBeVisible();
    await page.mouse.move(memory.x + 12, nodes.y + 4, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => order(page)).toEqual(["memory", "nodes", "cling", "psi", "ilb"]);
    await expect.poll(() => param(page, "p")).toBe("memory,nodes,_cling,psi,ilb,-hardware");
    await expect(page.locator(".drop-mark")).toHaveCount(0);
  });

  await test.step("drag a border", async () => {
    const before = await boxOf(page, "rate-pages");
    const border = await page.getByRole("separator", { name: "Height of memory" }).boundingBox();
    if (!border) throw new Error("the panel has no border");
    await page.mouse.move(border.x + 60, border.y + 4);
    await page.mouse.down();
    await page.mouse.move(border.x + 60, border.y + 104, { steps: 5 });
    await page.mouse.up();
    const after = await boxOf(page, "rate-pages");
    expect(after.height).toBeGreaterThan(before.height * 1.2);
    await expect.poll(() => param(page, "p")).toMatch(/^memory:\d\.\d+,nodes/);
  });

  await test.step("hide and show", async () => {
    await page.getByRole("button", { name: "Arrange idle balancing" }).click();
    await page.getByRole("menuitem", { name: "Hide" }).click();
    await expect.poll(() => order(page)).toEqual(["memory", "nodes", "cling", "psi"]);
    await expect.poll(() => param(page, "p")).toMatch(/,-ilb\b/);
  });

  await test.step("the link opens it again, and Back undoes a step", async () => {
    const arranged = param(page, "p");
    const tall = await boxOf(page, "rate-pages");
    await page.reload();
    await untilDrawn(page);
    await expect(page.getByTestId("rate-pages")).toBeVisible();
    await expect.poll(() => order(page)).toEqual(["memory", "nodes", "cling", "psi"]);
    expect((await boxOf(page, "rate-pages")).height).toBe(tall.height);
    await expect.poll(() => param(page, "p")).toBe(arranged);
    await page.goBack();
    await expect.poll(() => order(page)).toEqual(["memory", "nodes", "cling", "psi", "ilb"]);
    await page.getByRole("button", { name: "Panels" }).click();
    await page.getByRole("menuitem", { name: "Reset layout" }).click();
    await expect.poll(() => order(page)).toEqual(["nodes", "cling", "psi", "ilb", "memory"]);
    await expect.poll(() => param(page, "p")).toBeNull();
  });
  expect(errors).toEqual([]);
});

test("panels are arranged by keyboard alone", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, "?v=2&d=none&open=");
  await expect(page.getByTestId("note-cling")).toHaveAttribute("data-state", "ready");
  const menu = page.getByRole("button", { name: "Arrange cling" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Move up" })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(menu).toBeFocused();
  await expect.poll(() => order(page)).toEqual(["cling", "nodes", "psi", "ilb", "memory"]);
  // Arrows in the menu choose an item; they do not pan.
  const window = param(page, "w");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitem", { name: "Higher" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(() => param(page, "p")).toBe("cling:1.25,nodes,psi,ilb,memory,-hardware");
  await expect.poll(() => param(page, "w")).toBe(window);
  const border = page.getByRole("separator", { name: "Height of cling" });
  await border.focus();
  await page.keyboard.press("ArrowDown");
  await expect(border).toHaveAttribute("aria-valuenow", "156");
  await page.getByRole("button", { name: "pressure", exact: true }).focus();
  await page.keyboard.press("Space");
  await expect.poll(() => param(page, "p")).toContain(",_psi,");
  await page.keyboard.press("Space");
  await expect(page.getByTestId("pressure-cpu")).toHaveCount(1);
  await menu.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(menu).toBeFocused();
  await page.reload();
  await untilDrawn(page);
  await expect.poll(() => order(page)).toEqual(["cling", "nodes", "psi", "ilb", "memory"]);
  expect(errors).toEqual([]);
});

/** Node 0 becomes busy for the group of /ng_A. */
const FLIP = 8_464_544_991n;

test("(b) a busy-node flip is found and explained", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, "?v=2&d=none&p=cling,nodes,psi,ilb,memory&w=8300000000~8700000000");
  const lane = page.getByTestId("cling-lane").filter({ hasText: "/ng_A" });
  await expect(lane).toBeVisible();
  const place = async () => {
    const box = await lane.boundingBox();
    if (!box) throw new Error("the group has no lane");
    return { x: await xOf(page, FLIP), y: box.y + 7, box };
  };
  const { x, y } = await place();

  await test.step("hover shows what happened and why", async () => {
    await page.mouse.move(x, y);
    const tip = page.getByRole("tooltip");
    await expect(tip).toContainText("node 0 becomes busy");
    await expect(tip).toContainText("99 % against a degree of 20 %");
    await expect(tip).toContainText("busy_node");
    await expect(tip).toContainText("replayed");
  });

  await test.step("a click keeps it, and so does the link", async () => {
    await page.mouse.click(x, y);
    const facts = page.getByTestId("picked-facts");
    await expect(facts).toContainText("node 0 becomes busy");
    await expect(facts).toContainText("1536");
    await expect(facts).toContainText("/ng_A");
    await expect.poll(() => param(page, "g")).toBe(`cling:1@${FLIP}`);
    await page.reload();
    await untilDrawn(page);
    await expect(facts).toContainText("node 0 becomes busy");
  });

  await test.step("from flip to flip", async () => {
    await page.keyboard.press(".");
    await expect(page.getByTestId("picked-facts")).toContainText("node 0 is no longer busy");
    await page.keyboard.press(",");
    await expect(page.getByTestId("picked-facts")).toContainText("node 0 becomes busy");
  });

  await test.step("another degree shows at once, as a what-if", async () => {
    const slider = page.getByRole("slider", { name: "degree of the lanes" });
    await expect(lane.getByText("replayed")).toBeVisible();
    await slider.fill("99");
    await expect(page.getByTestId("degree-lanes")).toHaveText("99 %");
    await expect.poll(() => param(page, "deg")).toBe("99");
    await expect(lane.getByText("what-if")).toBeVisible();
    const { box } = await place();
    const plot = await boxOf(page, "plot");
    await page.mouse.move(plot.x + 2, plot.y + 2);
    // No node is busy with such a high degree, so nothing is shaded.
    await expect
      .poll(() => shareOfColour(page, { x: plot.x, y: box.y, width: plot.width, height: 12 }, "--cost"))
      .toBe(0);
    await page.getByRole("button", { name: "back to 20 %" }).click();
    await expect(lane.getByText("replayed")).toBeVisible();
    await expect.poll(() => param(page, "deg")).toBeNull();
  });
  expect(errors).toEqual([]);
});

test("(c) recorded and replayed pressure on one axis, also as the kernel's averages", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, "?v=2&d=none&open=&p=psi:2,nodes,cling,ilb,memory&w=15000000000~25000000000");
  await expect(page.getByTestId("replay-legend")).toHaveText("inferred");
  const plot = await boxOf(page, "plot");
  const lane = await page.getByTestId("pressure-cpu").locator("..").boundingBox();
  if (!lane) throw new Error("there is no lane of cpu");
  const x = plot.x + plot.width * 0.4;
  await page.mouse.move(x, lane.y + lane.height / 2);
  const tip = page.getByRole("tooltip");
  const share = async (row: RegExp) => {
    const text = (await tip.textContent()) ?? "";
    return Number(row.exec(text)?.[1] ?? Number.NaN);
  };
  await expect(tip).toContainText("some, inferred");
  // Over 250 ms both have nearly the same stall time.
  const [recorded, replayed] = [await share(/some([\d.]+) %/), await share(/some, inferred([\d.]+) %/)];
  expect(recorded).toBeGreaterThan(40);
  expect(Math.abs(recorded - replayed)).toBeLessThan(15);

  await page.getByRole("button", { name: "avg10", exact: true }).click();
  await expect.poll(() => param(page, "pa")).toBe("10");
  await expect(page.getByTestId("pressure-note")).toContainText("avg10");
  await page.mouse.move(x + 1, lane.y + lane.height / 2);
  await expect(tip).toContainText("some avg10, inferred");
  // The kernel updates its averages every 2 s, at times that the replay infers.
  const [own, inferred] = [
    await share(/some avg10([\d.]+) %/),
    await share(/some avg10, inferred([\d.]+) %/),
  ];
  expect(Math.abs(own - inferred)).toBeLessThan(4);
  await page.reload();
  await untilDrawn(page);
  await expect(page.getByTestId("pressure-note")).toContainText("avg10");
  expect(errors).toEqual([]);
});

test("a panel without its inputs says how to record them, and folds by itself", async ({ page }) => {
  const reason = "The recording has no kicks: add the probe nohz_balancer_kick.";
  await page.route("**/sections/idle_balancing*", (route) =>
    route.fulfill({ json: { available: false, reason } }),
  );
  await page.route("**/sections/page_migration*", (route) =>
    route.fulfill({ status: 500, json: { error: { sentence: "The replay of memory failed." } } }),
  );
  await open(page, "?v=2&d=none&open=");
  await expect(page.getByTestId("note-ilb")).toContainText(reason);
  await expect(page.getByTestId("kicks-lane")).toHaveCount(0);
  await expect(page.getByTestId("note-memory")).toContainText("The replay of memory failed.");
  await expect(page.getByTestId("note-cling")).toHaveAttribute("data-state", "ready");
});

test("a moving window renders and requests nothing until it rests", { tag: "@all" }, async ({ page }) => {
  await open(page, "?v=2&d=none&w=20000000000~24000000000");
  await expect(page.getByTestId("note-cling")).toHaveAttribute("data-state", "ready");
  await untilStill(page);
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/sections/")) requests.push(request.url());
  });
  await page.evaluate(() => {
    const seen = { count: 0 };
    const observer = new MutationObserver((changes) => {
      seen.count += changes.length;
    });
    for (const part of [".lane-names", ".lane-notes", ".inspector", ".drawer"]) {
      const element = document.querySelector(part);
      if (element) observer.observe(element, { subtree: true, childList: true, characterData: true });
    }
    Object.assign(globalThis, { rendered: seen });
  });
  const rendered = () =>
    page.evaluate(() => (globalThis as unknown as { rendered: { count: number } }).rendered.count);
  await page.keyboard.down("d");
  await passFrames(page, 80);
  expect(await rendered()).toBe(0);
  const during = requests.length;
  await page.keyboard.up("d");
  await expect.poll(rendered).toBeGreaterThan(0);
  await untilStill(page);
  // A moving window may request once per range of data that it enters, not with every frame.
  expect(during).toBeLessThanOrEqual(2);
  expect(requests.length).toBeLessThanOrEqual(8);
});
