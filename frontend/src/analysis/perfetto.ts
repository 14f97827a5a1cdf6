/** Opening an analysis in Perfetto's own page: how much of it, how far that is, and what is said of it. */

import { formatBytes, formatCount } from "../lib/format.ts";

/** What of the recording is given to Perfetto. */
export type TracePart = "whole" | "window";

export type PerfettoState =
  | { readonly kind: "idle" }
  /** The service writes the trace; so many bytes are here. */
  | { readonly kind: "preparing"; readonly part: TracePart; readonly bytes: number }
  /** The trace is here, Perfetto's page is not yet. */
  | { readonly kind: "starting"; readonly part: TracePart; readonly bytes: number }
  /** Perfetto has the trace and reads it. */
  | { readonly kind: "reading"; readonly part: TracePart; readonly bytes: number }
  | { readonly kind: "shown"; readonly part: TracePart }
  | { readonly kind: "failed"; readonly sentence: string };

/** Some 50 bytes are written for an event and some 135 kept by Perfetto: this many are 100 MB, which a browser opens within half a minute. */
export const MOST_WHOLE = 2_000_000;

/** What is opened when the reader does not say. */
export function usualPart(events: number): TracePart {
  return events <= MOST_WHOLE ? "whole" : "window";
}

/** Why, in one sentence. */
export function whyPart(events: number): string {
  return usualPart(events) === "whole"
    ? `The whole recording is opened: its ${formatCount(events)} events are few enough for a browser.`
    : `Only this window is opened: the recording has ${formatCount(events)} events, and more than ${formatCount(MOST_WHOLE)} take a browser long and much memory.`;
}

export const BLOCKED =
  "The browser blocked the new window: allow pop-ups for this address, and open it again.";
export const CLOSED = "The Perfetto window was closed before the trace was in it.";
export const SILENT = "The Perfetto window did not answer and was closed: open it again.";

export function otherPart(part: TracePart): TracePart {
  return part === "whole" ? "window" : "whole";
}

export const PART_WORDS: Readonly<Record<TracePart, string>> = {
  whole: "the whole recording",
  window: "this window",
};

/** One sentence on where it stands; empty while there is nothing to say. */
export function perfettoSentence(state: PerfettoState): string {
  switch (state.kind) {
    case "idle":
      return "";
    case "preparing":
      return `The trace of ${PART_WORDS[state.part]} is being written for Perfetto: ${formatBytes(state.bytes)} so far.`;
    case "starting":
      return `The trace is written, ${formatBytes(state.bytes)}; Perfetto is starting in its window.`;
    case "reading":
      return `Perfetto reads the trace in its window, ${formatBytes(state.bytes)}.`;
    case "shown":
      return `Perfetto shows ${PART_WORDS[state.part]} in its own window.`;
    case "failed":
      return state.sentence;
  }
}
