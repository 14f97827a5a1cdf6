// The analysis page and every view of the drawer, compared with pictures: see README.md.
import type { Page } from "@playwright/test";
import { DRAWER_VIEWS } from "../src/view-state/tab-views.ts";
import { goWithin, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { expect, serveSample, test } from "./support/test.ts";

const sample = serveSample();

const WINDOW = "w=20000000000~21000000000";

async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&${query}`);
  await untilDrawn(page);
}

for (const [name, query, height] of [
  ["overview", "d=none", 720],
  ["findings", "d=findings", 640],
  ["area", `d=none&${WINDOW}&ar=20200000000~20600000000`, 480],
] as const) {
  test(name, { tag: "@pictures" }, async ({ browser }) => {
    const page = await plainPage(browser, "light");
    await pictured(page, name, {
      ...(height && { height }),
      opened: () => open(page, query),
    });
    await page.context().close();
  });
}

test("list", { tag: "@pictures" }, async ({ browser }) => {
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

test("every view of the drawer", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  await open(page, `d=findings&${WINDOW}`);
  // Views that need other recordings say here what they lack.
  for (const view of DRAWER_VIEWS) {
    await goWithin(page, `?v=2&d=${view}&${WINDOW}`);
    await pictured(page, `view-${view}`, { of: page.getByRole("region", { name: "Drawer" }), height: 800 });
  }
  expect(errors).toEqual([]);
  await page.context().close();
});
