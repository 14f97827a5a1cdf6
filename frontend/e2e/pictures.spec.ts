// What the page looks like, in both themes and at four widths, against pictures that are kept in `pictures/`. After a change that
// is meant: `npm run -w frontend e2e -- pictures --update-snapshots=all`, and look at what changed.
import { expect, type Page, test } from "@playwright/test";
import { DRAWER_VIEWS } from "../src/view-state/tab-views.ts";
import { plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { serveSample } from "./support/sample.ts";

const sample = serveSample();

const WINDOW = "w=20000000000~21000000000";

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
  await untilDrawn(page);
}

for (const [name, query, height] of [
  ["overview", "d=none"],
  ["findings", "d=findings", 640],
  ["area", `d=none&${WINDOW}&ar=20200000000~20600000000`, 480],
] as const) {
  test(name, async ({ browser }) => {
    const page = await plainPage(browser, "light");
    await pictured(page, name, {
      ...(height && { height }),
      opened: () => open(page, query),
    });
    await page.context().close();
  });
}

test("list", async ({ browser }) => {
  const page = await plainPage(browser, "light");
  await pictured(page, "list", {
    height: 900,
    opened: async () => {
      await page.goto(sample.server.address);
      await expect(page.getByTestId("analyses")).toBeVisible();
    },
  });
  await page.context().close();
});

/** Every view there is; those that need other recordings say here what they lack. */
for (const view of DRAWER_VIEWS) {
  test(`view ${view}`, async ({ browser }) => {
    const page = await plainPage(browser, "light");
    const errors = watchForErrors(page);
    await open(page, `d=${view}&${WINDOW}`);
    await pictured(page, `view-${view}`, { of: page.getByRole("region", { name: "Drawer" }), height: 800 });
    expect(errors).toEqual([]);
    await page.context().close();
  });
}
