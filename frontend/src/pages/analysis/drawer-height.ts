/** Height of the drawer as the reader last chose it, CSS pixels; null leaves it to the page. */

const KEY = "numalens.drawer-height";
/** CSS pixels: the tabs and a few rows. */
export const LEAST_HEIGHT = 120;
/** Of the page's height: the rest is the timeline's. */
const MOST_SHARE = 0.75;

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export function clampHeight(height: number, page: number): number {
  return Math.round(Math.max(LEAST_HEIGHT, Math.min(height, page * MOST_SHARE)));
}

/** Returns null where nothing was kept, or nothing that is a height. */
export function readHeight(kept: Kept): number | null {
  const text = kept.getItem(KEY) ?? "";
  return /^\d{2,4}$/.test(text) ? Math.max(LEAST_HEIGHT, Number(text)) : null;
}

export function storeHeight(kept: Kept, height: number | null): void {
  if (height === null) kept.removeItem(KEY);
  else kept.setItem(KEY, String(height));
}
