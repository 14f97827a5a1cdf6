// Perfetto's own page, which gets the recording from ours: served from the same origin, without requests to other hosts.
import type { BrowserContext, Page, Request } from "@playwright/test";
import { untilDrawn, watchForErrors } from "./support/page.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const WINDOW = { from: 23_479_835_937n, to: 23_524_044_432n };
const sample = serveOwnSample();

/** Parts of Perfetto's page that its global `app` offers. */
interface Track {
  readonly name: string;
  readonly children: readonly Track[];
  readonly expand: () => void;
  readonly collapse: () => void;
}
interface Redraws {
  readonly scheduleFullRedraw: () => void;
}
interface PerfettoApp {
  readonly trace?: {
    readonly workspace: { readonly flatTracks: readonly Track[] };
    readonly timeline: {
      readonly visibleWindow: { readonly start: { readonly integral: bigint }; readonly duration: number };
    };
  };
}

/** Requests to other hosts, and those that the content security policy stopped. */
function watchRequests(context: BrowserContext): { readonly left: string[]; readonly stopped: Set<string> } {
  const left: string[] = [];
  const stopped = new Set<string>();
  const isOurs = (request: Request) =>
    /^(blob|data):/.test(request.url()) || request.url().startsWith(sample.server.address);
  const tried = new Set<Request>();
  context.on("request", (request) => {
    if (!isOurs(request)) tried.add(request);
  });
  context.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== "csp" || !tried.delete(request)) return;
    stopped.add(request.url());
  });
  context.on("response", (response) => {
    if (!isOurs(response.request())) left.push(response.url());
  });
  return {
    get left() {
      return [...left, ...[...tried].map((request) => request.url())];
    },
    stopped,
  };
}

async function openPerfetto(page: Page, act: () => Promise<void>): Promise<Page> {
  const opened = page.waitForEvent("popup");
  await act();
  return opened;
}

test("the whole recording opens with our tracks at the current window, and no request leaves", {
  tag: "@all",
}, async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const requests = watchRequests(context);
  const page = await context.newPage();
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&w=${WINDOW.from}~${WINDOW.to}&d=types`);
  await untilDrawn(page);
  const button = page.getByRole("button", { name: "Open in Perfetto" });
  await expect(button).toHaveAttribute("title", /^The whole recording opens: its .* events/);
  const ui = await openPerfetto(page, () => button.click());
  const broken: string[] = [];
  ui.on("pageerror", (error) => broken.push(error.message));
  ui.on("console", (message) => {
    // The policy stops requests to other hosts; it must not stop the page's own.
    if (
      /Content Security Policy/.test(message.text()) &&
      !/https:\/\/|127\.0\.0\.1:9001/.test(message.text())
    ) {
      broken.push(message.text());
    }
  });
  await expect(page.getByTestId("perfetto-line")).toHaveText(/Perfetto shows the whole recording/, {
    timeout: 120_000,
  });

  await test.step("there was no request to another host", () => {
    expect(requests.left).toEqual([]);
    // The page tried, so this test would have seen such a request.
    expect([...requests.stopped].join(" ")).toContain("storage.cloud.google.com");
  });

  await test.step("our tracks are there, and open", async () => {
    await ui.waitForFunction(() => (window as unknown as { app: PerfettoApp }).app.trace !== undefined);
    const names = await ui.evaluate(() => {
      const { trace } = (window as unknown as { app: PerfettoApp }).app;
      const tracks = () => trace?.workspace.flatTracks ?? [];
      tracks()
        .find(({ name }) => name === "CPU Scheduling")
        ?.collapse();
      for (const wanted of ["NumaLens", "Nodes", "Node 0", "Node 1"]) {
        tracks()
          .find(({ name }) => name === wanted)
          ?.expand();
      }
      return tracks().map(({ name }) => name);
    });
    expect(names).toEqual(expect.arrayContaining(["NumaLens", "Nodes", "Node 0", "Node 1"]));
    for (const name of ["NumaLens", "Nodes", "Node 0"]) {
      await expect(async () => {
        // Expanding a track by script does not draw it; this does.
        await ui.evaluate(() => (window as unknown as { raf: Redraws }).raf.scheduleFullRedraw());
        await expect(ui.locator(".pf-track").getByText(name, { exact: true }).first()).toBeInViewport({
          timeout: 1000,
        });
      }).toPass();
    }
  });

  await test.step("it shows our window", async () => {
    const shown = () =>
      ui.evaluate(() => {
        const visible = (window as unknown as { app: PerfettoApp }).app.trace?.timeline.visibleWindow;
        return { from: String(visible?.start.integral), length: Number(visible?.duration) };
      });
    const length = Number(WINDOW.to - WINDOW.from);
    await expect.poll(async () => (await shown()).length).toBeLessThan(1.5 * length);
    const { from, length: seen } = await shown();
    expect(BigInt(from)).toBeLessThanOrEqual(WINDOW.from);
    expect(Number(BigInt(from) - WINDOW.from) + seen).toBeGreaterThanOrEqual(length);
  });

  expect(broken).toEqual([]);
  expect(requests.left).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

test("a guest opens only the window from the palette, and a blocked pop-up is one sentence", {
  tag: "@all",
}, async ({ browser }) => {
  const made = await fetch(`${sample.server.address}/api/v1/analyses/${sample.analysis}/shares`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ view: `v=2&w=${WINDOW.from}~${WINDOW.to}&d=types`, may: ["download"] }),
  });
  const { token } = (await made.json()) as { token: string };
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${sample.server.address}/s#${token}`);
  await untilDrawn(page);
  const requested = page.waitForRequest(/trace\.pftrace/);
  const ui = await openPerfetto(page, async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("open in perfetto this window");
    await page.keyboard.press("Enter");
  });
  const request = await requested;
  expect(new URL(request.url()).searchParams.get("from_ns")).toBe(String(WINDOW.from));
  expect(await request.headerValue("X-NumaLens-Share")).toBe(token);
  expect(request.url()).not.toContain(token);
  await expect(page.getByTestId("perfetto-line")).toHaveText(/Perfetto shows this window/, {
    timeout: 120_000,
  });
  expect(ui.url()).not.toContain(token);
  await ui.close();

  await page.evaluate(() => {
    window.open = () => null;
  });
  await page.getByRole("button", { name: "Open in Perfetto" }).click();
  await expect(page.getByRole("alert")).toHaveText(/The browser blocked the new window: allow pop-ups/);
  await page.getByTestId("perfetto-line").getByRole("button", { name: "Close" }).click();
  await expect(page.getByTestId("perfetto-line")).toBeHidden();
  await context.close();
});

test("a pop-up that is closed too early is one sentence", async ({ page }) => {
  await page.route(/trace\.pftrace/, () => {});
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&d=types`);
  await untilDrawn(page);
  const ui = await openPerfetto(page, () => page.getByRole("button", { name: "Open in Perfetto" }).click());
  await expect(page.getByTestId("perfetto-line")).toHaveText(/is being written for Perfetto: 0 B so far/);
  await ui.close();
  await expect(page.getByRole("alert")).toHaveText(
    /The Perfetto window was closed before the trace was loaded\./,
  );
});
