// What the main states look like, in both themes, against pictures that are kept in `pictures/`. After a change that is meant:
// `npm run -w frontend e2e -- pictures --update-snapshots`, and look at what changed.
import { expect, test } from "@playwright/test";
import { plainPage, untilDrawn, untilStill } from "./support/page.ts";
import { serveSample } from "./support/sample.ts";

const sample = serveSample();

const STATES = {
  overview: "d=none",
  findings: "d=findings",
  waits: "d=latency&w=20000000000~21000000000",
  cling: "d=balancers&bal=cling",
} as const;

for (const theme of ["light", "dark"] as const) {
  for (const [name, query] of Object.entries(STATES)) {
    test(`${name}, ${theme}`, async ({ browser }) => {
      const page = await plainPage(browser, theme);
      await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
      await untilDrawn(page);
      await expect(page).toHaveScreenshot(`${name}-${theme}.png`);
      await page.context().close();
    });
  }

  test(`list, ${theme}`, async ({ browser }) => {
    const page = await plainPage(browser, theme);
    await page.goto(sample.server.address);
    await expect(page.getByTestId("analyses")).toBeVisible();
    await untilStill(page);
    // When it was added is another time with each run.
    await expect(page).toHaveScreenshot(`list-${theme}.png`, {
      mask: [page.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d$/)],
    });
    await page.context().close();
  });
}
