/** All panels of a stage. */

import { defaultOpen } from "../timeline/lanes.ts";
import type { Panel } from "../timeline/panel.ts";
import type { Scene } from "../timeline/scene.ts";
import type { PanelInputs } from "../timeline/stage/stage-parts.ts";
import type { TimelineSource } from "../timeline/tiles/timeline-source.ts";
import { ClingPanel } from "./cling/cling-panel.ts";
import { IlbPanel } from "./ilb/ilb-panel.ts";
import { MemoryPanel } from "./memory/memory-panel.ts";
import { NodesPanel } from "./nodes/nodes-panel.ts";
import { PsiPanel } from "./psi/psi-panel.ts";
import { SqlPanel } from "./sql/sql-panel.ts";

export interface Panels {
  readonly nodes: NodesPanel;
  readonly cling: ClingPanel;
  readonly psi: PsiPanel;
  readonly ilb: IlbPanel;
  readonly memory: MemoryPanel;
  readonly sql: SqlPanel;
}

/** Colours of the theme; only what is mounted has one. */
export interface Colours {
  readonly nodeColour: (nid: number) => string;
  readonly taskFill: (task: number) => string | null;
}

export function makePanels(
  scene: Scene,
  source: TimelineSource,
  inputs: PanelInputs,
  colours: Colours,
): Panels {
  const { origin, tasks, nodes } = scene;
  const taskName = (pid: number) => tasks.comm[tasks.pid.indexOf(pid)] ?? null;
  const open = new Set(defaultOpen(nodes));
  return {
    nodes: new NodesPanel({ scene, source, marks: inputs.marks, ...colours, open }),
    cling: new ClingPanel({ ...inputs.cling, origin, taskName }),
    psi: new PsiPanel(inputs.pressure, origin),
    ilb: new IlbPanel(inputs.ilb, nodes, origin),
    memory: new MemoryPanel(inputs.memory, inputs.placement, origin),
    sql: new SqlPanel(inputs.sql, origin),
  };
}

export function allPanels(panels: Panels): readonly Panel[] {
  return Object.values(panels);
}
