// Gestures on the timeline: wheel, drag, brush, keys, search. The address shows what moved.
import type { Page } from "@playwright/test";
import {
  hold,
  openView,
  passFrames,
  untilDrawn,
  untilStill,
  viewIn,
  watchForErrors,
} from "./support/page.ts";
import { extra } from "./support/scope.ts";
import { expect, serveSample, test } from "./support/test.ts";

const START = { from: 20_000_000_000, to: 21_000_000_000 };

const sample = serveSample();

async function open(page: Page) {
  await page.goto(
    `${sample.server.address}/a/${sample.analysis}?v=2&d=none&w=${START.from}~${START.to}&open=0,1`,
  );
  await untilDrawn(page);
  const place = await page.getByTestId("plot").boundingBox();
  if (!place) throw new Error("the plot has no place on the page");
  return place;
}

/** The window in the address once it rests. */
async function windowOf(page: Page): Promise<{ from: number; to: number }> {
  await untilStill(page);
  const [from = 0, to = 0] = (viewIn(page).window ?? "").split("~").map(Number);
  return { from, to };
}

test("dragging moves the window by the distance dragged, and keeps its length", async ({ page }) => {
  const place = await open(page);
  const y = place.y + 40;
  await page.mouse.move(place.x + 500, y);
  await page.mouse.down();
  await page.mouse.move(place.x + 300, y, { steps: 8 });
  await page.mouse.up();
  const { from, to } = await windowOf(page);
  expect(to - from).toBe(1_000_000_000);
  expect(Math.abs(from - START.from - (200 / place.width) * 1e9)).toBeLessThan(2e6);
});

test("a Shift drag selects a time range: the zoom stays, sums are of the range, Enter zooms to it, the link keeps it", async ({
  page,
}) => {
  const place = await open(page);
  const heading = page.getByTestId("inspector").getByRole("heading").first();
  await page.keyboard.down("Shift");
  await page.mouse.move(place.x + place.width * 0.25, place.y + 60);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width * 0.75, place.y + 60, { steps: 6 });
  // While the button is held, the sums are of the range selected so far.
  await expect(heading).toHaveText("Selected range");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  expect(await windowOf(page)).toEqual(START);
  const area = new URL(page.url()).searchParams.get("ar") ?? "";
  const [from = 0, to = 0] = area.split("~").map(Number);
  expect(Math.abs(from - 20.25e9)).toBeLessThan(5e6);
  expect(Math.abs(to - 20.75e9)).toBeLessThan(5e6);

  const requested = page.waitForRequest((request) => request.url().includes("/sections/residency?"));
  await openView(page, "Tasks");
  const { searchParams } = new URL((await requested).url());
  expect(`${searchParams.get("from_ns")}~${searchParams.get("to_ns")}`).toBe(area);

  await page.reload();
  await untilDrawn(page);
  await expect(heading).toHaveText("Selected range");
  expect(await windowOf(page)).toEqual(START);

  // As wide as selected, and committed as the range that the window stays in.
  await page.keyboard.press("Enter");
  await expect(heading).toHaveText("Window");
  expect(await windowOf(page)).toEqual({ from, to });
  expect(new URL(page.url()).searchParams.get("in")).toBe(area);
  await page.goBack();
  await expect(heading).toHaveText("Selected range");
  expect(await windowOf(page)).toEqual(START);
  await page.keyboard.press("Escape");
  await expect(heading).toHaveText("Window");
});

for (const width of [390, 768]) {
  test(
    `two fingers zoom around their middle, one drags, ${width} px`,
    extra(width > 390),
    async ({ browser }) => {
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        hasTouch: true,
        isMobile: true,
      });
      const page = await context.newPage();
      await open(page);
      await page.getByTestId("plot").scrollIntoViewIfNeeded();
      const place = await page.getByTestId("plot").boundingBox();
      if (!place) throw new Error("the plot has no place on the page");
      const cdp = await context.newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
        cdp.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: xs.map((x, id) => ({ x: place.x + x * place.width, y: place.y + 40, id })),
        });
      await touch("touchStart", 0.4, 0.6);
      await touch("touchMove", 0.3, 0.7);
      await touch("touchMove", 0.2, 0.8);
      await touch("touchEnd");
      const zoomed = await windowOf(page);
      // Three times as far apart: a third of the time, around the same middle.
      expect(Math.abs(zoomed.to - zoomed.from - 1e9 / 3)).toBeLessThan(2e7);
      expect(Math.abs((zoomed.from + zoomed.to) / 2 - 20.5e9)).toBeLessThan(1e7);
      await touch("touchStart", 0.7);
      await touch("touchMove", 0.5);
      await touch("touchMove", 0.2);
      await touch("touchEnd");
      const moved = await windowOf(page);
      expect(Math.abs(moved.to - moved.from - (zoomed.to - zoomed.from))).toBeLessThan(3);
      expect(moved.from - zoomed.from).toBeGreaterThan(0.4 * (zoomed.to - zoomed.from));
      await context.close();
    },
  );
}

