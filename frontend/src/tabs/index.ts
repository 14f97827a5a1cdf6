/** All views of the drawer: each folder here, and each subject with views of the drawer, exports one, or several that are alike. */

import type { DrawerView } from "../analysis/tab.ts";
import type { DrawerViewName } from "../view-state/tab-views.ts";

const folders = import.meta.glob<DrawerView | readonly DrawerView[]>(
  ["./*/index.tsx", "../subjects/*/views/index.tsx"],
  { eager: true, import: "view" },
);

const VIEWS = new Map(
  Object.values(folders)
    .flat()
    .map((view) => [view.id, view]),
);

export function viewOf(name: DrawerViewName): DrawerView | undefined {
  return VIEWS.get(name);
}
