/** All views of the drawer: each folder here and each subject with views of the drawer exports its own. */

import type { DrawerView } from "../analysis/tab.ts";
import type { DrawerViewName } from "../view-state/tab-views.ts";

type Views = { readonly view?: DrawerView | readonly DrawerView[] };
const folders = import.meta.glob<Views>(["./*/index.tsx", "../subjects/*/views/index.{ts,tsx}"], {
  eager: true,
});

const VIEWS = new Map(
  Object.values(folders)
    .flatMap(({ view = [] }) => view)
    .map((view) => [view.id, view]),
);

export function viewOf(name: DrawerViewName): DrawerView | undefined {
  return VIEWS.get(name);
}
