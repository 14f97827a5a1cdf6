/** Evidence of each kind of finding: the place on the page, and the kernel function. */

import { type FindingKind, findingKind } from "../lib/findings.ts";
import type { DrawerViewName, LatencyView } from "../view-state/tab-views.ts";

type Sections = FindingKind["evidence"];

/** View of the drawer with the table of a section. */
interface Table {
  readonly tab: DrawerViewName;
  readonly waits?: LatencyView;
  readonly words: string;
}

const TABLES: Readonly<Record<Sections["section"], Table>> = {
  cling: { tab: "cling", words: "Cling by group" },
  latency: { tab: "latency", waits: "worst", words: "Tasks that waited at this time" },
  memory_samples: { tab: "loads", words: "Loads, by task and node" },
  numa_balancing: { tab: "ops", words: "NUMA balancing attempts" },
  page_migration: { tab: "memory", words: "Memory and tasks" },
  psi: { tab: "pressure", words: "Pressure, replayed and sampled" },
  requests: { tab: "requests", words: "Requests, slow against typical" },
  sleeps: { tab: "tasks", words: "Tasks, by time" },
  utilisation: { tab: "nodes", words: "Nodes, step by step" },
  wakeup_placement: { tab: "latency", waits: "worst", words: "Waits after wakeups" },
};

/** Panel of the timeline with the states of a section. */
const PANELS = {
  cling: "cling",
  idle_balancing: "ilb",
  page_migration: "memory",
  psi: "psi",
  sleeps: "tasks",
  utilisation: "nodes",
} as const satisfies Readonly<Record<Sections["moment"], string>>;

/** A part of the page that shows what a finding was found in. */
export interface Evidence extends Table {
  /** Panel of the timeline that shows the moment. */
  readonly panel: (typeof PANELS)[keyof typeof PANELS];
}

export interface KindWords {
  readonly means: string;
  readonly evidence: Evidence;
}

const OTHER: KindWords = {
  means:
    "This page has no details for findings of this kind; the waits of the window show the affected tasks.",
  evidence: { tab: "latency", waits: "worst", panel: "nodes", words: "Who waited" },
};

/** By the id of a finding, or by the key that names it in a link. */
export function kindWords(id: string): KindWords {
  const kind = findingKind(id);
  if (kind === undefined) return OTHER;
  const { section, moment } = kind.evidence;
  return {
    means: `${kind.meaning} Kernel: ${kind.kernel}.`,
    evidence: { ...TABLES[section], panel: PANELS[moment] },
  };
}
