import type { DrawerTab } from "../view-state/tab-views.ts";

export const TAB_WORDS: Readonly<Record<DrawerTab, string>> = {
  findings: "Findings",
  latency: "Latency",
  pressure: "Pressure",
  nodes: "Nodes",
  sums: "Sums",
  balancers: "Balancers",
  tasks: "Tasks",
  events: "Events",
  sql: "SQL",
  samples: "Samples",
  inputs: "Inputs",
  notes: "Notes",
};
