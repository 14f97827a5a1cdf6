// Every state of the page at two widths in both themes: nothing overflows, nothing is illegible, nothing errs.
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { openView, untilDrawn, untilStill, watchForErrors } from "./support/page.ts";
import { SAMPLE_FOLDER } from "./support/recording.ts";
import { Server } from "./support/server.ts";

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];
const THEMES = ["light", "dark"] as const;

let server: Server;
let analysis: string;
let folder: string;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-sample-"));
  await cp(SAMPLE_FOLDER, folder, { recursive: true });
  const files = ["trace.dat", "psi.jsonl", "lscpu-p.txt"];
  await writeFile(
    join(folder, "sample.json"),
    JSON.stringify({ title: "Two nodes and their pressure", files }),
  );
  server = await Server.start(["--sample", folder]);
  analysis = await server.readyAnalysis();
});

test.afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

for (const size of SIZES) {
  for (const theme of THEMES) {
    test(`at ${size.width} px, ${theme}`, async ({ browser }) => {
      const context = await browser.newContext({ viewport: size, colorScheme: theme });
      const page = await context.newPage();
      const errors = watchForErrors(page);
      const check = async () => {
        await expectFits(page);
        await expectAccessible(page);
      };

      await page.goto(`${server.address}/`);
      await expect(page.getByTestId("analyses")).toBeVisible();
      await check();
      await page.getByRole("button", { name: /when it does not work/ }).click();
      await expect(page.getByRole("dialog", { name: "How to capture" })).toBeVisible();
      await check();
      await page.keyboard.press("Escape");

      await page.goto(`${server.address}/a/${analysis}`);
      await untilDrawn(page);
      await check();

      for (const [tab, view] of [
        ["Findings"],
        ["Waits"],
        ["Pressure"],
        ["NUMA", "Nodes"],
        ["Tasks"],
        ["Events & SQL", "By type"],
        ["Recording", "Samples"],
        ["Recording", "Inputs"],
      ] as const) {
        await openView(page, tab, view);
        await untilDrawn(page);
        if (view === "Inputs") await page.getByRole("button", { name: "psi.jsonl" }).click();
        await check();
      }
      await page.getByRole("button", { name: "Collapse" }).click();

      await page.goto(`${server.address}/a/${analysis}?v=1&w=23479835937~23524044432&open=0,1`);
      await untilDrawn(page);
      const plot = await page.getByTestId("plot").boundingBox();
      const lane = await page.getByText("cpu 4", { exact: true }).boundingBox();
      if (!plot || !lane) throw new Error("the plot has no place on the page");
      await page.mouse.click(plot.x + plot.width * 0.5, lane.y + lane.height * 0.6);
      await expect(page.getByTestId("slice-task")).toBeVisible();
      await page.mouse.move(plot.x + plot.width * 0.72, lane.y - 30);
      await untilStill(page);
      await check();

      await page.keyboard.press("?");
      await expect(page.getByRole("dialog", { name: "Shortcuts and pointer" })).toBeVisible();
      await check();
      await page.keyboard.press("Escape");

      await page.keyboard.press("l");
      await page.getByRole("button", { name: "Create link" }).click();
      await expect(page.getByTestId("share-link")).toBeVisible();
      const link = await page.getByTestId("share-link").inputValue();
      await check();

      await page.goto(link);
      await untilDrawn(page);
      await check();

      await page.goto(`${server.address}/s#${"x".repeat(32)}`);
      await expect(page.getByTestId("sentence")).toBeVisible();
      await check();
      expect(errors).toEqual([]);
      await context.close();
    });
  }
}
