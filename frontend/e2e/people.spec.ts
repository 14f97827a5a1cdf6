// Users: sign-in by an issuer, readers of an analysis, a change of owner and back, API tokens on the page.
import type { Browser, Page } from "@playwright/test";
import { expectAccessible, expectFits } from "./support/checks.ts";
import { Issuer, signIn } from "./support/issuer.ts";
import { choose, openView, plainPage, untilDrawn, watchForErrors } from "./support/page.ts";
import { pictured } from "./support/pictures.ts";
import { TOPOLOGY, TRACE } from "./support/recording.ts";
import { Server } from "./support/server.ts";
import { expect, test } from "./support/test.ts";

const [ANN, BO, CY] = ["ann@numalens.example", "bo@numalens.example", "cy@numalens.example"];

let issuer: Issuer;
let server: Server;

test.beforeAll(async () => {
  issuer = await Issuer.start([ANN, BO, CY]);
  server = await Server.start([], issuer.settings);
});

test.afterAll(async () => {
  await server?.close();
  issuer?.close();
});

/** A user with a browser of their own, at an address. */
async function at(browser: Browser, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${server.address}${path}`);
  return page;
}

test("the sign-in page", { tag: "@pictures" }, async ({ browser }) => {
  const page = await plainPage(browser, "light");
  await page.goto(`${server.address}/`);
  await expect(page.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
  await pictured(page, "sign-in", { height: 480 });
  await page.context().close();
});

test("an owner adds a reader, who sees the analysis; a third user does not", async ({ page, browser }) => {
  const errors = watchForErrors(page);
  let analysis = "";
  await test.step("after signing in, the user is back at the same address", async () => {
    await page.goto(`${server.address}/?q=cling`);
    await expect(page.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
    await expectAccessible(page);
    await signIn(page, ANN);
    expect(new URL(page.url()).search).toBe("?q=cling");
    await page.goto(`${server.address}/`);
    await expect(page.getByText("Find out why a task waited, in three steps")).toBeVisible();
  });

  await test.step("the owner uploads, and adds a reader", async () => {
    await choose(page, TRACE, TOPOLOGY);
    await untilDrawn(page);
    analysis = new URL(page.url()).pathname;
    await page.getByRole("button", { name: "Share" }).click();
    const people = page.getByRole("region", { name: "Owners and readers" });
    await expect(people.getByTestId("person-row")).toHaveText(/ann@numalens\.example \(you\)owner/);
    await people.getByLabel("person", { exact: true }).fill(BO);
    await people.getByRole("button", { name: "Add" }).click();
    await expect(people.getByTestId("person-row").filter({ hasText: BO })).toHaveAttribute(
      "data-role",
      "reader",
    );
    await expectAccessible(page);
    await people.getByRole("button", { name: `Remove ${ANN}` }).click();
    await expect(people.getByRole("alert")).toContainText("needs an owner");
    await page.keyboard.press("Escape");
  });

  const bo = await at(browser, `${analysis}?v=2&d=notes`);
  await test.step("the reader opens the address and signs in", async () => {
    await signIn(bo, BO);
    await untilDrawn(bo);
    expect(new URL(bo.url()).pathname).toBe(analysis);
    await expect(bo.getByRole("button", { name: "Share" })).toHaveCount(0);
    await expect(bo.getByRole("tab", { name: "Recording", exact: true })).toHaveAttribute(
      "aria-selected",
      "true",
    );
    await expect(bo.getByRole("form", { name: "New note" })).toContainText(`as ${BO}`);
    await bo.getByLabel("Text: New note").fill("Node 1 is idle.");
    await bo.getByRole("button", { name: "Send" }).click();
    const shown = bo.getByTestId("conversation").filter({ hasText: "Node 1 is idle." });
    await expect(shown).toContainText("signed in");
    await expect(shown.getByRole("button", { name: "Change" })).toBeVisible();
    await expectAccessible(bo);
    await openView(bo, "Events & SQL", "By type");
    await expect(bo.getByText("NDJSON", { exact: true })).toHaveCount(0);
    await bo.goto(`${server.address}/`);
    const row = bo.getByTestId("analyses").locator("tbody tr");
    await expect(row).toContainText(`of ${ANN}`);
    await expect(row.getByRole("button", { name: /^Delete/ })).toHaveCount(0);
  });

  await test.step("a third user sees nothing", async () => {
    const cy = await at(browser, analysis);
    await signIn(cy, CY);
    await expect(cy.getByTestId("sentence")).toHaveText("There is no such analysis.");
    await cy.goto(`${server.address}/`);
    await expect(cy.getByText("Find out why a task waited, in three steps")).toBeVisible();
    await cy.context().close();
  });

  await test.step("the owner hands it over, and takes it back", async () => {
    await page.getByRole("button", { name: "Share" }).click();
    const people = page.getByRole("region", { name: "Owners and readers" });
    await people.getByLabel("person", { exact: true }).fill(BO);
    await people.getByLabel("as", { exact: true }).selectOption("hand over");
    await people.getByRole("button", { name: "Hand over" }).click();
    await expect(page.getByRole("button", { name: "Take back" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Share" })).toHaveCount(0);
    await page.getByRole("button", { name: "Take back" }).click();
    await expect(page.getByRole("button", { name: "Share" })).toBeVisible();
    await bo.goto(`${server.address}/`);
    await expect(bo.getByText("Find out why a task waited, in three steps")).toBeVisible();
    await bo.context().close();
  });

  await test.step("after signing out, the address asks to sign in", async () => {
    const leaving = page.waitForRequest(issuer.leaves);
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await leaving;
    await expect(page.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
    expect(page.url()).toBe(`${server.address}/`);
    await page.goto(`${server.address}${analysis}`);
    await expect(page.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
  });
  // The browser logs the rejected requests.
  expect(errors.filter((error) => !/401|409/.test(error))).toEqual([]);
});

test("a token is made, shown once, used and revoked on the page", async ({ browser }) => {
  const page = await at(browser, "/account");
  await signIn(page, CY);
  await expect(page.getByRole("heading", { name: CY })).toBeVisible();
  const form = page.getByRole("form", { name: "New token" });
  await form.getByLabel("for", { exact: true }).fill("the nightly run");
  await form.getByLabel("may", { exact: true }).selectOption("owner");
  await form.getByLabel("expires after").selectOption("7 days");
  await form.getByRole("button", { name: "Create token" }).click();
  const secret = await page.getByTestId("token-secret").inputValue();
  expect(secret).toMatch(/^nlt_[\w-]{32,}$/);
  const row = page.getByTestId("token-row");
  await expect(row).toContainText("the nightly run");
  await expect(row).toContainText(CY);
  await expectAccessible(page);

  const ask = () =>
    fetch(`${server.address}/api/v1/info`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(((await (await ask()).json()) as { person: unknown }).person).toEqual({ name: CY, admin: false });
  await page.reload();
  await expect(row).toBeVisible();
  await expect(page.getByTestId("token-secret")).toHaveCount(0);
  await row.getByRole("button", { name: "Revoke the nightly run" }).click();
  await expect(row).toHaveAttribute("data-state", "revoked");
  expect((await ask()).status).toBe(401);
  await page.context().close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`account and sharing are accessible, ${colorScheme}`, { tag: "@all" }, async ({ browser }) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme });
    const page = await context.newPage();
    await page.goto(`${server.address}/account`);
    await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
    await expectAccessible(page);
    await signIn(page, CY);
    const form = page.getByRole("form", { name: "New token" });
    await form.getByLabel("for", { exact: true }).fill(colorScheme);
    await form.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByTestId("token-secret")).toBeVisible();
    await expectAccessible(page);
    await expectFits(page);
    await page.goto(`${server.address}/`);
    await choose(page, TRACE);
    await untilDrawn(page);
    await page.getByRole("button", { name: "Share" }).click();
    await expect(page.getByTestId("person-row")).toBeVisible();
    await page.getByLabel("as", { exact: true }).selectOption("hand over");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expectFits(page);
    await context.close();
  });
}

test("signing out everywhere ends the session of another browser", { tag: "@all" }, async ({ browser }) => {
  const [one, other] = [await at(browser, "/account"), await at(browser, "/account")];
  await signIn(one, BO);
  await signIn(other, BO);
  const leaving = one.waitForRequest(issuer.leaves);
  await one.getByRole("button", { name: "Sign out everywhere" }).click();
  await leaving;
  await expect(one.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
  await other.reload();
  await expect(other.getByRole("heading", { name: "You are not signed in" })).toBeVisible();
  for (const page of [one, other]) await page.context().close();
});

test("a forged answer of the issuer signs no one in", { tag: "@all" }, async ({ browser }) => {
  const page = await at(browser, "/signed-in?code=somebody-elses&state=somebody-elses");
  await expect(page.getByTestId("sentence")).toContainText("started in another browser, or too long ago");
  expect(page.url()).toBe(`${server.address}/signed-in`);
  const refused = await at(browser, "/signed-in?error=access_denied&error_description=%3Cb%3Ehello%3C/b%3E");
  await expect(refused.getByTestId("sentence")).toHaveText("The identity provider did not sign you in.");
  for (const opened of [page, refused]) await opened.context().close();
});
