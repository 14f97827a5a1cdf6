import { expect, it } from "vitest";
import { DRAWER_VIEWS } from "../view-state/tab-views.ts";

// As text: what the views show needs a browser.
const folders = import.meta.glob<string>(["./*/index.tsx", "../subjects/*/views/**/index.tsx"], {
  eager: true,
  query: "?raw",
  import: "default",
});

it("every view that a link can name has its folder", () => {
  const ids = Object.values(folders).flatMap((text) =>
    [...text.matchAll(/\bid: "(\w+)",\s+title:/g)].map(([, id]) => id),
  );
  expect(ids.sort()).toEqual([...DRAWER_VIEWS].sort());
});
