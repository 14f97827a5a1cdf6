import { expect, type Page } from "@playwright/test";

/** Presses Tab until the focused element matches `wanted`. */
export async function tabTo(page: Page, wanted: string, most = 60): Promise<void> {
  for (let i = 0; i < most; i += 1) {
    await page.keyboard.press("Tab");
    const there = await page.evaluate((selector) => document.activeElement?.matches(selector), wanted);
    if (there) return;
  }
  expect(null, `Tab never came to ${wanted}`).not.toBeNull();
}
