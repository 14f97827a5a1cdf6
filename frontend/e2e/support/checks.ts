import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";

/** Expects nothing to be wider than the window. */
export async function expectFits(page: Page): Promise<void> {
  const [content, shown] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    window.innerWidth,
  ]);
  expect.soft(content).toBeLessThanOrEqual(shown ?? 0);
}

const packages = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright"));
const AXE = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

/** Rules to run: of some tags, or by name. */
export interface Rules {
  readonly type: "tag" | "rule";
  readonly values: readonly string[];
}

interface Axe {
  run(
    part: Document,
    options: { runOnly: Rules; resultTypes: readonly string[] },
  ): Promise<{ violations: readonly { id: string; nodes: readonly { html: string }[] }[] }>;
}

/** What axe finds in a page. It is run in the page itself: `AxeBuilder`, which also looks into frames, takes three times as long. */
export async function axe(page: Page, rules: Rules): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: Axe };
    const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => {
      const examples = nodes.slice(0, 3).map(({ html }) => html.slice(0, 200));
      return `${id}: ${examples.join(" | ")}`;
    });
  }, rules);
}

/** Expects no violation of the WCAG 2 A and AA rules that a machine can check, including contrast. */
export async function expectAccessible(page: Page): Promise<void> {
  expect.soft(await axe(page, { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21aa"] })).toEqual([]);
}

/** Number of controls that the Tab key reaches. */
export async function tabStops(page: Page): Promise<number> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true]",
    );
    const reached = [...controls].filter(
      (control) =>
        control.tabIndex >= 0 &&
        !control.matches(":disabled") &&
        control.checkVisibility({ visibilityProperty: true }),
    );
    return reached.length;
  });
}
