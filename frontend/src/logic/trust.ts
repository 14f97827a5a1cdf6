/** What a reader must know before trusting a picture: quiet badges and the sentences behind them. */

import { formatCount, plural } from "./format.ts";

export interface Badge {
  readonly key: "topology" | "lost" | "notes";
  readonly text: string;
  readonly detail: string;
}

export interface InputLosses {
  readonly lost_events?: number | null | undefined;
  readonly lost_marks?: number | null | undefined;
}

export function topologySentence(source: string): string {
  switch (source) {
    case "sidecar":
      return "Given by a file of this analysis.";
    case "perf":
      return "Given by the recording's own header.";
    case "events":
      return "Learnt from events that carry a CPU and a node; a CPU without such an event may be missing.";
    case "assumed":
      return "Assumed: no input tells the nodes. Add the output of lscpu -p to be sure.";
    default:
      return source;
  }
}

export function trustBadges(
  topologySource: string,
  inputs: readonly InputLosses[],
  notes: readonly string[],
): Badge[] {
  const badges: Badge[] = [];
  if (topologySource === "assumed" || topologySource === "events") {
    const text = topologySource === "assumed" ? "topology assumed" : "topology learnt from events";
    badges.push({ key: "topology", text, detail: topologySentence(topologySource) });
  }
  const events = inputs.reduce((sum, input) => sum + (input.lost_events ?? 0), 0);
  const marks = inputs.reduce((sum, input) => sum + (input.lost_marks ?? 0), 0);
  if (events > 0 || marks > 0) {
    const text = events > 0 ? `${plural(events, "event")} lost` : `events lost in ${plural(marks, "place")}`;
    const detail = `The kernel dropped events in ${plural(Math.max(1, marks), "place")}${
      events > 0 ? `, ${formatCount(events)} by its own count` : ", it did not say how many"
    }. Lanes are hatched from each loss to the next sched_switch.`;
    badges.push({ key: "lost", text, detail });
  }
  if (notes.length > 0)
    badges.push({ key: "notes", text: plural(notes.length, "note"), detail: notes.join(" ") });
  return badges;
}