test("the wheel zooms at the pointer, and Shift with the wheel pans", async ({ page }) => {
  const place = await open(page);
  await page.mouse.move(place.x + place.width * 0.25, place.y + 60);
  await page.mouse.wheel(0, -240);
  const zoomed = await windowOf(page);
  const at = zoomed.from + 0.25 * (zoomed.to - zoomed.from);
  expect(Math.abs(at - 20.25e9)).toBeLessThan(1e6);
  expect(zoomed.to - zoomed.from).toBeLessThan(0.8e9);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 200);
  await page.keyboard.up("Shift");
  const moved = await windowOf(page);
  expect(moved.from).toBeGreaterThan(zoomed.from);
  expect(Math.abs(moved.to - moved.from - (zoomed.to - zoomed.from))).toBeLessThan(3);
});

test("the brush on the minimap moves the window and keeps its length", async ({ page }) => {
  await open(page);
  const map = await page.getByTestId("minimap").boundingBox();
  const brush = await page.locator(".brush .selection").boundingBox();
  if (!map || !brush) throw new Error("the minimap has no brush");
  await page.mouse.move(brush.x + brush.width / 2, map.y + 20);
  await page.mouse.down();
  await page.mouse.move(brush.x + brush.width / 2 + 200, map.y + 20, { steps: 6 });
  await page.mouse.up();
  const { from, to } = await windowOf(page);
  expect(Math.abs(to - from - 1e9)).toBeLessThan(3);
  expect(from).toBeGreaterThan(START.from + 5e9);
  await page.mouse.click(map.x + map.width * 0.1, map.y + 20);
  expect((await windowOf(page)).from).toBeLessThan(15e9);
});

test("keys: A and D pan, W and S zoom, Shift f shows all, f fits a slice, Esc deselects", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const place = await open(page);
  await hold(page, "d");
  const later = await windowOf(page);
  expect(later.from).toBeGreaterThan(START.from);
  await hold(page, "ArrowUp");
  const closer = await windowOf(page);
  expect(closer.to - closer.from).toBeLessThan(later.to - later.from);
  await page.keyboard.press("Shift+F");
  const all = await windowOf(page);
  expect(all.to - all.from).toBeGreaterThan(45e9);

  await page.goBack();
  await untilDrawn(page);
  const lane = await page.getByText("cpu 4", { exact: true }).boundingBox();
  if (!lane) throw new Error("cpu 4 has no lane");
  await page.mouse.click(place.x + place.width * 0.3, lane.y + lane.height * 0.6);
  await expect(page.getByTestId("slice-task")).toBeVisible();
  await page.keyboard.press("f");
  const fitted = await windowOf(page);
  const at = Number((viewIn(page).selection ?? "@").split("@")[1]);
  expect(at).toBeGreaterThan(fitted.from);
  expect(at).toBeLessThan(fitted.to);
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("slice-task")).toBeHidden();
  await expect.poll(() => viewIn(page).selection).toBeNull();
  expect(errors).toEqual([]);
});

test("search finds a task by name and selects its first slice in the window", async ({ page }) => {
  await open(page);
  await page.keyboard.press("/");
  await page.keyboard.type("ng_A.2");
  await page.keyboard.press("Enter");
  await expect(page.getByTestId("slice-task")).toHaveText("ng_A.2");
  const at = Number((viewIn(page).selection ?? "@").split("@")[1]);
  expect(at).toBeGreaterThanOrEqual(START.from);
});

test("with reduced motion, the window jumps to a finding", async ({ browser }) => {
  const context = await browser.newContext({ reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.goto(`${sample.server.address}/a/${sample.analysis}`);
  await untilDrawn(page);
  const length = () => page.getByTestId("window-length").textContent();
  await page.getByTestId("findings-table").locator("tbody").getByRole("button").nth(3).click();
  // Two windows and none in between: an animation would have dozens.
  const seen = new Set<string | null>();
  for (let i = 0; i < 15; i += 1) {
    seen.add(await length());
    await passFrames(page, 1);
  }
  expect(seen.size).toBeLessThanOrEqual(2);
  await context.close();
});

test("a slice, a lane and a row have a menu: by the other button of the mouse and by the keyboard", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const place = await open(page);
  const cpu = await page.locator(".cpu-name", { hasText: "cpu 4" }).boundingBox();
  const y = (cpu?.y ?? 0) + 14;
  const items = page.getByRole("menu").getByRole("menuitem");
  await page.mouse.click(place.x + place.width / 2, y, { button: "right" });
  await expect(items).toHaveText(["Copy", "Zoom to it", "Show its events", /^Pin \S+ \d+$/, "Copy link"]);
  await page.keyboard.press("Escape");
  // What was pointed at is selected now: keys open the same menu.
  await untilStill(page);
  await page.keyboard.press("Shift+F10");
  await items.filter({ hasText: "Pin" }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get("pin")).toMatch(/^task:\d+$/);
  await page.keyboard.press("Shift+F10");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const { from, to } = await windowOf(page);
  expect(to - from).toBeLessThan(START.to - START.from);

  await page.getByRole("button", { name: "Pin node 1" }).focus();
  await page
    .locator(".node-name")
    .first()
    .click({ button: "right", position: { x: 100, y: 4 } });
  await expect(items).toHaveText(["Pin node 0"]);
  await page.keyboard.press("Escape");

  await page.keyboard.press("q");
  const rows = page.getByTestId("findings-table").locator("tbody tr");
  await rows.nth(1).locator("th, td").nth(1).click({ button: "right" });
  const name = (await items.filter({ hasText: "Filter by" }).textContent())?.replace("Filter by ", "") ?? "";
  await items.filter({ hasText: "Filter by" }).click();
  for (const row of await rows.all()) await expect(row).toContainText(name);
  expect(errors).toEqual([]);
});
