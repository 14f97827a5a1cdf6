// Every page and dialog except the analysis page, compared with pictures. `a11y.spec.ts` runs axe over them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { choose, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { FIXTURES, SAMPLE_FOLDER } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();
let other: string;
let share: { token: string };
let report: { id: string };
let folder: string;

const TEXT =
  "# Why the night was slow\n\nNode 0 was **busy** all the time:\n\n- 257 tasks waited\n- no CPU was idle\n";

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "numalens-e2e-screens-"));
  other = await sample.server.added(
    [join(FIXTURES, "cling-2x4-small.v7-zstd.dat"), join(SAMPLE_FOLDER, "lscpu-p.txt")],
    "The same machine the day before",
  );
  share = await posted("/shares", { view: "v=2&d=none", name: "Bo", expires_in_s: null });
  report = await posted("/reports", { title: "The night of the incident", text: TEXT });
});

test.afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function posted<T>(path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${sample.server.address}/api/v1/analyses/${sample.analysis}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as T;
}

const LOWER = { height: 480 };

/** How often each link was opened, which depends on the tests that ran before. */
const openings = (page: Page) => page.getByTestId("share-row").getByText(/^\d+ times?$/);

/** Compares the page at an address once it is ready. */
function screen(name: string, path: () => string, ready: (page: Page) => Promise<void>) {
  test(name, { tag: "@pictures" }, async ({ browser }) => {
    const page = await plainPage(browser, "light");
    const errors = watchForErrors(page);
    await page.goto(`${sample.server.address}${path()}`);
    await ready(page);
    await pictured(page, name, { ...LOWER, mask: [openings(page)] });
    expect(errors).toEqual([]);
    await page.context().close();
  });
}

const seen = (testId: string) => async (page: Page) => expect(page.getByTestId(testId).first()).toBeVisible();

screen("compare", () => `/compare?ids=${other},${sample.analysis}`, seen("comparison"));
/** Day of the sample; the other recording does not have one. */
const DAY = "2026-11-21";
for (const question of ["machines", "metric", "findings", "sql"]) {
  screen(
    `fleet-${question}`,
    () => `/fleet?ask=${question}&from=${DAY}&to=${DAY}`,
    async (page) => expect(page.getByTestId("fleet")).toHaveAttribute("aria-busy", "false"),
  );
}
screen("shared", () => `/s#${share.token}`, untilDrawn);
screen("links", () => "/links", seen("share-row"));
screen(
  "account",
  () => "/account",
  async (page) => expect(page.getByRole("form", { name: "New token" })).toBeVisible(),
);
screen(
  "local",
  () => "/local",
  async (page) => expect(page.getByRole("region", { name: "Upload", exact: true })).toBeVisible(),
);
screen("link-wrong", () => "/s#not-a-key", seen("sentence"));
screen("nothing-here", () => "/a/nothing-here", seen("sentence"));
screen("report", () => `/a/${sample.analysis}/report/${report.id}`, seen("report"));

test("a rejected upload, and a file that is not a recording", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const own = await Server.start([], { NUMALENS_MAX_UPLOAD_BYTES: "50" });
  try {
    await page.goto(`${own.address}/`);
    await expect(page.getByTestId("first-steps")).toBeVisible();
    const [png, large] = [join(folder, "shot.png"), join(folder, "large.dat")];
    await writeFile(png, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
    await writeFile(
      large,
      "# tracer: nop\n#\n a-1 [000] d..2 1.000001: sched_waking: comm=b pid=2 prio=120 target_cpu=000\n",
    );
    await choose(page, large);
    await expect(page.getByRole("alert")).toContainText("max_upload_bytes");
    await pictured(page, "upload-refused", LOWER);
    await page.getByRole("button", { name: "Discard" }).click();
    await choose(page, png);
    await expect(page.getByRole("alert")).toContainText("shot.png is a PNG image");
    await pictured(page, "not-readable", LOWER);
  } finally {
    await own.close();
    await page.context().close();
  }
});

test("dialogs", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  const errors = watchForErrors(page);
  const dialog = page.getByRole("dialog");
  const shown = async (name: string) => {
    await expect(dialog).toBeVisible();
    await pictured(page, `dialog-${name}`, {
      ...LOWER,
      of: dialog,
      mask: [page.getByTestId("share-link"), openings(page)],
    });
    await page.keyboard.press("Escape");
    await expect(dialog).toHaveCount(0);
  };
  await page.goto(`${sample.server.address}/`);
  await page.getByRole("button", { name: /troubleshooting/ }).click();
  await shown("capture");
  await page.getByRole("button", { name: /^Edit/ }).first().click();
  await shown("details");

  await page.goto(`${sample.server.address}/a/${sample.analysis}?v=2&d=none&w=20000000000~21000000000`);
  await untilDrawn(page);
  for (const [name, key] of [
    ["search", "/"],
    ["commands", "Control+k"],
    ["shortcuts", "?"],
    ["picture", "p"],
    ["reports", "r"],
  ] as const) {
    await page.keyboard.press(key);
    await shown(name);
  }
  await page.getByRole("button", { name: "Save as HTML", exact: true }).click();
  await shown("save");
  await page.keyboard.press("l");
  await page.getByRole("button", { name: "Create link" }).click();
  await expect(page.getByTestId("share-link")).toBeVisible();
  await shown("share");
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the tour's first stop", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  await page.goto(`${sample.server.address}/a/${sample.analysis}?tour=1`);
  await untilDrawn(page);
  await expect(page.getByRole("dialog", { name: "Tour, 1 of 6" })).toBeVisible();
  await pictured(page, "tour", { ...LOWER, of: page.getByRole("dialog") });
  await page.context().close();
});
