// Sharing: links with rights to write notes or download, a guest's answers, revoked and expired links.
import type { Browser, Page } from "@playwright/test";
import { expectAccessible } from "./support/checks.ts";
import { openView, untilDrawn, viewIn, watchForErrors } from "./support/page.ts";
import { expect, serveOwnSample, test } from "./support/test.ts";

const sample = serveOwnSample();

async function shareOf(body: Readonly<Record<string, unknown>>): Promise<{ id: string; token: string }> {
  const made = await fetch(`${sample.server.address}/api/v1/analyses/${sample.analysis}/shares`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ view: "", ...body }),
  });
  expect(made.status).toBe(201);
  return (await made.json()) as { id: string; token: string };
}

/** A guest with a browser of their own. */
async function guestAt(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

const conversation = (page: Page, text: string) => page.getByTestId("conversation").filter({ hasText: text });

test("a link for notes: a guest answers the owner, and a revoked link stops working at once", async ({
  page,
  browser,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  const errors = watchForErrors(page);
  await page.goto(`${sample.server.address}/a/${sample.analysis}`);
  await untilDrawn(page);
  await page.getByTestId("findings-table").locator("tbody button").first().click();
  await expect.poll(() => viewIn(page).window).not.toBeNull();
  await openView(page, "Recording", "Notes");
  await expect(page.getByText("No notes yet.")).toBeVisible();

  await test.step("the owner writes a note on the finding", async () => {
    const form = page.getByRole("form", { name: "New note" });
    await expect(form.getByRole("button", { name: "Send" })).toBeDisabled();
    await form.getByLabel("name").fill("Ada");
    await form.getByLabel("Text: New note").fill("Why <b>here</b>?\nNode 1 is idle.");
    await page.keyboard.press("Control+Enter");
    await expect(conversation(page, "Why <b>here</b>?")).toContainText("owner");
    await expect(page.locator(".thread-flag")).toHaveCount(1);
    await expect(form.getByLabel("Text: New note")).toHaveValue("");
  });

  let link = "";
  await test.step("the owner creates a link for notes", async () => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByLabel("for", { exact: true }).fill("the storage team");
    await page.getByLabel("write notes").check();
    await page.getByRole("button", { name: "Create link" }).click();
    link = await page.getByTestId("share-link").inputValue();
    await expect(page.getByTestId("share-row")).toContainText("the storage team");
    await expect(page.getByTestId("share-row")).toContainText("looking, notes");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
  });

  const guest = await guestAt(browser, link);
  const guestErrors = watchForErrors(guest);
  await test.step("the guest sees the same, finds the note on the axis, and answers", async () => {
    await untilDrawn(guest);
    expect(viewIn(guest).window).toBe(viewIn(page).window);
    await expect(guest.getByText("Shared view, for looking, notes.")).toBeVisible();
    await guest.getByRole("tab", { name: "Findings" }).click();
    await guest.locator(".thread-flag").click();
    const shown = conversation(guest, "Why <b>here</b>?");
    await expect(shown).toHaveClass(/pointed/);
    // The guest can neither change the owner's note nor download events.
    await expect(shown.getByRole("button", { name: "Change" })).toHaveCount(0);
    await shown.getByRole("button", { name: "Answer" }).click();
    await guest.getByRole("form", { name: "Answer" }).getByLabel("name").fill("Bo");
    await guest.getByLabel("Text: Answer").fill("The cgroup is throttled.");
    await guest.getByRole("form", { name: "Answer" }).getByRole("button", { name: "Send" }).click();
    await expect(shown).toContainText("The cgroup is throttled.");
    await shown.getByRole("button", { name: "Change" }).click();
    await guest.getByLabel("Text of the note").fill("The cgroup was throttled.");
    await guest.getByRole("button", { name: "Save", exact: true }).click();
    await expect(shown).toContainText("The cgroup was throttled.");
    await expect(shown).toContainText("(changed)");
    await expectAccessible(guest);
    await openView(guest, "Events & SQL", "By type");
    // The table on the screen can be saved, the events cannot.
    await expect(guest.locator(".tab-panel table").first()).toBeVisible();
    await expect(guest.getByText("NDJSON", { exact: true })).toHaveCount(0);
  });

  await test.step("the owner sees the answer without a reload", async () => {
    await expect(conversation(page, "The cgroup was throttled.")).toContainText("Bo", { timeout: 30_000 });
  });

  await test.step("revoked in the list of all links, it stops working at once", async () => {
    await page.goto(`${sample.server.address}/`);
    await page.getByRole("link", { name: "Shared links" }).click();
    const row = page.getByTestId("share-row").filter({ hasText: "the storage team" });
    await expect(row).toContainText("1 time");
    await expectAccessible(page);
    await row.getByRole("button", { name: "Revoke" }).click();
    await expect(row).toHaveAttribute("data-state", "revoked");
    const refusal = await guest.evaluate(async () => {
      const token = window.location.hash.slice(1);
      const answer = await fetch("/api/v1/shares/open", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token }),
      });
      return answer.status;
    });
    expect(refusal).toBe(410);
    // An open page says so without a reload.
    await guest.evaluate(() => window.dispatchEvent(new Event("focus")));
    await expect(guest.getByRole("heading", { name: "This link has expired or was revoked" })).toBeVisible();
    await guest.reload();
    await expect(guest.getByTestId("sentence")).toHaveText(/revoked.*\./);
    await guest.context().close();
  });
  // The browser logs the rejected request above.
  expect(guestErrors.filter((error) => !error.includes("410"))).toEqual([]);
  expect(errors).toEqual([]);
});

