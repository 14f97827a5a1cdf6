/** Facts that a reader must know before trusting the view: badges with their texts. */

import { formatCount, formatDuration, plural } from "../lib/format.ts";
import type { AlignmentFacts } from "../lib/input-words.ts";

export interface Badge {
  readonly key: "topology" | "lost" | "damage" | "unplaced" | "clock" | "notes";
  readonly text: string;
  readonly detail: string;
}

export interface TrustedInput {
  readonly name?: string;
  readonly lost_events?: number | null | undefined;
  readonly lost_marks?: number | null | undefined;
  readonly skipped_count?: number;
  readonly alignment?: AlignmentFacts | null | undefined;
}

export function topologySentence(source: string): string {
  switch (source) {
    case "sidecar":
      return "From a file of this analysis.";
    case "perf":
      return "From the recording's own header.";
    case "events":
      return "Inferred from events with a CPU and a node; a CPU without such an event may be missing.";
    case "assumed":
      return "Assumed: no input lists the nodes. Add the output of lscpu -p to be sure.";
    default:
      return source;
  }
}

export function trustBadges(
  topologySource: string,
  inputs: readonly TrustedInput[],
  notes: readonly string[],
): Badge[] {
  const badges = [
    topologyBadge(topologySource),
    lostBadge(inputs),
    damageBadge(inputs),
    unplacedBadge(inputs),
    clockBadge(inputs),
  ].filter((badge) => badge !== null);
  if (notes.length > 0)
    badges.push({ key: "notes", text: plural(notes.length, "warning"), detail: notes.join(" ") });
  return badges;
}

function topologyBadge(source: string): Badge | null {
  if (source !== "assumed" && source !== "events") return null;
  const text = source === "assumed" ? "topology assumed" : "topology inferred from events";
  return { key: "topology", text, detail: topologySentence(source) };
}

function lostBadge(inputs: readonly TrustedInput[]): Badge | null {
  const events = inputs.reduce((sum, input) => sum + (input.lost_events ?? 0), 0);
  const marks = inputs.reduce((sum, input) => sum + (input.lost_marks ?? 0), 0);
  if (events === 0 && marks === 0) return null;
  const text = events > 0 ? `${plural(events, "event")} lost` : `events lost in ${plural(marks, "place")}`;
  const detail = `The kernel dropped events in ${plural(Math.max(1, marks), "place")}${
    events > 0 ? `, ${formatCount(events)} by the kernel's count` : ", number unknown"
  }. Lanes are hatched from each loss to the next sched_switch.`;
  return { key: "lost", text, detail };
}

function damageBadge(inputs: readonly TrustedInput[]): Badge | null {
  const damaged = inputs.filter((input) => (input.skipped_count ?? 0) > 0);
  if (damaged.length === 0) return null;
  const parts = damaged.reduce((sum, input) => sum + (input.skipped_count ?? 0), 0);
  return {
    key: "damage",
    text: `read with errors: ${plural(parts, "part")} left out`,
    detail: `Unreadable parts of ${namesOf(damaged)} were left out. Inputs lists them with the reasons.`,
  };
}

function unplacedBadge(inputs: readonly TrustedInput[]): Badge | null {
  const unplaced = inputs.filter(({ alignment }) => alignment?.method === "none");
  if (unplaced.length === 0) return null;
  const who = unplaced.length === 1 ? namesOf(unplaced) : plural(unplaced.length, "input");
  return {
    key: "unplaced",
    text: `${who} not aligned in time`,
    detail: `The times of ${namesOf(unplaced)} cannot be aligned with the trace. Set an offset under Inputs.`,
  };
}

/** Badge for the input with the largest clock error. */
function clockBadge(inputs: readonly TrustedInput[]): Badge | null {
  let worst: TrustedInput | null = null;
  let most = 0n;
  for (const input of inputs) {
    const ns = BigInt(input.alignment?.uncertainty_ns ?? "0");
    if (ns > most) [worst, most] = [input, ns];
  }
  if (!worst) return null;
  return {
    key: "clock",
    text: `clocks ± ${formatDuration(most)}`,
    detail: `The times of ${worst.name ?? "an input"} may be off by up to ${formatDuration(most)} against the trace.`,
  };
}

function namesOf(inputs: readonly TrustedInput[]): string {
  const [first, second, ...more] = inputs.map(({ name }) => name ?? "an input");
  if (second === undefined) return first ?? "an input";
  return more.length === 0
    ? `${first} and ${second}`
    : `${first}, ${second} and ${formatCount(more.length)} more`;
}
