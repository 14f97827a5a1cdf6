// The SQL tab with the real service: queries, errors, completions, rows on the timeline, links, files.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { passFrames, untilDrawn, viewIn, watchForErrors } from "./support/page.ts";
import { extra } from "./support/scope.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const WINDOW = "w=23479835937~23524044432&open=0,1";
const SLICES =
  "SELECT ts, dur, cpu, utid FROM sched WHERE ts BETWEEN 23480000000 AND 23520000000 AND cpu = 3 ORDER BY dur DESC";
const sample = serveOwnSample({ NUMALENS_SQL_SECONDS: "5" });
let address: string;

test.beforeAll(() => {
  address = `${sample.server.address}/a/${sample.analysis}`;
});

const editor = (page: Page) => page.getByLabel("SQL query");
const summary = (page: Page) => page.getByTestId("sql-summary");
const rows = (page: Page) => page.getByTestId("sql-rows").locator("tbody tr[aria-rowindex]");
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

async function open(page: Page, query: string): Promise<string[]> {
  const errors = watchForErrors(page);
  await page.goto(`${address}?v=2&${query}`);
  await untilDrawn(page);
  await expect(editor(page)).toBeVisible();
  return errors;
}

/** Replaces the query in the editor, and runs it by keyboard. */
async function ask(page: Page, sql: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(sql);
  await editor(page).press("Control+Enter");
}

/** A picture of the query's panel on the lanes' canvas. */
async function trackPicture(page: Page): Promise<Buffer> {
  const lane = await page.getByTestId("query-lane").first().boundingBox();
  const plot = await page.getByTestId("plot").boundingBox();
  if (!lane || !plot) throw new Error("no track is shown");
  return page.screenshot({ clip: { x: plot.x, y: lane.y, width: plot.width, height: lane.height } });
}

