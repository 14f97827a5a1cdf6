// What the page looks like, in both themes and at four widths, against pictures that are kept in `pictures/`. After a change that
// is meant: `npm run -w frontend e2e -- pictures --update-snapshots=all`, and look at what changed.
import { expect, type Page, test } from "@playwright/test";
import { plainPage, untilDrawn, untilStill } from "./support/page.ts";
import { serveSample } from "./support/sample.ts";

const sample = serveSample();

/** A phone, as far as one scrolls, a tablet, and two screens. */
const SIZES = [
  { width: 390, height: 1600 },
  { width: 768, height: 1024 },
  { width: 1280, height: 720 },
  { width: 1920, height: 900 },
];
const WINDOW = "w=20000000000~21000000000";
const STATES = {
  overview: "d=none",
  findings: "d=findings",
  waits: `d=latency&${WINDOW}`,
  tasks: `d=tasks&${WINDOW}`,
  pressure: "d=pressure",
  cling: "d=cling",
  events: "d=types",
  recording: "d=inputs",
} as const;

/** The page as it opens at each width, in one theme and then in the other. */
async function pictured(page: Page, name: string, shown: () => Promise<void>): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      if (theme === "light") await shown();
      await untilStill(page);
      // When it was added, and how long reading took, is another time with each run.
      await expect.soft(page).toHaveScreenshot(`${name}-${size.width}-${theme}.png`, {
        mask: [page.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d$/), page.getByText(/^read in \d/)],
      });
    }
  }
}

for (const [name, query] of Object.entries(STATES)) {
  test(name, async ({ browser }) => {
    const page = await plainPage(browser, "light");
    await pictured(page, name, async () => {
      await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
      await untilDrawn(page);
    });
    await page.context().close();
  });
}

test("list", async ({ browser }) => {
  const page = await plainPage(browser, "light");
  await pictured(page, "list", async () => {
    await page.goto(sample.server.address);
    await expect(page.getByTestId("analyses")).toBeVisible();
  });
  await page.context().close();
});
