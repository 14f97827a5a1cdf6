/** All panels of a stage. */

import type { TimelineSource } from "../../data/timeline-source.ts";
import { defaultOpen } from "../../logic/lanes.ts";
import type { Panel } from "../panel.ts";
import type { Scene } from "../scene.ts";
import type { PanelInputs } from "../stage-parts.ts";
import { ClingPanel } from "./cling.ts";
import { IlbPanel } from "./ilb.ts";
import { MemoryPanel } from "./memory.ts";
import { NodesPanel } from "./nodes.ts";
import { PsiPanel } from "./psi.ts";
import { SqlPanel } from "./sql.ts";

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