test("a query runs by keyboard, an error is one sentence, and the history has both", async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=sql`);
  await ask(page, "SELECT nosuch FROM sched");
  await expect(page.getByTestId("sql-problem")).toHaveText(/line 1, column 8: no such column: nosuch\.$/);
  await expect(rows(page)).toHaveCount(0);

  await ask(
    page,
    "SELECT cpu, count(*) AS n, 9007199254740993 AS big, NULL AS lacking, '' AS blank FROM sched GROUP BY cpu",
  );
  await expect(summary(page)).toHaveText(/^8 rows in [\d.,]+ ms$/);
  await expect(page.getByTestId("sql-problem")).toHaveCount(0);
  await expect(rows(page)).toHaveCount(8);
  await expect(rows(page).first()).toContainText(/9007199254740993NULL$/);
  await expect.poll(() => param(page, "q")).toContain("9007199254740993");

  await test.step("a column of numbers is sorted as numbers", async () => {
    await page.getByRole("columnheader", { name: "n", exact: true }).getByRole("button").click();
    const counts = (await rows(page).locator("td:nth-child(2)").allTextContents()).map(Number);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  await test.step("the history has both and runs them again", async () => {
    await page.getByRole("button", { name: "history" }).click();
    await expect(page.getByRole("menuitem")).toHaveText([/8 rows$/, /SELECT nosuch FROM sched · failed$/]);
    await page.getByRole("menuitem").nth(1).click();
    await expect(page.getByTestId("sql-problem")).toContainText("no such column");
  });

  await test.step("Back returns to the previous query", async () => {
    await page.goBack();
    await expect(editor(page)).toContainText("9007199254740993");
    await expect(rows(page)).toHaveCount(8);
  });
  await expectAccessible(page);
  await expectFits(page);
  expect(errors).toEqual([]);
});

test("completions; a view of ours includes its module; Tab leaves the editor", async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=sql`);
  await page.getByRole("button", { name: "examples" }).click();
  await expect(page.getByRole("menuitem", { name: /longest for a CPU/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await editor(page).click();
  await page.keyboard.type("select * from numalens_cli");
  const offered = page.getByRole("option", { name: /numalens_cling_busy/ });
  await expect(offered).toBeVisible();
  await expect(offered).toContainText("numalens.cling");
  await page.keyboard.press("Escape");
  await expect(offered).toHaveCount(0);
  await page.keyboard.type("ng_b");
  await expect(offered).toBeVisible();
  // A completion that has just opened does not take Enter.
  await passFrames(page, 15);
  await page.keyboard.press("Enter");
  await expect(editor(page)).toContainText("INCLUDE PERFETTO MODULE numalens.cling;");
  await page.keyboard.press("Control+Enter");
  await expect(summary(page)).toHaveText(/rows in/);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(editor(page)).not.toBeFocused();
  await expect.poll(() => viewIn(page).window).toBe("23479835937~23524044432");

  await test.step("typed letters are not the page's shortcuts", async () => {
    await editor(page).click();
    await page.keyboard.type(" wasd?/mq");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect.poll(() => viewIn(page).window).toBe("23479835937~23524044432");
    await expect(editor(page)).toContainText("wasd?/mq");
  });
  expect(errors).toEqual([]);
});

test("a row moves the timeline in one step, by mouse and by Enter", async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=sql&q=${encodeURIComponent(SLICES)}`);
  await expect(summary(page)).toHaveText(/^\d+ rows in/);
  const before = viewIn(page).window;
  const ts = BigInt((await rows(page).nth(2).locator("td").first().textContent()) ?? "");
  const dur = BigInt((await rows(page).nth(2).locator("td").nth(1).textContent()) ?? "");
  await rows(page).nth(2).getByRole("button").click();
  await expect.poll(() => viewIn(page).selection).toBe(`cpu:3@${ts}`);
  const [from, to] = (viewIn(page).window ?? "").split("~").map(BigInt) as [bigint, bigint];
  expect(from <= ts && ts + dur <= to && to - from < 4n * dur).toBe(true);
  await expect(rows(page).nth(2)).toHaveClass(/selected/);
  await expect(page.getByTestId("slice-task")).toBeVisible();
  await page.goBack();
  await expect.poll(() => viewIn(page).window).toBe(before);
  await expect(rows(page).first()).toBeVisible();

  await rows(page).nth(4).getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => viewIn(page).window).not.toBe(before);
  expect(errors).toEqual([]);
});

for (const theme of ["light", "dark"] as const) {
  test(
    `rows are drawn on the time axis, and a link opens the same, ${theme}`,
    extra(theme === "dark"),
    async ({ browser }) => {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: theme,
        reducedMotion: "reduce",
      });
      const page = await context.newPage();
      const errors = await open(page, `${WINDOW}&d=sql`);
      await expect(page.getByTestId("panel-sql")).toHaveCount(0);
      await ask(
        page,
        "SELECT sched.ts, sched.dur, cpu, thread.name FROM sched JOIN thread USING (utid) WHERE cpu < 2 AND ts > 23400000000 AND ts < 23600000000 ORDER BY random()",
      );
      await expect(summary(page)).toHaveText(/rows in/);
      await page.getByRole("button", { name: "Show as track" }).click();
      await expect(page.getByTestId("panel-sql")).toBeInViewport();
      await expect(page.getByTestId("query-lane")).toHaveText([/^cpu 0\d+ rows$/, /^cpu 1\d+ rows$/]);
      await expect.poll(() => param(page, "qt")).toBe("1");
      await untilDrawn(page);
      const drawn = await trackPicture(page);

      await test.step("hover shows the row, a click keeps it", async () => {
        const lane = await page.getByTestId("query-lane").first().boundingBox();
        const plot = await page.getByTestId("plot").boundingBox();
        const [x, y] = [(plot?.x ?? 0) + 80, (lane?.y ?? 0) + (lane?.height ?? 0) / 2];
        await page.mouse.move(x, y);
        await expect(page.getByRole("tooltip")).toContainText(/start.*duration.*ts\d{11}dur\d+cpu0name/);
        await page.mouse.click(x, y);
        await expect(page.getByTestId("picked-facts")).toContainText("A row of the query.");
        await expect.poll(() => param(page, "g")).toMatch(/^sql:0@\d+$/);
        await page.keyboard.press("Escape");
        await page.mouse.move(10, 400);
      });

      await test.step("the link opens with the query run and drawn, bit for bit", async () => {
        const other = await context.newPage();
        await other.goto(page.url());
        await untilDrawn(other);
        await expect(summary(other)).toHaveText(
          await summary(page)
            .textContent()
            .then((text) => RegExp((text ?? "").replace(/ in .*/, " in"))),
        );
        await expect(other.getByTestId("query-lane")).toHaveCount(2);
        await other.getByTestId("panel-sql").scrollIntoViewIfNeeded();
        await untilDrawn(other);
        expect((await trackPicture(other)).equals(drawn)).toBe(true);
        // The track stays when the drawer shows something else, also in a link.
        await other.goto(page.url().replace("d=sql", "d=none"));
        await untilDrawn(other);
        await expect(other.getByTestId("query-lane")).toHaveCount(2);
        await other.close();
      });

      await test.step("dense rows are merged with a count", async () => {
        await page.keyboard.press("Shift+F");
        await untilDrawn(page);
        const lane = await page.getByTestId("query-lane").first().boundingBox();
        const plot = await page.getByTestId("plot").boundingBox();
        const x = (plot?.x ?? 0) + ((plot?.width ?? 0) * (23.5 - 7.04)) / 45.28;
        await page.mouse.move(x, (lane?.y ?? 0) + (lane?.height ?? 0) / 2);
        await expect(page.getByRole("tooltip")).toContainText(/\d+ rows.*filled/);
      });

      await test.step("a counter by node", async () => {
        await ask(
          page,
          "INCLUDE PERFETTO MODULE numalens.nodes;\nSELECT ts, nid, percent AS value FROM numalens_node_busy",
        );
        await expect(page.getByTestId("query-lane")).toHaveText([/^node 0up to/, /^node 1up to/]);
        await untilDrawn(page);
      });
      await expectAccessible(page);
      await page.getByRole("button", { name: "Hide track" }).click();
      await expect(page.getByTestId("panel-sql")).toHaveCount(0);
      await expect.poll(() => param(page, "qt")).toBeNull();
      expect(errors).toEqual([]);
      await context.close();
    },
  );
}

test("only the window, all rows as a file, a newer query instead of a running one, and the time limit", {
  tag: "@all",
}, async ({ page }) => {
  const errors = await open(page, `${WINDOW}&d=sql`);
  const count = "SELECT count(*) AS n FROM sched";
  await ask(page, count);
  await expect(summary(page)).toHaveText(/^1 row in/);
  const whole = Number(await rows(page).first().textContent());
  await page.getByLabel("only this window").check();
  await page.getByRole("button", { name: "Run" }).click();
  await expect.poll(async () => Number(await rows(page).first().textContent())).toBeLessThan(whole / 100);
  const part = Number(await rows(page).first().textContent());
  const queried = param(page, "qw");
  expect(queried).toMatch(/^23479835937~2352404443\d$/);

  await test.step("the link keeps the queried window, wherever the timeline is", async () => {
    await page.goto(
      `${address}?v=2&w=30000000000~31000000000&d=sql&q=${encodeURIComponent(count)}&qw=${queried}`,
    );
    await expect(rows(page).first()).toHaveText(String(part));
    await page.goto(`${address}?v=2&${WINDOW}&d=sql&q=${encodeURIComponent(count)}&qw=1`);
    await expect(rows(page).first()).toHaveText(String(part));
    await page.goto(`${address}?v=2&${WINDOW}&d=sql&q=${encodeURIComponent(count)}`);
    await expect(rows(page).first()).toHaveText(String(whole));
  });

  await test.step("the file has all rows with all digits", async () => {
    await ask(page, "SELECT ts, dur, utid FROM sched");
    await expect(summary(page)).toHaveText(/^the first 10,000 rows of more in/);
    const download = page.waitForEvent("download");
    await page.locator(".sql-summary").getByRole("button", { name: "CSV" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    expect(text.trim().split("\n")).toHaveLength(whole + 1);
    expect(text.split(/\r?\n/)[0]).toBe("ts,dur,utid");
  });

  const endless = "SELECT count(*) FROM sched a, sched b, sched c";
  await test.step("a newer query replaces a running one", async () => {
    await ask(page, endless);
    await expect(page.getByTestId("sql-running")).toBeVisible();
    await ask(page, "SELECT 7 AS seven");
    await expect(rows(page)).toHaveText(["7"]);
  });

  await test.step("a running query can be stopped", async () => {
    await ask(page, endless);
    await page.getByRole("button", { name: "Stop" }).click();
    await expect(page.getByTestId("sql-problem")).toHaveText("The query was stopped.");
  });

  await test.step("the time limit stops it", async () => {
    await ask(page, endless);
    await expect(page.getByTestId("sql-problem")).toHaveText(/stopped after its limit of 5 seconds/, {
      timeout: 30_000,
    });
    await ask(page, "SELECT 8 AS eight");
    await expect(rows(page)).toHaveText(["8"]);
  });
  expect(errors).toEqual([]);
});

test("a guest can query; a track needs ts", { tag: "@all" }, async ({ browser }) => {
  const made = await fetch(`${sample.server.address}/api/v1/analyses/${sample.analysis}/shares`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      view: `v=2&${WINDOW}&d=sql&q=${encodeURIComponent("SELECT name FROM thread LIMIT 5")}`,
      expires_in_s: null,
    }),
  });
  const { token } = (await made.json()) as { token: string };
  const page = await browser.newPage();
  await page.goto(`${sample.server.address}/s#${token}`);
  await expect(summary(page)).toHaveText(/^5 rows in/);
  await expect(page.getByRole("button", { name: "Show as track" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Show as track" })).toHaveAttribute(
    "title",
    /needs a column ts/,
  );
  await expect(rows(page).first().getByRole("button")).toHaveCount(0);
  await page.close();
});
