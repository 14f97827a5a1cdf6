/** Decisions of cling as rows that people read. */

import type { Annotation } from "../../../api/types.ts";
import { labelText, wordOf } from "../../../lib/section-words.ts";
import { parseNs } from "../../../lib/time.ts";
import {
  DECISION_KINDS,
  DECISION_OUTCOMES,
  decidedText,
  noteWay,
} from "../../../panels/cling/decision-words.ts";
import { describeTable, type TextTable } from "../../../ui/table/described-table.ts";

export function decisionTable(
  notes: readonly Annotation[],
  commOf: (pid: number) => string | null,
): TextTable {
  const taskText = ({ pid }: Annotation) =>
    pid === null ? "" : [commOf(pid), pid].filter((part) => part !== null).join(" ");
  return describeTable<Annotation>(
    [
      { name: "time, s", exact: "t_ns", unit: "time", value: ({ t_ns }) => parseNs(t_ns) },
      {
        name: "what",
        exact: "kind",
        value: ({ kind }) => kind,
        show: ({ kind }) => wordOf(DECISION_KINDS, kind),
      },
      {
        name: "outcome",
        exact: "outcome",
        value: ({ outcome }) => outcome,
        show: ({ outcome }) => wordOf(DECISION_OUTCOMES, outcome),
      },
      { name: "task", exact: null, value: taskText },
      { name: null, exact: "pid", unit: "id", value: ({ pid }) => pid },
      { name: "node", exact: null, value: noteWay },
      { name: null, exact: "snid", unit: "id", value: ({ snid }) => snid },
      { name: null, exact: "dnid", unit: "id", value: ({ dnid }) => dnid },
      { name: "decided by", exact: null, value: decidedText },
      { name: null, exact: "nid", unit: "id", value: ({ by }) => by.nid },
      { name: null, exact: "f", unit: "count", value: ({ by }) => by.f },
      { name: null, exact: "t", unit: "count", value: ({ by }) => by.t },
      { name: null, exact: "q", unit: "percent", value: ({ by }) => by.q },
      { name: null, exact: "busiest_nid", unit: "id", value: ({ by }) => by.busiest_nid },
      { name: null, exact: "degree", unit: "percent", value: ({ by }) => by.degree },
      { name: "kernel", exact: "function", value: (note) => note.function },
      { name: "group", exact: "group", unit: "id", value: ({ group }) => group },
      {
        name: "provenance",
        exact: "label",
        value: ({ label }) => label,
        show: (note) => labelText(note) + (note.after_parting ? ", after it differs" : ""),
      },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
      { name: null, exact: "after_parting", value: ({ after_parting }) => after_parting },
    ],
    notes,
  );
}
