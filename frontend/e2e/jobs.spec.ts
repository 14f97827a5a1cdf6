// Jobs of an incident, each in at most three actions from the opened page: a click, a drag, a key or a typed word is one. Each is
// done with the pointer and with the keyboard alone.
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { untilDrawn, untilStill, viewIn, watchForErrors } from "./support/page.ts";
import { FIXTURES, PRESSURE, TOPOLOGY, TRACE } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

let server: Server;
/** A recording whose wall clock is known, and one to compare it with. */
let sampled = "";

test.beforeAll(async () => {
  server = await Server.start();
  await server.added([join(FIXTURES, "cling-2x4-small.v7-zstd.dat")], "other");
  sampled = await server.added([TRACE, TOPOLOGY, PRESSURE], "sampled");
});

test.afterAll(async () => {
  await server.close();
});

const MOST_ACTIONS = 3;

/** Acts on the page, and counts. */
class Hand {
  actions = 0;
  readonly page: Page;
  readonly #keys: boolean;

  constructor(page: Page, keys: boolean) {
    this.page = page;
    this.#keys = keys;
  }

  /** A click; with keys, Tab and arrows to it, and Enter. Going somewhere is a part of the action, as pointing is. */
  async click(what: Locator): Promise<void> {
    this.actions += 1;
    if (!this.#keys) return what.click();
    const focused = () => what.evaluate((element) => element === document.activeElement);
    await expect(what).toBeVisible();
    for (let presses = 0; presses < MOST_PRESSES; presses += 1) {
      // Arrows open a tab as they come to it.
      if ((await focused()) && (await what.getAttribute("aria-selected")) === "true") return;
      if (await focused()) return this.page.keyboard.press("Enter");
      const inside = await what.evaluate((element) => {
        const group = element.closest("[data-one-stop], [role=tablist], [role=menu]");
        return group?.contains(document.activeElement) === true;
      });
      await this.page.keyboard.press(inside ? "ArrowRight" : "Tab");
    }
    throw new Error(`Tab never came to ${what}`);
  }

  /** Typed text, or a key. */
  async type(text: string): Promise<void> {
    this.actions += 1;
    if (text.length > 1 && !/^[A-Z][a-z]+(\+[A-Z])?$/.test(text)) await this.page.keyboard.type(text);
    else await this.page.keyboard.press(text);
  }

  tab(name: string): Promise<void> {
    return this.click(this.page.getByRole("tab", { name, exact: true }));
  }

  /** From one share of the plot's width to another; with keys, the window. */
  async select(from: number, to: number): Promise<void> {
    if (this.#keys) return this.type("v");
    this.actions += 1;
    const box = await this.page.getByTestId("plot").boundingBox();
    if (!box) throw new Error("the plot has no place on the page");
    const { mouse, keyboard } = this.page;
    await keyboard.down("Shift");
    await mouse.move(box.x + box.width * from, box.y + 60);
    await mouse.down();
    await mouse.move(box.x + box.width * to, box.y + 60, { steps: 5 });
    await mouse.up();
    await keyboard.up("Shift");
  }
}

/** Tabs and arrows to any part of the page. */
const MOST_PRESSES = 150;

/** The task that the opened finding is about. */
const victim = (page: Page) =>
  page.getByTestId("finding-evidence").locator(".task-button button.inline").first();

const JOBS: Readonly<Record<string, (page: Page, hand: Hand) => Promise<void>>> = {
  "why a task waited": async (page, hand) => {
    await hand.click(page.getByTestId("worst-wait-chip"));
    await expect(page.getByTestId("wait-verdict")).toHaveText(/waited .* ms/);
  },
  "who took its CPU": async (page) => {
    await expect(page.getByTestId("finding-evidence")).toContainText(/culprit.* ran [\d.]+ ms/);
  },
  "what the balancers decided for a task": async (page, hand) => {
    await hand.click(victim(page));
    await expect(page.getByTestId("task-decisions")).toContainText(/[1-9]\d* (attempt|migration)/);
  },
  "failure ratio of each node": async (page, hand) => {
    await hand.tab("NUMA");
    await hand.click(
      page.getByRole("group", { name: "NUMA" }).getByRole("button", { name: "Ops", exact: true }),
    );
    const rows = page.getByTestId("node-failures").locator("tbody tr");
    await expect(rows).toHaveCount(2);
    await expect(rows.first()).toContainText("%");
  },
  "pressure as the kernel and as the events have it": async (page, hand) => {
    await hand.tab("Pressure");
    const table = page.getByTestId("pressure-table");
    await expect(table).toContainText("sampled");
    await expect(table).toContainText("replayed");
  },
  "a task's wakeups": async (page, hand) => {
    await hand.type("/");
    await hand.type("sampler");
    await hand.type("Enter");
    const wakeup = page.getByTestId("task-wakeups").getByRole("listitem").first();
    await expect(wakeup).toHaveText(/^\d+\.\d{6} s by ng_\S+ \d+.* [\d.]+ (ns|µs|ms|s)$/);
  },
  "sums of a range": async (page, hand) => {
    await hand.select(0.3, 0.6);
    await expect(page.getByTestId("area-buttons")).toBeVisible();
    const sums = page.getByTestId("window-sums");
    for (const row of ["tasks running", "tasks runnable", "CPUs idle"])
      await expect(sums.getByRole("row", { name: row })).toContainText(/\d+(\.\d+)? (ns|µs|ms|s)/);
    for (const part of ["sums-by-cause", "sums-by-task", "sums-by-cpu", "sums-by-node"])
      await expect(page.getByTestId(part).getByRole("row").nth(1)).toBeVisible();
    await expect(page.getByTestId("sums-by-node").getByRole("row", { name: /^0/ })).toContainText("%");
  },
  "a comparison": async (page, hand) => {
    await hand.click(page.getByRole("link", { name: "Compare with…" }));
    await hand.click(page.getByTestId("compare-picker").getByRole("button").first());
    await expect(page.getByTestId("compare-verdict").getByRole("listitem").first()).not.toBeEmpty();
  },
  "a moment of the wall clock": async (page, hand) => {
    const wall = await wallClock(page);
    await hand.type("/");
    await hand.type(wall);
    await hand.type("Enter");
    await untilStill(page);
    const [from, to] = (viewIn(page).window ?? "").split("~").map(Number);
    expect(from).toBeLessThanOrEqual(await offsetNs(page));
    expect(to).toBeGreaterThan(await offsetNs(page));
  },
  "share and revoke": async (page, hand) => {
    await hand.click(page.getByRole("button", { name: "Share" }));
    await hand.click(page.getByRole("button", { name: "Create link" }));
    await expect(page.getByTestId("share-link")).toHaveValue(/\/s#?/);
    await hand.click(page.getByTestId("share-row").getByRole("button", { name: "Revoke" }));
    await expect(page.getByTestId("share-row").getByRole("button", { name: "Revoke" })).toHaveCount(0);
  },
};

/** The middle of the recording on the trace's clock, ns, and the ns to the wall clock. */
async function middle(page: Page): Promise<{ at: bigint; wall: bigint }> {
  const answer = await page.request.get(`${server.address}/api/v1/analyses/${sampled}`);
  const { timeline } = (await answer.json()) as {
    timeline: { origin_ns: string; end_ns: string; wall_offset_ns: string };
  };
  const at = (BigInt(timeline.origin_ns) + BigInt(timeline.end_ns)) / 2n;
  return { at, wall: at + BigInt(timeline.wall_offset_ns) };
}

async function wallClock(page: Page): Promise<string> {
  const { wall } = await middle(page);
  return new Date(Number(wall / 1_000_000n)).toISOString().slice(11, 23);
}

async function offsetNs(page: Page): Promise<number> {
  return Number((await middle(page)).at);
}

for (const [name, job] of Object.entries(JOBS)) {
  for (const keys of [false, true]) {
    test(`at most three actions${keys ? ", by keys" : ""}: ${name}`, async ({ page }) => {
      const errors = watchForErrors(page);
      await page.goto(`${server.address}/a/${sampled}`);
      await untilDrawn(page);
      const hand = new Hand(page, keys);
      await job(page, hand);
      expect(hand.actions).toBeLessThanOrEqual(MOST_ACTIONS);
      expect(errors).toEqual([]);
    });
  }
}
