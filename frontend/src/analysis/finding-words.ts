/** What each kind of finding means, with its kernel function, and where its evidence is shown. */

import { type FindingKind, findingKind } from "../lib/findings.ts";
import type { DrawerViewName, LatencyView } from "../view-state/tab-views.ts";

/** A part of the page that shows what a finding was found in. */
export interface Evidence {
  readonly tab: DrawerViewName;
  readonly waits?: LatencyView;
  /** Panel of the timeline that shows the moment. */
  readonly panel: "nodes" | "cling" | "psi" | "ilb" | "memory";
  readonly words: string;
}

export interface KindWords {
  readonly means: string;
  readonly evidence: Evidence;
}

const OTHER: KindWords = {
  means:
    "This page knows no more of findings of this kind; the waits of the window show which tasks it cost.",
  evidence: { tab: "latency", waits: "worst", panel: "nodes", words: "Who waited" },
};

function evidenceOf({ evidence: found }: FindingKind): Evidence {
  const { panel, title: words } = found;
  if (found.tab === "latency") return { tab: found.tab, waits: found.view, panel, words };
  return { tab: found.tab, panel, words };
}

/** By the id of a finding, or by the key that names it in a link. */
export function kindWords(id: string): KindWords {
  const kind = findingKind(id);
  if (kind === undefined) return OTHER;
  return { means: `${kind.meaning} Kernel: ${kind.kernel}.`, evidence: evidenceOf(kind) };
}
