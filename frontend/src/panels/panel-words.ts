/** The panels' names, and what each shows in one sentence. */

import type { PanelId } from "../timeline/panels.ts";

export const PANEL_WORDS: Readonly<Record<PanelId, { readonly title: string; readonly means: string }>> = {
  nodes: {
    title: "nodes",
    means:
      "Each node's waiting tasks over its busy CPUs; open, its CPUs with what ran (kernel: __schedule). Marks: attempts of the NUMA balancer, and the worst waits.",
  },
  cling: {
    title: "cling",
    means:
      "Share of failed migrations of each numa group by node, beside the degree; while it is above, the group's busiest node is busy (kernel: busy_node).",
  },
  psi: {
    title: "pressure",
    means:
      "Pressure stall information: time in which tasks waited for a resource, counted by the kernel (kernel: psi_group_change).",
  },
  ilb: {
    title: "idle balancing",
    means:
      "CPUs in the idle mask, and kicks: a busy CPU asks an idle one to balance for all that are idle (kernel: nohz_balancer_kick, nohz_idle_balance).",
  },
  memory: {
    title: "memory",
    means:
      "Pages that were migrated on fault, and tasks that went to another node, per interval (kernel: migrate_misplaced_page, set_task_cpu).",
  },
  sql: {
    title: "query",
    means: "Rows of the SQL tab's query, where their ts says; the tab takes the panel away again.",
  },
};
