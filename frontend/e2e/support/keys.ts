import { expect, type Page } from "@playwright/test";

/** Presses Tab until the focused element matches `wanted`; inside a group that is one stop, arrows. */
export async function tabTo(page: Page, wanted: string, most = 60): Promise<void> {
  for (let i = 0; i < most; i += 1) {
    await page.keyboard.press("Tab");
    const there = await page.evaluate((selector) => document.activeElement?.matches(selector), wanted);
    if (there) return;
    const away = await page.evaluate(stepsTo, wanted);
    for (let step = 0; step < Math.abs(away); step += 1)
      await page.keyboard.press(away > 0 ? "ArrowRight" : "ArrowLeft");
    if (away !== 0) {
      expect(await page.evaluate((selector) => document.activeElement?.matches(selector), wanted)).toBe(true);
      return;
    }
  }
  expect(null, `Tab never came to ${wanted}`).not.toBeNull();
}

/** How many items after the focused one of its group the wanted one is; 0 where the group has none. */
function stepsTo(selector: string): number {
  const group = document.activeElement?.closest("[data-one-stop]");
  const wanted = group?.querySelector(selector);
  if (!group || !wanted || !document.activeElement) return 0;
  const items = [...group.querySelectorAll("a[href], button:not(:disabled)")].map((item) => {
    const { left, top, bottom } = item.getBoundingClientRect();
    return { item, left, line: Math.round((top + bottom) / 12) };
  });
  items.sort((a, b) => a.line - b.line || a.left - b.left);
  const order = items.map(({ item }) => item);
  return order.indexOf(wanted) - order.indexOf(document.activeElement);
}
