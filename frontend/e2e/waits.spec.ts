// Waits in detail: from the top finding to its worst wait, and the map of all waits over time.
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { openView, untilDrawn, viewIn, watchForErrors } from "./support/page.ts";
import { extra } from "./support/scope.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

interface Story {
  readonly verdict: string;
  readonly wait: { readonly comm: string; readonly pid: number; readonly wait_ns: number };
  readonly segments: readonly {
    readonly from_ns: string;
    readonly to_ns: string;
    readonly causes: readonly { readonly ns: number }[];
  }[];
  readonly runners: readonly unknown[];
  readonly chain: readonly { readonly t_ns: string }[];
}

function storyOf(page: Page): Promise<Story> {
  return page
    .waitForResponse((response) => new URL(response.url()).pathname.endsWith("/sections/wait"))
    .then((response) => response.json() as Promise<Story>);
}

for (const theme of ["light", "dark"] as const) {
  test(
    `the worst wait of the top finding in detail, ${theme}`,
    extra(theme === "dark"),
    async ({ browser }) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 1000 },
        colorScheme: theme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const errors = watchForErrors(page);
      await page.goto(`${sample.server.address}/a/${sample.analysis}`);
      await untilDrawn(page);
      await page.getByTestId("findings-table").getByRole("button").first().click();
      await openView(page, "Waits");
      const request = storyOf(page);
      await page.getByRole("button", { name: "open the worst" }).click();
      const answer = await request;
      await expect(page.getByTestId("wait-story")).toBeVisible();
      await expect(page.getByTestId("why-this-cpu")).toContainText(/CPU \d+ was chosen/);
      await expect(page.getByTestId("wait-verdict")).toHaveText(answer.verdict);
      expect(answer.verdict).toContain(`${answer.wait.comm} (${answer.wait.pid}) waited `);

      // Its parts follow each other from start to end, and add up to it.
      const causes = answer.segments.flatMap((part) => part.causes);
      expect(causes.reduce((sum, { ns }) => sum + ns, 0)).toBe(answer.wait.wait_ns);
      for (const [at, part] of answer.segments.entries())
        if (at > 0) expect(part.from_ns).toBe(answer.segments[at - 1]?.to_ns);
      expect(answer.runners.length).toBeGreaterThan(0);
      expect(answer.chain.length).toBeGreaterThan(0);
      await expect(page.getByTestId("wait-chain").getByRole("listitem")).toHaveCount(answer.chain.length);
      await expect(page.getByTestId("wait-chain-end")).not.toBeEmpty();
      await expect(page.getByTestId("story-causes").getByRole("row").last()).toContainText("the whole wait");
      await expect(page.getByTestId("wait-story").locator(".problem")).toHaveCount(0);

      const strips = page.getByTestId("wait-strips");
      await strips.focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await expect(page.getByTestId("wait-readout")).toContainText(
        /^\+[\d,]+ ns; .*queued on|^\+[\d,]+ ns; .*on its way to/,
      );
      await expectFits(page);
      await expectAccessible(page);

      expect(new URL(page.url()).searchParams.get("wait")).toMatch(/^\d+:\d+@\d+~\d+$/);
      const before = viewIn(page).window;
      await page.getByTestId("wait-chain").getByRole("button").first().click();
      await expect.poll(() => viewIn(page).window).not.toBe(before);
      const download = page.waitForEvent("download");
      await page.getByTestId("wait-story").getByRole("button", { name: "SVG" }).click();
      expect((await download).suggestedFilename()).toMatch(/^wait-\d+-\d+\.svg$/);
      await page.getByRole("button", { name: "‹ all waits" }).click();
      // The list is unchanged, although the timeline has moved.
      await expect(page.getByTestId("waits-table")).toBeVisible();
      await page.goBack();
      await expect(page.getByTestId("wait-strips")).toBeVisible();
      await page.reload();
      await untilDrawn(page);
      await expect(page.getByTestId("wait-strips")).toBeVisible();
      expect(errors).toEqual([]);
      await context.close();
    },
  );

  test(
    `the map of waits leads to a time and its waits, ${theme}`,
    extra(theme === "dark"),
    async ({ browser }) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 1000 },
        colorScheme: theme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const errors = watchForErrors(page);
      await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&d=latency&lat=map`);
      await untilDrawn(page);
      const map = page.getByTestId("wait-map");
      await expect(map).toBeVisible();
      await map.focus();
      await page.keyboard.press("ArrowRight");
      const readout = page.getByTestId("wait-map-readout");
      await expect(readout).toContainText(/^[\d,]+ waits? of .* that ended/);
      const count = /^[\d,]+/.exec((await readout.textContent()) ?? "")?.[0];
      const before = viewIn(page).window;
      await page.keyboard.press("Enter");
      await expect.poll(() => viewIn(page).window).not.toBe(before);
      const cell = page.getByRole("region", { name: "Waits of the cell" });
      await expect(cell).toContainText(`${count} wait`);
      await expect(cell.getByTestId("cell-waits").getByRole("button").first()).toBeVisible();
      await expectFits(page);
      await expectAccessible(page);
      expect(errors).toEqual([]);
      await context.close();
    },
  );
}
