// From a file to the reason in a few clicks, and everything by keyboard alone.
import type { Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { tabTo } from "./support/keys.ts";
import { hold, untilDrawn, untilStill, viewIn, watchForErrors } from "./support/page.ts";
import { PRESSURE, TOPOLOGY, TRACE } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, serveSample, test } from "./support/test.ts";

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const windowOf = (page: Page) => (viewIn(page).window ?? "~").split("~").map(Number);
const lengthOf = (page: Page) => {
  const [from = 0, to = 0] = windowOf(page);
  return to - from;
};

test("upload, top finding, reason: four clicks at most", { tag: "@all" }, async ({ page }) => {
  const server = await Server.start();
  try {
    const errors = watchForErrors(page);
    await page.goto(`${server.address}/`);
    // Counts clicks in the page itself, so that no click of the test is missed.
    await page.addInitScript(() => {
      const counted = Number(sessionStorage.getItem("clicks") ?? 0);
      sessionStorage.setItem("clicks", String(counted));
      window.addEventListener(
        "click",
        (event) => {
          if (event.isTrusted)
            sessionStorage.setItem("clicks", String(Number(sessionStorage.getItem("clicks")) + 1));
        },
        true,
      );
    });
    await page.reload();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: /choose files/i }).click();
    await (await chooser).setFiles([TRACE, TOPOLOGY, PRESSURE]);
    await page.waitForURL(/\/a\/[\w-]+/, { timeout: 90_000 });
    await untilDrawn(page);

    const rows = page.getByTestId("findings-table").locator("tbody tr");
    await expect(rows.first()).toContainText(/\d m?s/);
    await rows.first().getByRole("button").click();
    const facts = page.getByTestId("finding-facts");
    await expect(facts).toBeVisible();
    const sentences = [
      await facts.getByTestId("finding-summary").textContent(),
      await facts.getByTestId("finding-means").textContent(),
    ];
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].+\.$/);
    expect(sentences[1]).toContain("Kernel: ");
    await expect(facts).toContainText(/cost[\d,.]+ m?s/);
    await facts.getByRole("button", { name: /^Evidence/ }).click();
    await expect(page.getByRole("tab", { name: "Waits", exact: true })).toHaveAttribute(
      "aria-selected",
      "true",
    );
    await untilDrawn(page);
    expect(await page.evaluate(() => Number(sessionStorage.getItem("clicks")))).toBeLessThanOrEqual(4);
    expect(errors).toEqual([]);
  } finally {
    await server.close();
  }
});

