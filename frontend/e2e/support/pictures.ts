import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, type Locator, type Page, test } from "@playwright/test";
import { expectAccessible, expectFits } from "./checks.ts";
import { passFrames, untilStill } from "./page.ts";
import { RUNS_ALL } from "./scope.ts";

/** A phone, as far as one scrolls, a tablet, and two screens; CSS pixels. */
const SIZES = [
  { width: 390, height: 1600 },
  { width: 768, height: 1024 },
  { width: 1280, height: 720 },
  { width: 1920, height: 900 },
] as const;

const THEMES = ["light", "dark"] as const;

/** Git has every state at 1280 px in light, and these, whose layout depends most on the width. */
const FURTHER_IN_GIT = new Set([
  "area-390-light",
  "compare-390-light",
  "dialog-share-390-light",
  "dialog-shortcuts-390-light",
  "findings-390-light",
  "fleet-machines-768-light",
  "list-390-light",
  "local-1920-dark",
  "overview-390-light",
  "report-1280-dark",
  "report-390-light",
  "view-findings-1280-dark",
  "view-pressure-768-dark",
  "wait-story-1920-dark",
]);

const isInGit = (picture: string) => picture.endsWith("-1280-light") || FURTHER_IN_GIT.has(picture);

/** Folder of the pictures to compare with: those in git, and others that were generated from the merge base. */
const GENERATED = process.env["NUMALENS_PICTURES"] ?? "";

/** The smallest height of a phone's window, CSS pixels. */
const PHONE = 640;

/** Text that differs between runs: dates, durations, the server's port. */
const VARYING = /\d{4}-\d\d-\d\d \d\d:\d\d|^read in \d|127\.0\.0\.1:\d+/;

/** A missing word differs in more pixels than this, however large the picture; differently smoothed letters in fewer. */
const MOST_PIXELS = 200;

interface Options {
  /** The part of the page to compare (default: all that the window shows). */
  readonly of?: Locator;
  /** Height of the window at every width, CSS pixels; a phone's is at least 640. */
  readonly height?: number;
  /** An element to scroll into view first: on a phone it may be far below. */
  readonly sight?: Locator;
  /** More elements that differ between runs. */
  readonly mask?: readonly Locator[];
  /** Opens the state again at each width, for a state that depends on it; by default the page is only resized. */
  readonly opened?: () => Promise<void>;
}

/** Whether to compare a picture now: while pictures are generated, the ones that git lacks; else every one there is. */
function isCompared(picture: string): boolean {
  const isGenerating = GENERATED !== "" && test.info().config.updateSnapshots === "all";
  if (isInGit(picture)) return !isGenerating;
  return GENERATED !== "" && (isGenerating || existsSync(join(GENERATED, `${picture}.png`)));
}

/**
 * Compares a state with its pictures, and checks that nothing is wider than the window: at every width and in both themes with
 * `NUMALENS_TEST=all`, otherwise where git has a picture. The width of a phone and accessibility are always checked.
 */
export async function pictured(page: Page, name: string, options: Options = {}): Promise<void> {
  const { of = page.locator("body"), height, sight, mask = [], opened } = options;
  const before = page.viewportSize();
  for (const size of SIZES) {
    const themes = THEMES.filter((theme) => RUNS_ALL || isInGit(`${name}-${size.width}-${theme}`));
    if (themes.length === 0 && size.width > 390) continue;
    const shown = height === undefined ? size.height : Math.max(height, size.width < 500 ? PHONE : 0);
    await page.setViewportSize({ ...size, height: shown });
    for (const [place, colorScheme] of themes.entries()) {
      await page.emulateMedia({ colorScheme });
      if (place === 0) await opened?.();
      await untilStill(page);
      await sight?.scrollIntoViewIfNeeded();
      const picture = `${name}-${size.width}-${colorScheme}`;
      if (!isCompared(picture)) continue;
      await expect.soft(of).toHaveScreenshot(`${picture}.png`, {
        mask: [of.getByText(VARYING), ...mask],
        maxDiffPixels: MOST_PIXELS,
      });
    }
    // A page that was only resized is laid out again in the next frames.
    if (themes.length === 0) await passFrames(page, 3);
    await test.step(`${name} fits ${size.width} px`, () => expectFits(page));
    if (size.width === 1280) await test.step(`${name} is accessible`, () => expectAccessible(page));
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before) await page.setViewportSize(before);
}
