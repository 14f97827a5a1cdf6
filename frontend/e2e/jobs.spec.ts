// Jobs of an incident, each in at most three actions from the opened page: a click, a drag, a key or a typed word is one.
import type { Locator, Page } from "@playwright/test";
import { untilDrawn, watchForErrors } from "./support/page.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();

const MOST_ACTIONS = 3;

/** Acts on the page, and counts. */
class Hand {
  actions = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.actions += 1;
    await what.click();
  }

  tab(name: string): Promise<void> {
    return this.click(this.page.getByRole("tab", { name, exact: true }));
  }

  /** From one share of the plot's width to another. */
  async select(from: number, to: number): Promise<void> {
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

const JOBS: Readonly<Record<string, (page: Page, hand: Hand) => Promise<void>>> = {
  "why a task waited": async (page, hand) => {
    await hand.click(page.getByTestId("worst-wait-chip"));
    await expect(page.getByTestId("wait-verdict")).toHaveText(/waited .* ms/);
  },
  "who took its CPU": async (page) => {
    await expect(page.getByTestId("finding-evidence")).toContainText(/culprit.* ran [\d.]+ ms/);
  },
  "pressure as the kernel and as the events have it": async (page, hand) => {
    await hand.tab("Pressure");
    const table = page.getByTestId("pressure-table");
    await expect(table).toContainText("sampled");
    await expect(table).toContainText("replayed");
  },
  "sums of a range": async (page, hand) => {
    await hand.select(0.3, 0.6);
    await expect(page.getByTestId("area-buttons")).toBeVisible();
    await expect(page.getByTestId("inspector").getByRole("row", { name: /^0/ })).toContainText("%");
  },
  "share and revoke": async (page, hand) => {
    await hand.click(page.getByRole("button", { name: "Share" }));
    await hand.click(page.getByRole("button", { name: "Create link" }));
    await expect(page.getByTestId("share-link")).toHaveValue(/\/s#?/);
    await hand.click(page.getByTestId("share-row").getByRole("button", { name: "Revoke" }));
    await expect(page.getByTestId("share-row")).toContainText(/revoked/i);
  },
};

for (const [name, job] of Object.entries(JOBS)) {
  test(`at most three actions: ${name}`, async ({ page }) => {
    const errors = watchForErrors(page);
    await page.goto(`${sample.server.address}/a/${sample.analysis}`);
    await untilDrawn(page);
    const hand = new Hand(page);
    await job(page, hand);
    expect(hand.actions).toBeLessThanOrEqual(MOST_ACTIONS);
    expect(errors).toEqual([]);
  });
}
