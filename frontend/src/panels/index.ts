/** All panels of the timeline, in the usual order: each folder here that exports one. */

import type { PanelKind } from "../timeline/panel.ts";

const folders = import.meta.glob<PanelKind>("./*/index.tsx", { eager: true, import: "panel" });

export const PANELS: readonly PanelKind[] = Object.values(folders).sort((a, b) => a.order - b.order);
