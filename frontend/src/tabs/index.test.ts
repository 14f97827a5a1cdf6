import { expect, it } from "vitest";
import { DRAWER_TABS } from "../view-state/tab-views.ts";

// As text: what the tabs show needs a browser.
const folders = import.meta.glob<string>("./*/index.tsx", { eager: true, query: "?raw", import: "default" });

it("every tab that a link can name has its folder", () => {
  const ids = Object.values(folders).map((text) => /const tab: Tab = \{\s+id: "(\w+)"/.exec(text)?.[1]);
  expect(ids.sort()).toEqual([...DRAWER_TABS].sort());
});