test.describe("an analysis", () => {
  const sample = serveSample();

  async function open(page: Page, query = ""): Promise<string[]> {
    const errors = watchForErrors(page);
    await page.goto(`${sample.server.address}/a/${sample.analysis}${query}`);
    await untilDrawn(page);
    return errors;
  }

  test("everything by keyboard alone", async ({ page }) => {
    const errors = await open(page);
    const { keyboard } = page;
    const facts = page.getByTestId("finding-facts");
    const rows = page.getByTestId("findings-table").locator("tbody tr");
    await expect(rows.first()).toBeVisible();

    await test.step("findings: the first, the next, and back; occurrences", async () => {
      await expect(facts).toBeVisible();
      const first = param(page, "fi");
      await keyboard.press("}");
      await expect.poll(() => param(page, "fi")).not.toBe(first);
      await expect(rows.nth(1)).toHaveClass(/selected/);
      await keyboard.press("{");
      await expect.poll(() => param(page, "fi")).toBe(first);
      await keyboard.press("]");
      await expect.poll(() => param(page, "oc")).toBe("1");
      await keyboard.press("[");
      await expect.poll(() => param(page, "oc")).toBeNull();
    });

    await test.step("evidence by its key; a button by Tab and Enter", async () => {
      await keyboard.press("e");
      await expect(page.getByRole("tab", { name: "Waits", exact: true })).toHaveAttribute(
        "aria-selected",
        "true",
      );
      await tabTo(page, "[aria-expanded][title^='Hide']");
      await keyboard.press("Enter");
      await expect.poll(() => viewIn(page).open).toBe("1");
      // Enter pressed the button, and did not commit a range.
      await expect.poll(() => param(page, "in")).toBeNull();
      await keyboard.press("Enter");
      await expect.poll(() => viewIn(page).open).toBe("0,1");
    });

    await test.step("search: a task by its pid, then a CPU, a node and a word", async () => {
      await keyboard.press("/");
      await keyboard.type("ng_A.2");
      await expect(page.getByTestId("finder-list").getByRole("option").first()).toContainText("ng_A.2");
      await keyboard.press("Enter");
      await expect(page.getByTestId("slice-task")).toHaveText("ng_A.2");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      const before = viewIn(page).selection;
      await keyboard.press(".");
      await expect.poll(() => viewIn(page).selection).not.toBe(before);
      await keyboard.press(",");
      await expect.poll(() => viewIn(page).selection).toBe(before);
      await keyboard.press("f");
      await expect.poll(() => lengthOf(page)).toBeLessThan(1e9);

      await keyboard.press("/");
      await keyboard.type("cpu 6");
      await keyboard.press("Enter");
      await expect.poll(() => viewIn(page).selection).toMatch(/^cpu:6@/);

      await keyboard.press("/");
      await keyboard.type("busy node");
      await keyboard.press("ArrowDown");
      await expect(page.getByRole("option", { selected: true })).toHaveCount(1);
      await page.keyboard.press("Control+a");
      await keyboard.type("waker");
      await keyboard.press("Enter");
      await expect(page.getByTestId("finder-meaning")).toContainText("kernel: try_to_wake_up");
      await keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      // The page listens again once the dialog's focus has gone back, which a busy machine may delay.
      await expect(async () => {
        await keyboard.press("Escape");
        await expect.poll(() => viewIn(page).selection).toBeNull();
      }).toPass();
    });

    await test.step("a range in a range, breadcrumbs, and back", async () => {
      await keyboard.press("Shift+F");
      await expect.poll(() => lengthOf(page)).toBeGreaterThan(40e9);
      await hold(page, "w");
      await keyboard.press("Enter");
      await expect(page.getByTestId("ranges").getByRole("listitem")).toHaveCount(2);
      const [outer] = (param(page, "in") ?? "").split(",");
      const range = (outer ?? "").split("~").map(Number) as [number, number];
      // Panning stops at the range, with the same overscroll as at the end of a trace.
      await hold(page, "a", 50);
      await keyboard.press("s");
      await hold(page, "s");
      await expect
        .poll(() => windowOf(page)[0])
        .toBeGreaterThanOrEqual(range[0] - (range[1] - range[0]) * 0.05);
      await expect.poll(() => lengthOf(page)).toBeLessThan((range[1] - range[0]) * 1.05);
      await hold(page, "w");
      await keyboard.press("Enter");
      await expect(page.getByTestId("ranges").getByRole("listitem")).toHaveCount(3);
      await expectAccessible(page);
      await keyboard.press("Escape");
      await expect(page.getByTestId("ranges").getByRole("listitem")).toHaveCount(2);
      await expect.poll(() => param(page, "in")).toBe(outer);
      await page.goBack();
      await expect(page.getByTestId("ranges").getByRole("listitem")).toHaveCount(3);
    });

    await test.step("findings are those of the range", async () => {
      await keyboard.press("Control+k");
      await keyboard.type("findings");
      await expect(page.getByRole("option").first()).toContainText("Findings");
      await keyboard.press("Enter");
      await expect(page.getByText(/(of|in) the committed range/)).toBeVisible();
      await keyboard.press("Escape");
      await keyboard.press("Escape");
      await expect(page.getByTestId("ranges")).toHaveCount(0);
      await expect(page.getByText(/of the whole recording/)).toBeVisible();
    });

    await test.step("a mark is named, and found by search", async () => {
      // Leaving the range glides: the mark is in the middle of the window that is shown.
      await untilStill(page);
      await keyboard.press("m");
      await expect(page.getByLabel("Name of the mark")).toBeFocused();
      await keyboard.type("first stall");
      await keyboard.press("Enter");
      await expect.poll(() => param(page, "mk")).toMatch(/^\d+:first%20stall$/);
      const at = Number((param(page, "mk") ?? "").split(":")[0]);
      await hold(page, "d");
      await keyboard.press("/");
      await keyboard.type("first stall");
      await expect(page.getByRole("option").first()).toContainText("first stall");
      await keyboard.press("Enter");
      await expect
        .poll(() => {
          const [from = 0, to = 0] = windowOf(page);
          return Math.abs((from + to) / 2 - at);
        })
        .toBeLessThan(1000);
    });

    await test.step("arrows choose tabs and scroll tables, and the window stays", async () => {
      await tabTo(page, "[role=tab]");
      const window = viewIn(page).window;
      await keyboard.press("ArrowRight");
      await expect(page.getByRole("tab", { name: "Waits", exact: true })).toHaveAttribute(
        "aria-selected",
        "true",
      );
      await expect(page.getByTestId("waits-table")).toBeVisible();
      await tabTo(page, ".virtual-table");
      await keyboard.press("ArrowDown");
      await expect
        .poll(() => page.getByTestId("waits-table").evaluate((table) => table.scrollTop))
        .toBeGreaterThan(0);
      await expect.poll(() => viewIn(page).window).toBe(window);
    });

    await test.step("the drawer, the shortcuts, the theme", async () => {
      await keyboard.press("q");
      await expect(page.getByRole("tabpanel")).toHaveCount(0);
      await keyboard.press("?");
      const sheet = page.getByRole("dialog", { name: "Shortcuts and pointer" });
      for (const key of [
        "/",
        "Ctrl k",
        "m",
        "e",
        "Enter",
        "[",
        "]",
        "{",
        "}",
        ".",
        ",",
        "f",
        "Shift f",
        "Esc",
        "?",
      ]) {
        await expect(sheet.locator("kbd", { hasText: key }).first()).toBeVisible();
      }
      await keyboard.press("Escape");
      const theme = () => page.evaluate(() => document.documentElement.dataset["theme"]);
      const before = await theme();
      await keyboard.press("t");
      expect(await theme()).not.toBe(before);
    });
    expect(errors).toEqual([]);
  });

  test("a link has the range, the marks and the filter; going elsewhere leaves the range", async ({
    page,
  }) => {
    const errors = await open(
      page,
      "?v=2&in=20000000000~30000000000,22000000000~29000000000&w=22500000000~23000000000&mk=22600000000:the%2520stall&ff=node:1|kind:CLING_BUSY_NODE&d=findings",
    );
    await expect(page.getByTestId("ranges").getByRole("listitem")).toHaveCount(3);
    await expect(page.getByTestId("marks")).toContainText("the stall");
    await expect(page.locator(".mark-flag")).toHaveCount(1);
    await expect(page.getByRole("button", { name: /^node 1/, pressed: true })).toBeVisible();
    for (const row of await page.getByTestId("findings-table").locator("tbody tr").all()) {
      await expect(row).toContainText("Busy node releases its tasks");
    }
    await page.getByTestId("ranges").getByRole("button").nth(1).click();
    await expect.poll(() => param(page, "in")).toBe("20000000000~30000000000");
    // Search also finds a task that ran only before the range.
    await page.keyboard.press("/");
    await page.keyboard.type("systemd");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "show all" }).click();
    await expect.poll(() => param(page, "ff")).toBeNull();
    await page.getByRole("button", { name: "Remove the stall" }).click();
    await expect.poll(() => param(page, "mk")).toBeNull();
    await page.goBack();
    await expect(page.getByTestId("marks")).toContainText("the stall");
    expect(errors).toEqual([]);
  });
});
