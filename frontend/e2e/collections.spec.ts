// The list of analyses: details, and search by words, tags and incidents.
import { expectAccessible, expectFits } from "./support/checks.ts";
import { untilDrawn, watchForErrors } from "./support/page.ts";
import { FIXTURES } from "./support/recording.ts";
import { extra } from "./support/scope.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample({ NUMALENS_KEEP_DAYS: "30" });

for (const theme of ["light", "dark"] as const) {
  test(
    `analyses get details and are found by them, ${theme}`,
    extra(theme === "dark"),
    async ({ browser }) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        colorScheme: theme,
      });
      const page = await context.newPage();
      const errors = watchForErrors(page);
      await page.goto(sample.server.address);
      const rows = page.getByTestId("analyses").locator("tbody tr");

      await test.step("a second recording is uploaded, and both belong to one incident", async () => {
        if (theme === "light") {
          await page.locator("input[type=file]").first().setInputFiles(`${FIXTURES}/tc-small.v7-zlib.dat`);
          await untilDrawn(page);
          await page.goto(sample.server.address);
        }
        await expect(rows).toHaveCount(2);
        for (const place of [0, 1]) {
          await rows
            .nth(place)
            .getByRole("button", { name: /^Edit details/ })
            .click();
          const dialog = page.getByRole("dialog");
          await dialog.getByLabel("incident").fill("INC-7");
          await dialog.getByLabel("tags").fill(place === 0 ? "#p99 before" : "p99, after");
          await dialog.getByLabel("description").fill("p99 rose at 14:03 <b>&amp;</b>");
          await dialog.getByLabel("keep it longer than 30 days").check();
          if (place === 0) {
            await expectAccessible(page);
          }
          await dialog.getByRole("button", { name: "Save", exact: true }).click();
          await expect(dialog).toHaveCount(0);
        }
        await expect(rows.first()).toContainText("p99 rose at 14:03 <b>&amp;</b>");
        await expectAccessible(page);
        await expectFits(page);
      });

      await test.step("words and tags find them; the search is in the address", async () => {
        const search = page.getByLabel("Find analyses");
        await search.fill("inc-7 14:03");
        await expect(rows).toHaveCount(2);
        await search.fill("no such thing");
        await expect(rows).toHaveCount(0);
        await expect(page.getByRole("status")).toHaveText("0 of 2");
        await page.getByRole("button", { name: "#after", exact: true }).first().click();
        await expect(rows).toHaveCount(1);
        expect(new URL(page.url()).searchParams.get("q")).toBe("#after");
        await page.reload();
        await expect(rows).toHaveCount(1);
        await rows.first().getByRole("button", { name: "INC-7" }).click();
        await expect(rows).toHaveCount(2);
      });
      expect(errors).toEqual([]);
      await context.close();
    },
  );
}

test("a new title of an analysis is kept", async ({ page }) => {
  await page.goto(`${sample.server.address}/a/${sample.analysis}`);
  await untilDrawn(page);
  await page.getByRole("button", { name: /Two nodes under NUMA cling/ }).click();
  await page.getByLabel("Title of the analysis").fill("The night of the incident");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "The night of the incident" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("button", { name: "The night of the incident" })).toBeVisible();
});
