// From a dropped file to the reason for a wait without a click, and to its raw event in at most three clicks.
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits, tabStops } from "./support/checks.ts";
import { choose, drop, untilDrawn, untilStill, watchForErrors } from "./support/page.ts";
import { PRESSURE, TOPOLOGY, TRACE } from "./support/recording.ts";
import { extra } from "./support/scope.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const scenario = (name: string) =>
  fileURLToPath(new URL(`../../samples/scenarios/${name}/bundle.tar.zst`, import.meta.url));

/** Of the Tab key, on opening: lists and rows of buttons are one each. */
const MOST_STOPS = 60;

/** Recordings, with the cause that each was made to show. */
const RECORDINGS = [
  {
    name: "a real-time task on the only CPU that a task may use",
    files: [scenario("realtime")],
    cause: "Behind a higher class",
    verdict: /waited .* behind .*, which was on CPU for .*real-time, deadline or stop task/,
  },
  {
    name: "a deadline task without budget",
    files: [scenario("deadline")],
    cause: /throttl/i,
    verdict: /waited .* throttled, as the quota/,
  },
  {
    name: "more tasks than CPUs",
    files: [TRACE, TOPOLOGY],
    cause: "CPUs saturated",
    verdict: /waited .* behind .*, which was on CPU for .*while no CPU was idle\.$/,
  },
] as const;

let server: Server;

test.beforeAll(async () => {
  server = await Server.start();
});

test.afterAll(async () => {
  await server.close();
});

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const spanOf = (text: string | null) => (text ?? "~").split("~").map(Number) as [number, number];
const clicks = (page: Page) => page.evaluate(() => Number(sessionStorage.getItem("clicks")));

/** Counts clicks in the page itself, so that no click of the test is missed. */
async function countClicks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.addEventListener(
      "click",
      (event) => {
        const counted = Number(sessionStorage.getItem("clicks") ?? 0);
        if (event.isTrusted) sessionStorage.setItem("clicks", String(counted + 1));
      },
      true,
    );
  });
}

for (const [place, { name, files, cause, verdict }] of RECORDINGS.entries()) {
  test(
    `the reason is there at once, its raw event three clicks away: ${name}`,
    extra(place > 0),
    async ({ page }) => {
      const errors = watchForErrors(page);
      await countClicks(page);
      await page.goto(`${server.address}/`);
      const [file, ...others] = files;
      if (others.length > 0) await choose(page, ...files);
      else await drop(page, file);
      await page.waitForURL(/\/a\/[\w-]+/, { timeout: 90_000 });
      await untilDrawn(page);

      await test.step("headline, causes, the worst wait's sentence and the timeline", async () => {
        await expect(page.getByTestId("headline")).toHaveText(/\. \d+ CPUs, \d+ % busy.*\.$/);
        const first = page.getByTestId("causes").getByRole("button").first();
        await expect(first).toContainText(cause);
        await expect(first).toHaveAttribute("aria-pressed", "true");
        await expect(page.getByTestId("worst-wait-chip")).toHaveAttribute("title", verdict);
        await expect(page.getByTestId("finding-facts")).toBeVisible();
        const [from, to] = spanOf(param(page, "w"));
        const whole =
          Number(
            (
              await page
                .getByText(/^[\d.]+ s$/)
                .first()
                .textContent()
            )?.split(" ")[0],
          ) * 1e9;
        expect(to - from).toBeLessThan(whole / 2);
        expect(await clicks(page)).toBe(0);
        expect(await tabStops(page)).toBeLessThanOrEqual(MOST_STOPS);
      });

      const sentence = (await page.getByTestId("worst-wait-chip").getAttribute("title")) ?? "";
      await test.step("the wait, part by part", async () => {
        await page.getByTestId("worst-wait-chip").click();
        await expect(page.getByTestId("wait-verdict")).toHaveText(sentence);
      });

      await test.step("its raw events, one of them on the timeline", async () => {
        await page.getByRole("button", { name: "raw events" }).click();
        const rows = page.getByTestId("event-rows").locator("tbody tr");
        const pid = /\((\d+)\) waited/.exec(sentence)?.[1];
        // The last switch to the task ended the wait.
        const end = rows.filter({ hasText: "sched_switch" }).filter({ hasText: `next_pid=${pid} ` });
        await expect(end.last()).toBeVisible();
        await end.last().getByRole("button").first().click();
        await expect.poll(() => param(page, "sel")).toMatch(/^cpu:\d+@\d+$/);
        await expect(page.getByTestId("slice-task")).toBeVisible();
        expect(await clicks(page)).toBeLessThanOrEqual(3);
      });
      expect(errors).toEqual([]);
    },
  );
}

