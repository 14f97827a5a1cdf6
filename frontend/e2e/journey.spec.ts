// The whole journey: upload over a broken connection, open, expand, zoom, select, share, open elsewhere, revoke.
import {
  choose,
  coloursIn,
  passFrames,
  sentShare,
  untilDrawn,
  untilSent,
  uploadRow,
  viewIn,
  watchForErrors,
} from "./support/page.ts";
import { Wire } from "./support/proxy.ts";
import { TOPOLOGY, TRACE, TRACE_BYTES } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

let server: Server;
let wire: Wire;

test.beforeEach(async () => {
  server = await Server.start();
  wire = await Wire.open(server.port, 5_000_000);
});

test.afterEach(async () => {
  await wire.close();
  await server.close();
});

test("a recording is uploaded over a broken connection, imported and shared, and opens elsewhere at the same window", async ({
  page,
  browser,
}) => {
  const errors = watchForErrors(page);
  expect(TRACE_BYTES).toBeGreaterThanOrEqual(8_000_000);

  await test.step("the empty page says how to start", async () => {
    await page.goto(`${wire.address}/`);
    await expect(
      page.getByRole("heading", { name: "Find out why a task waited, in three steps" }),
    ).toBeVisible();
    await expect(page.getByText("sudo trace-cmd record")).toBeVisible();
  });

  const trace = uploadRow(page, "trace.dat");
  await test.step("an interrupted connection is detected and resumed", async () => {
    await choose(page, TRACE, TOPOLOGY);
    await untilSent(trace, 0.35);
    wire.cut();
    await expect(trace).toHaveAttribute("data-state", "retrying");
    const before = await sentShare(trace);
    wire.restore();
    await untilSent(trace, Math.min(0.85, before + 0.1));
    await expect(trace).toHaveAttribute("data-state", "uploading");
  });

  await test.step("pause stops the upload", async () => {
    await trace.getByRole("button", { name: "Pause" }).click();
    await expect(trace).toHaveAttribute("data-state", "paused");
    // Bytes that the kernel already has are still sent; then the connection is idle.
    await expect
      .poll(async () => {
        const before = wire.sent;
        await passFrames(page, 30);
        return wire.sent - before;
      })
      .toBeLessThan(2000);
    await expect(trace).toHaveAttribute("data-state", "paused");
  });

  await test.step("after a reload the file is chosen again, and only the rest is sent", async () => {
    await page.reload();
    await expect(trace).toHaveAttribute("data-state", "absent");
    await expect(trace).toContainText("needs the file");
    await expect.poll(() => sentShare(trace)).toBeGreaterThan(0.3);
    const kept = await sentShare(trace);
    const before = wire.sent;
    wire.rate = 50_000_000;
    await choose(page, TRACE);
    await page.waitForURL(/\/a\/[\w-]+/, { timeout: 60_000 });
    const rest = TRACE_BYTES * (1 - kept);
    expect(wire.sent - before).toBeLessThan(rest + 600_000);
  });

  await test.step("the analysis opens by itself with every CPU of both nodes", async () => {
    await untilDrawn(page);
    await expect(page.getByText("4 CPUs · 0-3")).toBeVisible();
    await expect(page.getByText("4 CPUs · 4-7")).toBeVisible();
    await expect(page.getByText("cpu 7", { exact: true })).toBeVisible();
  });

  const nodeZero = page.getByRole("button", { name: "node 0", exact: true });
  await test.step("a node folds and expands, and Back undoes it", async () => {
    await nodeZero.click();
    await expect(page.getByText("cpu 3", { exact: true })).toBeHidden();
    await expect.poll(() => viewIn(page).open).toBe("1");
    await nodeZero.click();
    await expect(page.getByText("cpu 3", { exact: true })).toBeVisible();
    await expect.poll(() => viewIn(page).open).toBe("0,1");
    await page.goBack();
    await expect(page.getByText("cpu 3", { exact: true })).toBeHidden();
    await page.goForward();
    await expect(page.getByText("cpu 3", { exact: true })).toBeVisible();
  });

  const plot = page.getByTestId("plot");
  const place = await plot.boundingBox();
  if (!place) throw new Error("the plot has no place on the page");
  await test.step("the wheel zooms at the pointer, and the window is in the address", async () => {
    await page.mouse.move(place.x + place.width / 2, place.y + 200);
    for (let i = 0; i < 15; i += 1) await page.mouse.wheel(0, -150);
    await expect.poll(() => viewIn(page).window).not.toBeNull();
    await untilDrawn(page);
    const [from, to] = (viewIn(page).window ?? "").split("~").map(Number);
    expect((to ?? 0) - (from ?? 0)).toBeLessThan(200_000_000);
    expect(
      await coloursIn(page, { x: 0, y: 0, width: Math.floor(place.width), height: 400 }),
    ).toBeGreaterThan(8);
  });

  await test.step("hovering describes a slice, a click selects it, and the dot goes to the task's next slice", async () => {
    await page.getByTestId("lanes").evaluate((lanes) => lanes.scrollTo(0, 0));
    const lane = await page.getByText("cpu 1", { exact: true }).boundingBox();
    if (!lane) throw new Error("cpu 1 has no lane");
    const y = lane.y + lane.height * 0.6;
    await page.mouse.move(place.x + place.width * 0.45, y);
    await expect(page.getByRole("tooltip")).toContainText("duration");
    await expect(page.getByRole("tooltip")).toContainText("CPU 1, node 0");
    await page.mouse.click(place.x + place.width * 0.45, y);
    const task = page.getByTestId("slice-task");
    await expect(task).toBeVisible();
    const name = await task.textContent();
    const first = viewIn(page).selection;
    expect(first).toMatch(/^cpu:1@\d+$/);
    await page.keyboard.press(".");
    await expect.poll(() => viewIn(page).selection).not.toBe(first);
    await expect(task).toHaveText(name ?? "");
    await page.keyboard.press(",");
    await expect.poll(() => viewIn(page).selection).toBe(first);
  });

  let link = "";
  await test.step("a link is made", async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.getByLabel("expires after")).toHaveValue("30 days");
    await page.getByRole("button", { name: "Create link" }).click();
    link = await page.getByTestId("share-link").inputValue();
    expect(link).toMatch(/\/s#[\w-]{22,}$/);
    await expect(page.getByTestId("share-row")).toHaveCount(1);
  });

  const shown = viewIn(page);
  await test.step("the link opens in a fresh browser at the same window, read-only", async () => {
    const other = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const guest = await other.newPage();
    const guestErrors = watchForErrors(guest);
    await guest.goto(link);
    await untilDrawn(guest);
    expect(viewIn(guest)).toEqual(shown);
    await expect(guest.getByText("Shared view, for looking.")).toBeVisible();
    await expect(guest.getByTestId("slice-task")).toHaveText(
      (await page.getByTestId("slice-task").textContent()) ?? "",
    );
    await expect(guest.getByRole("button", { name: "Share" })).toHaveCount(0);
    await expect(guest.getByRole("link", { name: "analyses" })).toHaveCount(0);
    // The guest may move, and a reload keeps the guest's own window.
    await guest.keyboard.press("Shift+F");
    await expect.poll(() => viewIn(guest).window).not.toBe(shown.window);
    const wandered = viewIn(guest).window;
    await guest.reload();
    await untilDrawn(guest);
    expect(viewIn(guest).window).toBe(wandered);
    expect(guestErrors).toEqual([]);
    await other.close();
  });

  await test.step("a revoked link no longer works and says so in one sentence", async () => {
    await page.getByRole("button", { name: "Revoke" }).click();
    await expect(page.getByText("revoked", { exact: true })).toBeVisible();
    const other = await browser.newContext();
    const guest = await other.newPage();
    await guest.goto(link);
    await expect(guest.getByRole("heading", { name: "This link does not work" })).toBeVisible();
    await expect(guest.getByTestId("sentence")).toHaveText(/revoked.*\./);
    await other.close();
  });

  expect(errors).toEqual([]);
});
