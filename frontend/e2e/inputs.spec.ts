// Inputs of a post-mortem: samples with a recording, a damaged file, and a file whose clock is unknown.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import {
  choose,
  coloursIn,
  openView,
  shareOfColour,
  untilDrawn,
  untilStill,
  viewIn,
  watchForErrors,
} from "./support/page.ts";
import { PRESSURE, TOPOLOGY, TRACE } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

/** Recorded to a pipe, so that the descriptions precede the events. */
const DAMAGED = fileURLToPath(
  new URL("../../samples/fixtures/perf/perf-sched-pipe.pipe.data.zst", import.meta.url),
);

let server: Server;
let folder: string;

test.beforeAll(async () => {
  server = await Server.start();
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-file-"));
});

test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server.close();
});

interface PressureSample {
  readonly mono_ns: number;
  readonly real_ns: number;
  readonly cpu: string;
  readonly memory: string;
}

async function samples(): Promise<PressureSample[]> {
  const lines = (await readFile(PRESSURE, "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as PressureSample);
}

/** `some total` of a pressure file, µs. */
const total = (text: string) => Number(/some .*total=(\d+)/.exec(text)?.[1]);

async function open(page: Page, ...files: string[]): Promise<string[]> {
  const errors = watchForErrors(page);
  await page.goto(`${server.address}/`);
  await choose(page, ...files);
  await page.waitForURL(/\/a\//, { timeout: 60_000 });
  return errors;
}

/** The pressure lane of a resource: the part of the plot next to its name. */
async function laneOf(page: Page, resource: string) {
  const name = await page.getByTestId(`pressure-${resource}`).locator("..").boundingBox();
  const plot = await page.getByTestId("plot").boundingBox();
  if (!name || !plot) throw new Error(`there is no lane for ${resource}`);
  return { x: plot.x, width: plot.width, y: name.y, height: name.height };
}

test("samples are aligned to the recording's clock: inputs, tables, lanes, downloads", async ({ page }) => {
  const errors = await open(page, TRACE, PRESSURE, TOPOLOGY);
  await untilDrawn(page);

  await test.step("the pressure lanes show the counters", async () => {
    await expect(page.getByTestId("note-psi").locator(".glyph-key")).toContainText(["some", "full"]);
    await expect(page.getByTestId("pressure-cpu")).toHaveText(/^\d+\.\d\d %/);
    // The panels above have loaded by then, so the lanes no longer move.
    await expect(page.getByTestId("note-cling")).not.toHaveAttribute("data-state", "loading");
    await page.getByTestId("pressure-io").scrollIntoViewIfNeeded();
    await untilStill(page);
    // The edge of the area has nearly the token's colour: much of it under load, none where nothing stalled. The replayed
    // line covers a part of it.
    const busy = await laneOf(page, "cpu");
    const still = await laneOf(page, "memory");
    expect(await shareOfColour(page, busy, "--cost")).toBeGreaterThan(0.005);
    expect(await shareOfColour(page, still, "--cost")).toBeLessThan(0.001);
  });

  await test.step("the crosshair shows the exact share between two samples", async () => {
    const [from, to] = (viewIn(page).window ?? "0~0").split("~").map(Number);
    const all = await samples();
    const lane = await laneOf(page, "cpu");
    const x = lane.x + lane.width / 2;
    await page.mouse.move(x, lane.y + lane.height / 2);
    const tip = page.getByRole("tooltip");
    await expect(tip).toContainText("pressure cpu");
    await expect(tip).toContainText("observed");
    const text = await tip.textContent();
    const begin = /from(\d+)\.(\d{9}) s/.exec(text ?? "");
    const at = Number(begin?.[1] ?? 0) * 1e9 + Number(begin?.[2] ?? 0);
    const i = all.findIndex(({ mono_ns }) => mono_ns === at);
    expect(i).toBeGreaterThan(0);
    const stall = total(all[i + 1]?.cpu ?? "") - total(all[i]?.cpu ?? "");
    expect(text).toContain(`(${stall.toLocaleString("en-US")} µs)`);
    if (to) expect(Math.abs(at - ((from ?? 0) + to) / 2)).toBeLessThan(2e9);
    await page.mouse.move(x, 20);
  });

  await test.step("the section folds, and the link keeps it folded", async () => {
    const section = page.getByRole("button", { name: "pressure", exact: true });
    await section.click();
    await expect(page.getByTestId("pressure-cpu")).toHaveCount(0);
    expect(new URL(page.url()).searchParams.get("p")).toContain(",_psi,");
    await page.reload();
    await untilDrawn(page);
    await expect(page.getByTestId("pressure-cpu")).toHaveCount(0);
    await section.click();
    await expect(page.getByTestId("pressure-cpu")).toBeVisible();
  });

  await test.step("the inputs say how each was aligned", async () => {
    await openView(page, "Recording", "Inputs");
    const table = page.getByTestId("inputs-table");
    await expect(table.getByRole("row", { name: /^trace.dat/ })).toContainText("1,212,501 events");
    const psi = table.getByRole("row", { name: /^psi.jsonl/ });
    await expect(psi).toContainText("200 samples");
    await expect(psi.locator(".label-observed")).toHaveText("same clock");
    await psi.getByRole("button", { name: "psi.jsonl" }).click();
    await expect(page.getByRole("region", { name: "Place of psi.jsonl in time" })).toContainText("observed");
    await expect(page.getByLabel("Shift by")).toBeVisible();
  });

  await test.step("the samples tab shows rows of the window and exports them", async () => {
    await openView(page, "Recording", "Samples");
    await expect(page.getByTestId("samples-table").getByRole("row", { name: /psi/ })).toContainText("600");
    const count = page.getByTestId("sample-count");
    await expect(count).toContainText("in the window");
    const whole = await count.textContent();
    await page.getByTestId("plot").hover({ position: { x: 300, y: 60 } });
    for (let i = 0; i < 6; i += 1) await page.mouse.wheel(0, -150);
    await expect(count).not.toHaveText(whole ?? "");
    await expect(count).toContainText("in the window");
    // Only the rows on the screen are elements.
    expect(await page.getByTestId("sample-rows").locator("tbody tr").count()).toBeLessThan(60);
    const download = page.waitForEvent("download");
    await page
      .getByTestId("samples-table")
      .getByRole("row", { name: /psi/ })
      .getByRole("link", { name: "CSV" })
      .click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("psi.csv");
    const saved = join(folder, "psi.csv");
    await file.saveAs(saved);
    const lines = (await readFile(saved, "utf8")).trim().split("\n");
    expect(lines).toHaveLength(601);
    expect(lines[0]?.split(",")).toEqual(expect.arrayContaining(["input", "ts_ns", "some_total_us"]));
  });
  expect(errors).toEqual([]);
});

test("without samples the lanes show the replayed pressure; samples without a trace are summed up", {
  tag: "@all",
}, async ({ page }) => {
  const errors = await open(page, TRACE);
  await expect(page.getByTestId("pressure-note")).toContainText("not sampled, from events only");
  await expect(page.getByTestId("replay-legend")).toBeVisible();
  await open(page, PRESSURE);
  await expect(page.getByTestId("headline")).toContainText(/^Pressure was sampled \(PSI some: cpu \d/);
  await expect(page.getByTestId("pressure-note")).toContainText("whole system, recorded");
  expect(errors).toEqual([]);
});

test("a truncated file ends in one sentence, and its readable part opens with a warning", async ({
  page,
}) => {
  const whole = await readFile(DAMAGED);
  const file = join(folder, "incident.data.zst");
  await writeFile(file, whole.subarray(0, Math.floor(whole.length * 0.6)));
  const errors = await open(page, file);
  await expect(page.getByTestId("sentence")).toContainText("incident.data.zst");
  await page.getByRole("button", { name: "Read the undamaged parts" }).click();
  await untilDrawn(page);
  const badge = page.getByRole("button", { name: /^read with errors: \d+ parts? left out$/ });
  await expect(badge).toBeVisible();
  const place = await page.getByTestId("plot").boundingBox();
  expect(
    await coloursIn(page, { x: 0, y: 0, width: Math.floor(place?.width ?? 0), height: 300 }),
  ).toBeGreaterThan(8);
  await badge.click();
  const row = page.getByTestId("inputs-table").getByRole("row", { name: /incident/ });
  await expect(row).toContainText(/\d+ parts?/);
  await row.getByRole("button").click();
  await expect(page.getByRole("region", { name: /left out/ })).toContainText(/bytes [\d,]+ up to [\d,]+/);
  expect(errors).toEqual([]);
});

test("samples with an unknown clock get an offset from the owner", async ({ page }) => {
  // A loop of `date +%s.%N; cat /proc/pressure/cpu`: wall-clock times, which no other input has.
  const all = (await samples()).slice(20, 120);
  const text = all.map(({ real_ns, cpu }) => `${(real_ns / 1e9).toFixed(3)}\n${cpu}`).join("");
  const file = join(folder, "cpu.pressure.txt");
  await writeFile(file, text);
  const errors = await open(page, TRACE, TOPOLOGY, file);
  await untilDrawn(page);
  await expect(page.getByTestId("pressure-note")).toContainText("their times cannot be aligned");
  await expect(page.getByRole("button", { name: "cpu.pressure.txt not aligned in time" })).toBeVisible();
  await page.getByRole("button", { name: "Set time offset…" }).click();
  const field = page.getByLabel(/Its first sample/);
  const first = all[0];
  if (!first) throw new Error("there are no samples");
  await field.fill("soon");
  await expect(page.getByText("A time in s, as the axis shows it.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Read again" })).toBeDisabled();
  await field.fill((first.mono_ns / 1e9).toFixed(3));
  await page.getByRole("button", { name: "Read again" }).click();
  // The page stays usable while the files are imported again.
  await expect(page.getByTestId("plot")).toBeVisible();
  await expect(page.getByTestId("pressure-note")).toContainText("recorded", { timeout: 60_000 });
  await expect(page.getByTestId("pressure-cpu")).toHaveText(/\d %/);
  await expect(page.getByTestId("inputs-table").getByRole("row", { name: /cpu.pressure/ })).toContainText(
    "shifted by you",
  );

  await test.step("the offset can be removed", async () => {
    await page.getByRole("button", { name: "cpu.pressure.txt", exact: true }).click();
    await page.getByRole("button", { name: "Remove the offset" }).click();
    await expect(page.getByTestId("pressure-note")).toContainText("cannot be aligned", { timeout: 60_000 });
  });
  expect(errors).toEqual([]);
});
