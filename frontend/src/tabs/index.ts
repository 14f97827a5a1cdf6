/** All tabs of the drawer, in their order: each folder here that exports one. */

import type { Tab } from "../analysis/tab.ts";
import { DRAWER_TABS, type DrawerTab } from "../view-state/tab-views.ts";

const folders = import.meta.glob<Tab>("./*/index.tsx", { eager: true, import: "tab" });

export const TABS: readonly Tab[] = Object.values(folders).sort(
  (a, b) => DRAWER_TABS.indexOf(a.id) - DRAWER_TABS.indexOf(b.id),
);

export function tabOf(id: DrawerTab): Tab | undefined {
  return TABS.find((tab) => tab.id === id);
}
