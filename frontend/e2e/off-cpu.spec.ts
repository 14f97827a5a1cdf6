// Time off the CPU: a task's sleeps with their stories, the requests of a log, and zooms that are undone.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { openView, untilDrawn, untilStill, viewIn, watchForErrors } from "./support/page.ts";
import { TRACE } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();
const WINDOW = "w=20000000000~20200000000";

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
  await untilDrawn(page);
}

async function windowOf(page: Page): Promise<string | null> {
  await untilStill(page);
  return viewIn(page).window ?? null;
}

test("a task's longest sleep opens its story: a sentence, and the chain behind it", async ({ page }) => {
  const errors = watchForErrors(page);
  await open(page, `d=tasks&${WINDOW}`);
  await page.getByLabel("Filter tasks by name or pid").fill("ng_A.2");
  await page.getByTestId("tasks-table").getByRole("button", { name: "ng_A.2", exact: true }).click();
  await expect(page.getByTestId("ledger-asleep")).toBeVisible();
  await page.getByTestId("task-sleeps").getByRole("button").first().click();
  await expect(page.getByTestId("picked-facts").getByRole("heading").first()).toContainText("asleep, ");
  await expect(page.getByTestId("picked-facts")).toContainText("woken by");
  await expect(page.getByTestId("sleep-story").locator("> p").first()).toContainText(/slept [\d.]+ ms, /);
  await expect(page.getByTestId("task-lane")).toHaveCount(1);
  await expectAccessible(page);
  await expectFits(page);
  expect(errors).toEqual([]);
});

test("a click on a slice leaves the canvas as it is, and zooms are undone and redone", async ({ page }) => {
  await open(page, `d=none&${WINDOW}&open=0`);
  const plot = page.getByTestId("plot");
  const before = await plot.boundingBox();
  const lane = await page.locator(".lane-names").getByText("cpu 0", { exact: true }).boundingBox();
  if (!before || !lane) throw new Error("there is no lane");
  await page.mouse.click(before.x + 110, lane.y + lane.height / 2);
  await expect(page.getByTestId("slice-task")).toBeVisible();
  expect((await plot.boundingBox())?.width).toBe(before.width);

  const shown = [await windowOf(page)];
  for (const key of ["f", "Shift+F"]) {
    await page.keyboard.press(key);
    shown.push(await windowOf(page));
  }
  expect(new Set(shown).size).toBe(3);
  await page.keyboard.press("z");
  expect(await windowOf(page)).toBe(shown[1]);
  await page.keyboard.press("ControlOrMeta+z");
  expect(await windowOf(page)).toBe(shown[0]);
  await page.keyboard.press("Shift+Z");
  expect(await windowOf(page)).toBe(shown[1]);
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("undo the last zoom");
  await page.keyboard.press("Enter");
  expect(await windowOf(page)).toBe(shown[0]);
});

test("a log of requests: the first sentence is about the slow ones, each a press from its place", async ({
  page,
}) => {
  const folder = await mkdtemp(join(tmpdir(), "numalens-requests-"));
  const log = join(folder, "requests.csv");
  // Every 20 ms one of 2 ms, and one of 80 ms.
  const rows = Array.from({ length: 100 }, (_, i) => [20_000_000_000 + 20_000_000 * i, i === 50 ? 8e7 : 2e6]);
  await writeFile(log, `start_ns,duration_ns,tid\n${rows.map((row) => `${row.join(",")},774\n`).join("")}`);
  const server = await Server.start();
  const id = await server.added([TRACE, log], "requests");
  await page.goto(`${server.address}/a/${id}?v=2&d=requests`);
  await untilDrawn(page);
  await expect(page.getByTestId("requests-view")).toContainText("100 requests");
  const summary = (await page.locator(".requests-summary").textContent()) ?? "";
  expect(summary).toContain("(from 80.0 ms)");
  await expect(page.getByTestId("headline")).toContainText(summary);
  await expect(page.getByTestId("requests-difference").getByRole("row").nth(1)).toContainText("+");
  await page.getByTestId("requests-worst").getByRole("button").first().click();
  const [from = 0, to = 0] = ((await windowOf(page)) ?? "").split("~").map(Number);
  expect(from).toBeLessThan(21_000_000_000);
  expect(to).toBeGreaterThan(21_080_000_000);
  expect(to - from).toBeLessThan(200_000_000);
  // The same by the chart's keys.
  await openView(page, "Requests");
  await page.getByTestId("requests-chart").focus();
  await page.keyboard.press("End");
  await expect(page.getByTestId("requests-readout")).toContainText("80 ms");
  await expectAccessible(page);
  await expectFits(page);
  await server.close();
  await rm(folder, { recursive: true });
});

test("a finding about sleep opens with the ledger of its victim, and the victim's lane", async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), "numalens-stopped-"));
  const text = join(folder, "trace.txt");
  await writeFile(text, stoppedTask());
  const server = await Server.start();
  const id = await server.added([text], "stopped");
  await page.goto(`${server.address}/a/${id}`);
  await untilDrawn(page);
  await expect(page.getByTestId("task-lane")).toContainText("victim");
  const evidence = page.getByTestId("finding-evidence");
  await expect(evidence.getByTestId("ledger-asleep")).toContainText("stopped");
  await expect(evidence.getByTestId("ledger-asleep")).toContainText("1.998 s");
  await expect(page.getByTestId("finding-waits")).toHaveCount(0);
  await server.close();
  await rm(folder, { recursive: true });
});

/** A task that works every 20 ms for 4 s and is stopped for 2 s of them. */
function stoppedTask(): string {
  const lines: string[] = [];
  const stamp = (ms: number) => (100 + ms / 1000).toFixed(6);
  const swap = (ms: number, [prev, was]: [string, string], next: string) =>
    lines.push(
      ` x-1 [000] d..2 ${stamp(ms)}: sched_switch: prev_comm=${name(prev)} prev_pid=${prev} prev_prio=120 prev_state=${was} ==> next_comm=${name(next)} next_pid=${next} next_prio=120`,
    );
  const name = (pid: string) => ({ "0": "swapper/0", "501": "victim" })[pid] ?? "shell";
  for (let ms = 0; ms < 4000; ms += 20) {
    if (ms > 1000 && ms < 3000) continue;
    const by = ms === 3000 ? "600" : "0";
    if (by === "600") swap(ms, ["0", "R"], by);
    lines.push(
      ` ${name(by)}-${by} [000] d..2 ${stamp(ms + 1)}: sched_wakeup: comm=victim pid=501 prio=120 target_cpu=000`,
    );
    swap(ms + 1.01, [by, by === "0" ? "R" : "S"], "501");
    swap(ms + 3, ["501", ms === 1000 ? "T" : "S"], "0");
  }
  return `# tracer: nop\n#\n# entries-in-buffer/entries-written: ${lines.length}/${lines.length}   #P:1\n#\n${lines.join("\n")}\n`;
}
