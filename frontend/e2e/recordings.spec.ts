// Recordings of other kinds than the sample: pictures as they open, and every view of the drawer on a phone, which shows content
// or says why there is none and how to record it.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { DRAWER_TABS } from "../src/view-state/tab-views.ts";
import { expectFits } from "./support/checks.ts";
import { plainPage, untilDrawn, untilStill, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { FIXTURES, PRESSURE, TOPOLOGY } from "./support/recording.ts";
import { extra } from "./support/scope.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const fixture = (name: string) => join(FIXTURES, name);
const CLING = fixture("cling-2x4-small.v7-zstd.dat");
const CUT_AT = 0.6;

let server: Server;
let folder: string;

test.beforeAll(async () => {
  server = await Server.start();
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-cut-"));
});

test.afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function cut(): Promise<readonly string[]> {
  const whole = await readFile(CLING);
  const file = join(folder, "cut.dat");
  await writeFile(file, whole.subarray(0, Math.floor(whole.length * CUT_AT)));
  return [file];
}

const KINDS = {
  cling: { files: async () => [CLING, TOPOLOGY] },
  numa: {
    files: async () => [fixture("idle-6.12-2x2.part.v7-none.dat.zst"), fixture("sidecars/2x2.lscpu-p.txt")],
  },
  "perf-data": { files: async () => [fixture("perf/perf-numa-2x4.data.zst")] },
  "samples-only": { files: async () => [PRESSURE] },
  "one-node": { files: async () => [fixture("tc-small.v7-zstd.dat")] },
  cut: { files: cut },
} as const;

/** Rows, a drawing, or an input. */
const CONTENT = "tbody tr, canvas, form, textarea, .cm-editor";
/** A reason is a sentence. */
const SENTENCE = /[a-z0-9)] .*[.!?]$/;

/** A view has content, or says in a sentence why it has none. */
async function expectSays(page: Page, view: string): Promise<void> {
  const panel = page.getByRole("tabpanel");
  const shown = await panel.locator(CONTENT).filter({ visible: true }).count();
  const says = (await panel.locator("p").allTextContents()).some((text) => SENTENCE.test(text.trim()));
  const text = await panel.textContent();
  expect.soft(shown > 0 || says, `${view} says: ${text || "nothing"}`).toBe(true);
}

for (const [name, { files }] of Object.entries(KINDS)) {
  test.describe(`a recording of another kind: ${name}`, () => {
    let address: string;
    test.beforeAll(async () => {
      address = `${server.address}/a/${await server.added(await files(), name, name === "cut")}?v=2&d=none`;
    });

    // The sample is of the kind cling and has pictures.
    if (name !== "cling") {
      test("as it opens", { tag: "@pictures" }, async ({ browser }) => {
        const page = await plainPage(browser, "light");
        await page.goto(address);
        await untilDrawn(page);
        await pictured(page, name, { height: 480 });
        await page.context().close();
      });
    }

    test("every view on a phone", extra(name !== "samples-only"), async ({ browser }) => {
      const page = await plainPage(browser, "light");
      const errors = watchForErrors(page);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(address);
      await untilDrawn(page);
      const tabs = await page.getByRole("tab").allTextContents();
      for (const { title, views } of DRAWER_TABS.filter((tab) => tabs.includes(tab.title))) {
        const button = page.getByRole("tab", { name: title, exact: true });
        if ((await button.getAttribute("aria-selected")) !== "true") await button.click();
        const choices = page.getByRole("group", { name: title, exact: true }).getByRole("button");
        for (let i = 0; i < Math.max(1, await choices.count()); i += 1) {
          const choice = views.length > 1 ? choices.nth(i) : null;
          await choice?.click();
          await untilStill(page);
          const view = `${name}, ${title}, ${(await choice?.textContent()) ?? ""}`;
          await test.step(view, async () => {
            await expectSays(page, view);
            await expectFits(page);
          });
        }
      }
      expect(errors).toEqual([]);
      await page.context().close();
    });
  });
}