test("a read-only link shows notes and accepts none; a link for downloads gives events", async ({
  browser,
}) => {
  const looking = await shareOf({});
  const guest = await guestAt(browser, `${sample.server.address}/s#${looking.token}`);
  await untilDrawn(guest);
  await openView(guest, "Recording", "Notes");
  await expect(guest.getByText("This link does not allow writing notes")).toBeVisible();
  await expect(guest.getByRole("form")).toHaveCount(0);
  await guest.context().close();

  const taking = await shareOf({ may: ["download"] });
  const taker = await guestAt(browser, `${sample.server.address}/s#${taking.token}`);
  await untilDrawn(taker);
  await openView(taker, "Events & SQL", "By type");
  const download = taker.waitForEvent("download");
  await taker.getByRole("button", { name: "NDJSON" }).first().click();
  expect((await download).suggestedFilename()).toMatch(/\.ndjson$/);
  await taker.context().close();
});

test("an expired link says so, and works again when it is extended", { tag: "@all" }, async ({
  page,
  browser,
}) => {
  const made = await shareOf({ name: "short", expires_in_s: 1 });
  await expect(async () => {
    const answer = await fetch(`${sample.server.address}/api/v1/analyses/${sample.analysis}`, {
      headers: { "X-NumaLens-Share": made.token },
    });
    expect(answer.status).toBe(410);
  }).toPass();
  const guest = await guestAt(browser, `${sample.server.address}/s#${made.token}`);
  await expect(guest.getByTestId("sentence")).toHaveText(/expired.*\./);
  await page.goto(`${sample.server.address}/links`);
  const row = page.getByTestId("share-row").filter({ hasText: "short" });
  await expect(row).toHaveAttribute("data-state", "expired");
  await row.getByLabel("Extend").selectOption("7 days");
  await expect(row).toHaveAttribute("data-state", "works");
  await guest.reload();
  await untilDrawn(guest);
  await expect(guest.getByText("Shared view, for looking.")).toBeVisible();
  await guest.context().close();
});

test("a time range with pseudonyms is shared, gets a note from a guest, and is revoked", async ({
  page,
  browser,
}) => {
  const errors = watchForErrors(page);
  await page.goto(
    `${sample.server.address}/a/${sample.analysis}?v=2&w=20000000000~30000000000&open=0,1&d=tasks`,
  );
  await untilDrawn(page);
  await expect(page.getByRole("tabpanel")).toContainText("ng_");
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByLabel("only 20.000 to 30.000 s").check();
  await page.getByLabel("pseudonyms for names").check();
  await page.getByLabel("write notes").check();
  await page.getByLabel("for", { exact: true }).fill("the vendor");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Create link" }).click();
  const field = page.getByTestId("share-link");
  await expect(field).toBeVisible({ timeout: 60_000 });
  const link = await field.inputValue();

  const guest = await guestAt(browser, link);
  const guestErrors = watchForErrors(guest);
  await test.step("the guest sees the range and no real names, and writes a note", async () => {
    await untilDrawn(guest);
    expect(viewIn(guest).window).toBe("20000000000~30000000000");
    await expect(guest.getByRole("tabpanel")).toContainText("task-1");
    const seen = await guest.content();
    expect(seen).not.toMatch(/\bng_[A-Z]/);
    expect(seen).not.toContain("NUMA cling: four groups");
    await openView(guest, "Recording", "Notes");
    await guest.getByLabel("name").fill("Cy");
    await guest.getByLabel("Text: New note").fill("Who is task-1?");
    await guest.getByRole("button", { name: "Send" }).click();
    await expect(conversation(guest, "Who is task-1?")).toBeVisible();
  });

  await test.step("the link is in the list of all links; once it is revoked, the guest has no access", async () => {
    await page.goto(`${sample.server.address}/links`);
    const row = page.getByTestId("share-row").filter({ hasText: "the vendor" });
    await row.getByRole("link", { name: "Copy" }).click();
    await untilDrawn(page);
    await openView(page, "Recording", "Notes");
    await expect(conversation(page, "Who is task-1?")).toContainText("Cy");
    await page.goto(`${sample.server.address}/links`);
    await row.getByRole("button", { name: "Revoke" }).click();
    await expect(row).toHaveAttribute("data-state", "revoked");
    await guest.getByLabel("Text: New note").fill("Anybody?");
    await guest.getByRole("button", { name: "Send" }).click();
    await expect(guest.getByRole("alert").first()).toContainText("revoked");
    await guest.reload();
    await expect(guest.getByTestId("sentence")).toHaveText(/revoked.*\./);
    await guest.context().close();
  });
  expect(guestErrors.filter((error) => !error.includes("410"))).toEqual([]);
  expect(errors).toEqual([]);
});
