import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";

/** From this width on a desktop has room for every heading. */
const DESKTOP = 1024;

/** Expects nothing to be wider than the window and, on a desktop, no legend, title, row of chips or header to be cut. */
export async function expectFits(page: Page): Promise<void> {
  const [content = 0, shown = 0] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    window.innerWidth,
  ]);
  expect.soft(content).toBeLessThanOrEqual(shown);
  if (shown >= DESKTOP) expect.soft(await cutParts(page)).toEqual([]);
}

const HEADED = [
  "h1, h2, h3, h4, header, footer, legend, caption, figcaption, summary, [role=tablist], [role=toolbar]",
  ".section-note, .note-parts, .glyph-key, .section-name, .headline, .headline b, .cause, .chips, .chip, .tag, .badge, .label, .tab-tools, .table-tools",
].join(", ");

/** Legends, titles, chips and headers that are wider than their place, or that something around them clips. */
export async function cutParts(page: Page): Promise<string[]> {
  return page.evaluate((selector) => {
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent?.trim().slice(0, 60)}`;
    const clips = (element: Element) => getComputedStyle(element).overflowX !== "visible";
    const cut = (element: HTMLElement): boolean => {
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && clips(element))
        return true;
      const box = element.getBoundingClientRect();
      for (let around = element.parentElement; around; around = around.parentElement) {
        if (!clips(around)) continue;
        const room = around.getBoundingClientRect();
        // What is scrolled away, or on a folded line of a legend, is not cut but not shown.
        if (box.bottom <= room.top + 1 || box.top >= room.bottom - 1) return false;
        if (box.right > room.right + 1 || box.left < room.left - 1) return true;
      }
      return box.right > window.innerWidth + 1;
    };
    return [...document.querySelectorAll<HTMLElement>(selector)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => !element.closest(".visually-hidden, .off-screen") && cut(element))
      .map(name);
  }, HEADED);
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
