import { expect, it } from "vitest";
import { clampHeight, LEAST_HEIGHT, readHeight, storeHeight } from "./drawer-height.ts";

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
}

it("keeps the height that the reader chose, until it is the page's again", () => {
  const kept = storage();
  expect(readHeight(kept)).toBeNull();
  storeHeight(kept, 333);
  expect(readHeight(kept)).toBe(333);
  storeHeight(kept, null);
  expect(readHeight(kept)).toBeNull();
});

it("reads nothing that is no height", () => {
  for (const text of ["", "tall", "-200", "1e9", "99999"]) {
    expect(readHeight({ ...storage(), getItem: () => text })).toBeNull();
  }
});

it("leaves room for some rows and for the timeline", () => {
  expect(clampHeight(10, 800)).toBe(LEAST_HEIGHT);
  expect(clampHeight(790, 800)).toBe(600);
  expect(clampHeight(300.4, 800)).toBe(300);
});
