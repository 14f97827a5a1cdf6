/** All panels of the timeline, in the usual order: each folder here and each subject with lanes exports its own. */

import type { PanelKind } from "../timeline/panel.ts";

type Lanes = { readonly panel?: PanelKind | readonly PanelKind[] };
const folders = import.meta.glob<Lanes>(["./*/index.tsx", "../subjects/*/lanes/index.{ts,tsx}"], {
  eager: true,
});

export const PANELS: readonly PanelKind[] = Object.values(folders)
  .flatMap(({ panel = [] }) => panel)
  .sort((a, b) => a.order - b.order);