/** Sizes of the page: a usual one, a low one, and the first at a zoom of 125 %. */
for (const [width, height] of [
  [1440, 900],
  [1280, 720],
  [1152, 720],
] as const) {
  test(`the timeline has the room at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.addInitScript(() => {
      const shifts = { sum: 0 };
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          shifts.sum += (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    const id = await server.added([TRACE, TOPOLOGY], `room at ${width}`);
    await page.goto(`${server.address}/a/${id}`);
    await untilDrawn(page);
    const shifted = await page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
    expect(shifted).toBeLessThanOrEqual(0.05);
    const timeline = await page.getByRole("region", { name: "Timeline", exact: true }).boundingBox();
    expect(timeline?.height).toBeGreaterThanOrEqual(0.55 * height);
    const lanes = await page.getByTestId("lanes").boundingBox();
    if (!lanes) throw new Error("nothing is drawn");
    // Both nodes, and the CPU of the worst wait.
    const cpu = /on CPUs? (\d+)/.exec(
      (await page.getByTestId("worst-wait-chip").getAttribute("title")) ?? "",
    )?.[1];
    for (const name of ["node 0", "node 1", `cpu ${cpu}`]) {
      const box = await page.getByText(name, { exact: true }).first().boundingBox();
      expect(box?.y, name).toBeGreaterThanOrEqual(lanes.y);
      expect((box?.y ?? 0) + (box?.height ?? 0), name).toBeLessThanOrEqual(lanes.y + lanes.height);
    }
    await test.step("details stand there on demand", async () => {
      await expect(page.getByTestId("longest-wait")).toHaveCount(0);
      await page.getByRole("button", { name: "Details" }).click();
      await expect(page.getByTestId("longest-wait")).toHaveText(/waited .*\.$/);
      await page.getByRole("button", { name: "Less" }).click();
    });
    await test.step("the drawer is as high as it was left", async () => {
      const border = page.getByRole("separator", { name: "Height of the drawer" });
      const drawer = page.getByRole("region", { name: "Drawer" });
      const before = (await drawer.boundingBox())?.height ?? 0;
      await border.press("ArrowUp");
      await border.press("ArrowUp");
      await expect.poll(async () => (await drawer.boundingBox())?.height).toBeCloseTo(before + 48, -1);
      await page.reload();
      await untilDrawn(page);
      expect((await drawer.boundingBox())?.height).toBeCloseTo(before + 48, -1);
    });
    await expectFits(page);
  });
}

test("times are by the wall clock where it is recorded, in links and in the search, too", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const id = await server.added([TRACE, TOPOLOGY, PRESSURE], "times");
  await page.goto(`${server.address}/a/${id}`);
  await untilDrawn(page);
  const menu = page.getByTitle("Clock of the time axis");
  const starts = page.getByTestId("findings-table").locator("tbody tr").first().locator("td").nth(4);
  const seconds = Number(await starts.textContent());
  await menu.click();
  await page.getByRole("menuitemcheckbox", { name: "wall clock, UTC" }).click();
  await expect(menu).toContainText("wall clock, UTC");
  await expect(starts).toHaveText(/^\d\d:\d\d:\d\d\.\d{3}$/);
  const wall = (await starts.textContent()) ?? "";
  expect(param(page, "t")).toBe("wall");
  await page.reload();
  await expect(starts).toHaveText(wall);
  // The same moment, as both clocks name it.
  const places: number[] = [];
  for (const typed of [`go to ${wall}`, String(seconds)]) {
    await page.keyboard.press("/");
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
    await untilStill(page);
    const [from, to] = spanOf(param(page, "w"));
    places.push((from + to) / 2);
  }
  expect(Math.abs((places[0] ?? 0) - (places[1] ?? 0))).toBeLessThan(2e6);
  expect(errors).toEqual([]);
});

test("a finding opens at its worst occurrence; brackets step on, and evidence is of that occurrence", async ({
  page,
}) => {
  const errors = watchForErrors(page);
  const id = await server.added([scenario("realtime")], "realtime");
  await page.goto(`${server.address}/a/${id}`);
  await untilDrawn(page);
  const facts = page.getByTestId("finding-facts");
  const places = facts.getByTestId("finding-occurrences").getByRole("button");
  const answer = (await (
    await fetch(`${server.address}/api/v1/analyses/${id}/sections/findings`)
  ).json()) as {
    from_ns: string;
    to_ns: string;
    findings: { id: string; occurrences: { worst: { from_ns: string; to_ns: string }[] } }[];
  };
  const hog = answer.findings.find((finding) => finding.id === "RT_HOG");
  const [worst, second] = hog?.occurrences.worst ?? [];
  if (!worst || !second) throw new Error("the scenario has no two occurrences");
  const shows = async (place: { from_ns: string; to_ns: string }) => {
    await expect.poll(() => spanOf(param(page, "w"))[0]).toBeLessThanOrEqual(Number(place.from_ns));
    const [from, to] = spanOf(param(page, "w"));
    const length = Number(place.to_ns) - Number(place.from_ns);
    expect(to).toBeGreaterThanOrEqual(Number(place.to_ns));
    expect(to - from).toBeLessThanOrEqual(length * 1.5);
  };

  await test.step("it opens there, and again after a click on another cause and back", async () => {
    await shows(worst);
    const causes = page.getByTestId("causes").getByRole("button");
    await causes.nth(1).click();
    await expect.poll(() => param(page, "fi")).not.toMatch(/^RT_HOG/);
    await untilStill(page);
    const [from, to] = spanOf(param(page, "w"));
    // Never outside the recording.
    expect(from).toBeGreaterThanOrEqual(Number(answer.from_ns) - 2e7);
    expect(to).toBeLessThanOrEqual(Number(answer.to_ns) + 2e7);
    await causes.first().click();
    await expect.poll(() => param(page, "fi")).toMatch(/^RT_HOG/);
    await shows(worst);
  });

  await test.step("brackets step through the occurrences, and the list follows", async () => {
    await expect(places.first()).toHaveAttribute("aria-current", "location");
    await page.keyboard.press("]");
    await expect.poll(() => param(page, "oc")).toBe("1");
    await expect(places.nth(1)).toHaveAttribute("aria-current", "location");
    await shows(second);
    await page.keyboard.press("[");
    await expect.poll(() => param(page, "oc")).toBeNull();
    await shows(worst);
  });

  await test.step("the occurrence is marked on its CPU's lane", async () => {
    await untilStill(page);
    const lane = await page.getByText("cpu 2", { exact: true }).boundingBox();
    const plot = await page.getByTestId("plot").boundingBox();
    if (!lane || !plot) throw new Error("nothing is drawn");
    const overlay = page.getByTestId("plot").locator("canvas").nth(1);
    const marked = await overlay.evaluate(
      (element, y) => {
        const canvas = element as HTMLCanvasElement;
        const ratio = canvas.width / canvas.getBoundingClientRect().width;
        const { data } = canvas
          .getContext("2d")
          ?.getImageData(canvas.width / 2, Math.max(0, y * ratio), 1, 24 * ratio) ?? { data: [] };
        return [...data].some((value, i) => i % 4 === 3 && value > 200);
      },
      lane.y - plot.y - 12,
    );
    expect(marked).toBe(true);
  });

  await test.step("evidence lists the waits of that occurrence, until it follows the window again", async () => {
    await page.keyboard.press("e");
    await expect(page.getByRole("tab", { name: "Waits", exact: true })).toHaveAttribute(
      "aria-selected",
      "true",
    );
    await expect.poll(() => param(page, "hw")).toBe(`${worst.from_ns}~${worst.to_ns}`);
    await expect(page.getByRole("button", { name: "Of the finding", pressed: true })).toBeVisible();
    const rows = page.getByTestId("waits-table").locator("tbody tr");
    await expect(rows.first()).toContainText("victim");
    await page.reload();
    await untilDrawn(page);
    await expect(rows.first()).toContainText("victim");
    await page.getByRole("button", { name: "follow the window" }).click();
    await expect.poll(() => param(page, "hw")).toBeNull();
  });
  await expectFits(page);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});
