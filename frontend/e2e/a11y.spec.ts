// axe finds no violation on any page, tab or dialog: rules of WCAG and good practices, in both themes. In the gate `pictured`
// runs the rules of WCAG.
import type { Page } from "@playwright/test";
import { axe } from "./support/checks.ts";
import { untilDrawn, watchForErrors } from "./support/page.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();

const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** All rules in the light theme; in the dark one the rules about colours, because nothing else differs. */
const RULES = {
  light: {
    type: "tag",
    values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  },
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
} as const;

async function expectClean(page: Page, theme: Theme, where: string): Promise<void> {
  const found = await axe(page, RULES[theme]);
  expect.soft(found.map((violation) => `${where}: ${violation}`)).toEqual([]);
}

/** A query with its rows in the table and on the time axis, completions in the editor, and both menus open. */
async function expectCleanRows(page: Page, theme: Theme): Promise<void> {
  for (const menu of ["history", "examples"]) {
    await page.getByRole("button", { name: menu }).click();
    await expectClean(page, theme, `SQL, ${menu}`);
    if (menu === "history") await page.keyboard.press("Escape");
  }
  await page.getByRole("menuitem", { name: /waited longest/ }).click();
  await expect(page.getByTestId("sql-rows")).toBeVisible();
  await page.getByRole("button", { name: "Show as track" }).click();
  await expect(page.getByTestId("query-lane").first()).toBeVisible();
  await page.getByLabel("SQL query").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" numalens_w");
  // Completions requested before the editor knows its names are empty: request them again.
  await expect(async () => {
    await page.keyboard.press("Control+Space");
    await expect(page.getByRole("option").first()).toBeVisible({ timeout: 3_000 });
  }).toPass({ timeout: 90_000 });
  await expectClean(page, theme, "SQL, rows");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
}

for (const theme of THEMES) {
  test(`axe, ${theme}`, { tag: "@all" }, async ({ browser }) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    const errors = watchForErrors(page);
    await page.goto(`${sample.server.address}/`);
    await expect(page.getByTestId("analyses")).toBeVisible();
    await expectClean(page, theme, "list");

    await page.goto(`${sample.server.address}/a/${sample.analysis}`);
    await untilDrawn(page);
    await page.getByTestId("findings-table").locator("tbody").getByRole("button").first().click();
    await page.getByRole("button", { name: "more filters" }).click();
    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    for (const tab of await page.getByRole("tab").all()) {
      const name = (await tab.textContent()) ?? "";
      if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
      await untilDrawn(page);
      await expectClean(page, theme, name);
      const choices = page.locator(".drawer fieldset.toggle-group button[aria-pressed=false]");
      for (let i = 0; i < (await choices.count()); i += 1) {
        const word = (await choices.nth(i).textContent()) ?? "";
        await choices.nth(i).click();
        await untilDrawn(page);
        await expectClean(page, theme, `${name}, ${word}`);
        if (word === "SQL") await expectCleanRows(page, theme);
      }
    }
    for (const [key, title] of [
      ["/", "Search"],
      ["Control+k", "Commands"],
      ["?", "Shortcuts and pointer"],
      ["l", "Share this view"],
      ["p", "Save a picture"],
      ["r", "Reports"],
    ] as const) {
      await page.keyboard.press(key);
      await expect(page.getByRole("dialog", { name: title })).toBeVisible();
      await expectClean(page, theme, title);
      await page.keyboard.press("Escape");
    }
    await page.goto(`${sample.server.address}/account`);
    await expect(page.getByRole("form", { name: "New token" })).toBeVisible();
    await expectClean(page, theme, "account");
    for (const ask of ["machines", "metric&by=machine", "findings", "sql"]) {
      await page.goto(`${sample.server.address}/fleet?ask=${ask}`);
      await expect(page.getByTestId("fleet")).toHaveAttribute("aria-busy", "false");
      await expectClean(page, theme, `fleet, ${ask}`);
    }
    await page.goto(`${sample.server.address}/a/nothing-here`);
    await expect(page.getByTestId("sentence")).toBeVisible();
    await expectClean(page, theme, "nothing here");
    expect(errors).toEqual([]);
    await context.close();
  });
}

for (const theme of THEMES) {
  test(`axe, a report, ${theme}`, { tag: "@all" }, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: theme });
    const page = await context.newPage();
    await page.goto(`${sample.server.address}/a/${sample.analysis}`);
    await untilDrawn(page);
    await page.keyboard.press("r");
    await page.getByRole("button", { name: "Start a report" }).click();
    await expect(page.getByTestId("report-editor")).toBeVisible();
    await page.getByTestId("live-view").first().scrollIntoViewIfNeeded();
    await expect(page.getByTestId("live-view").first()).toHaveAttribute("data-drawn", "true");
    await expectClean(page, theme, "report, editor");
    await page.getByRole("button", { name: "Read", exact: true }).click();
    await page.getByTestId("live-view").nth(1).scrollIntoViewIfNeeded();
    await expect(page.getByTestId("live-view").nth(1)).toHaveAttribute("data-drawn", "true");
    await expectClean(page, theme, "report");
    for (const title of ["Revisions", "Share"]) {
      await page.getByRole("button", { name: title }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectClean(page, theme, `report, ${title}`);
      await page.keyboard.press("Escape");
    }
    await context.close();
  });
}
