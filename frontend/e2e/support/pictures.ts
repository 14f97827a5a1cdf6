import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectFits } from "./checks.ts";
import { untilStill } from "./page.ts";

/** A phone, as far as one scrolls, a tablet, and two screens; CSS pixels. */
const SIZES = [
  { width: 390, height: 1600 },
  { width: 768, height: 1024 },
  { width: 1280, height: 720 },
  { width: 1920, height: 900 },
] as const;

/** The least height of a phone, CSS pixels. */
const PHONE = 640;

/** What is another with each run: moments, how long something took, the server's port, keys and sizes. */
const VARYING = /\d{4}-\d\d-\d\d \d\d:\d\d|^read in \d|127\.0\.0\.1:\d+/;

/** A word that is gone is more than this, however large the picture; letters that are smoothed in another way are less. */
const MOST_PIXELS = 200;

interface Options {
  /** The part of the page that is compared; all that the window shows unless it is given. */
  readonly of?: Locator;
  /** Of the window at every width, CSS pixels; a phone has more. */
  readonly height?: number;
  /** What is brought into sight first: on a phone it may be far below. */
  readonly sight?: Locator;
  /** More that is another with each run. */
  readonly mask?: readonly Locator[];
  /** Opens the state anew at each width, where that decides what is open; else the page is resized. */
  readonly opened?: () => Promise<void>;
}

/** Compares a state with its pictures: at every width, in both themes, with nothing wider than the window. */
export async function pictured(page: Page, name: string, options: Options = {}): Promise<void> {
  const { of = page.locator("body"), height, sight, mask = [], opened } = options;
  const before = page.viewportSize();
  for (const size of SIZES) {
    const shown = height === undefined ? size.height : Math.max(height, size.width < 500 ? PHONE : 0);
    await page.setViewportSize({ ...size, height: shown });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      if (colorScheme === "light") await opened?.();
      await untilStill(page);
      await sight?.scrollIntoViewIfNeeded();
      await expect.soft(of).toHaveScreenshot(`${name}-${size.width}-${colorScheme}.png`, {
        mask: [of.getByText(VARYING), ...mask],
        maxDiffPixels: MOST_PIXELS,
      });
    }
    await test.step(`${name} fits ${size.width} px`, () => expectFits(page));
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before) await page.setViewportSize(before);
}
