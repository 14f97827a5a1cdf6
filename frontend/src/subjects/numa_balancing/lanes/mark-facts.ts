/** Texts of task placement attempts and worst waits, for the tooltip and the inspector. */

import type { Attempt, Wait } from "../../../api/types.ts";
import { causeTitle, rankCauses } from "../../../lib/causes.ts";
import { formatDuration } from "../../../lib/format.ts";
import { type Label, missingText } from "../../../lib/terms.ts";
import { nsOf, type Span } from "../../../lib/time.ts";
import { type EventFact, eventFact, type Row } from "../../../timeline/event-fact.ts";
import type { PanelContext } from "../../../timeline/panel.ts";
import { nodeOfCpu } from "../../../timeline/scene.ts";
import type { Available, WindowSource } from "../../../timeline/tiles/window-source.ts";
import {
  imbalanceWords,
  type LaneMarks,
  laneMarks,
  Mark,
  type Marked,
  markOf,
  noCpuText,
  verdictText,
  wayText,
} from "./attempt-glyphs.ts";

export function attemptFact(attempt: Attempt): EventFact {
  const why = noCpuText(attempt);
  const after = imbalanceWords(attempt);
  const rows: Row[] = [
    ["task", `${attempt.comm} ${attempt.pid}`],
    ["node", wayText(attempt)],
    ["ended", verdictText(attempt)],
    ...(why === "" ? [] : [["why no CPU", why] as const]),
    ...(after === "–" ? [] : [["after a move", after] as const]),
    ["took", formatDuration(nsOf(attempt.end_ns) - nsOf(attempt.start_ns))],
  ];
  const { explanation, failed } = attempt;
  return eventFact({
    title: failed === null ? "attempt, outcome unknown" : failed ? "attempt failed" : verdictText(attempt),
    label: failed === null ? "inferred" : "observed",
    rows,
    note: explanation ? `Why: ${explanation.label}${lacks(explanation.missing)}.` : null,
    fn: "task_numa_migrate",
    from: nsOf(attempt.start_ns),
    to: nsOf(attempt.end_ns),
  });
}

export function waitFact(wait: Wait, label: Label): EventFact {
  const causes = rankCauses(wait.causes).slice(0, 4);
  const [first] = wait.antagonists;
  return eventFact({
    title: `${wait.comm} waited ${formatDuration(wait.wait_ns)}`,
    label,
    rows: [
      ["pid", String(wait.pid)],
      ["CPU", wait.from_cpu === wait.cpu ? String(wait.cpu) : `${wait.from_cpu}, then ${wait.cpu}`],
      ...causes.map(({ cause, ns: time }): Row => [causeTitle(cause), formatDuration(time)]),
      ...(first ? [["mostly ran", `${first.comm} ${first.pid}, ${formatDuration(first.ns)}`] as const] : []),
    ],
    note: null,
    fn: "try_to_wake_up to __schedule",
    from: nsOf(wait.waking_ns),
    to: nsOf(wait.switch_in_ns),
    at: nsOf(wait.switch_in_ns),
  });
}

function lacks(missing: readonly string[]): string {
  const text = missingText(missing);
  return text === "" ? "" : `, ${text}`;
}

const KINDS: readonly (readonly [number, string])[] = [
  [Mark.Failed, "failed"],
  [Mark.Moved, "moved"],
  [Mark.Swapped, "swapped"],
  [Mark.Unknown, "not known"],
];

/** Merged marks, counted by kind. */
export function markRows(marks: readonly Marked[]): readonly Row[] {
  const rows: Row[] = [];
  const attempts = marks.filter(({ kind }) => kind === "attempt");
  for (const [kind, word] of KINDS) {
    const count = attempts.filter((mark) => markOf(mark) === kind).length;
    if (count > 0) rows.push([`attempts, ${word}`, String(count)]);
  }
  const waits = marks.filter((mark) => mark.kind === "wait");
  if (waits.length > 0) {
    const longest = waits.reduce((a, b) => (b.wait.wait_ns > a.wait.wait_ns ? b : a));
    rows.push(["worst waits", String(waits.length)]);
    rows.push([
      "longest",
      `${longest.wait.comm} ${longest.wait.pid}, ${formatDuration(longest.wait.wait_ns)}`,
    ]);
  }
  return rows;
}

// Attempts to place tasks and the worst waits of the window, by lane.

/** Waits that get a mark: more would cover the lanes. */
const WORST = 60;

export class MarkSource {
  readonly #attempts: WindowSource<Available<"numa_balancing">, Available<"numa_balancing">>;
  readonly #waits: WindowSource<Available<"latency">, Available<"latency">>;
  marks: LaneMarks | null = null;
  onChange: () => void = () => {};

  constructor({ scene, windows }: Pick<PanelContext, "scene" | "windows">) {
    this.#attempts = windows.make("numa_balancing", {
      prepare: (answer) => answer,
      partial: ({ attempts_more }) => attempts_more > 0,
    });
    this.#waits = windows.make("latency", {
      prepare: (answer) => answer,
      // Only the worst are listed: a shorter window has worst ones of its own.
      partial: () => true,
      listed: WORST,
    });
    const { nodes, origin } = scene;
    let made: readonly unknown[] = [];
    const changed = () => {
      const parts = [this.#attempts.tracks, this.#waits.tracks] as const;
      if (parts.every((part, i) => part === made[i])) return;
      made = parts;
      this.marks = laneMarks(...parts, (cpu) => nodeOfCpu(nodes, cpu), origin);
      this.onChange();
    };
    this.#attempts.onChange = changed;
    this.#waits.onChange = changed;
  }

  want(view: Span): void {
    this.#attempts.want(view);
    this.#waits.want(view);
  }

  close(): void {
    this.#attempts.close();
    this.#waits.close();
  }
}
