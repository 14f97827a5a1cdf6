/** Every interval in which a node was busy for a group: what the charts show, as rows. */

import type { Annotation, ClingGroup } from "../../../api/types.ts";
import { labelText, wordOf } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type Span, toRel } from "../../../lib/time.ts";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";
import { groupName } from "../lanes/cling-tracks.ts";
import { DECISION_KINDS, DECISION_OUTCOMES, decidedText, noteWay } from "../lanes/decision-facts.ts";

export interface BusyTable extends TextTable {
  readonly spans: readonly Span[];
}

type Shown = Pick<ClingGroup, "busy" | "flips" | "number" | "gid" | "cgroup" | "label">;

export function busyTable(groups: readonly Shown[], origin: AbsNs): BusyTable {
  const all = groups
    .flatMap((group) =>
      group.busy.map((busy) => {
        const from = parseNs(busy.from_ns) ?? 0n;
        const to = parseNs(busy.to_ns) ?? from;
        const flip = group.flips.find(
          (each) => each.busy && each.nid === busy.nid && each.t_ns === busy.from_ns,
        );
        return { group, busy, from, to, flip };
      }),
    )
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.group.number - b.group.number));
  const columns: readonly Column<(typeof all)[number]>[] = [
    { name: "from, s", exact: "from_ns", unit: "time", value: ({ from }) => from },
    { name: null, exact: "to_ns", unit: "time", value: ({ to }) => to },
    { name: "group", exact: null, value: ({ group }) => groupName(group) },
    { name: null, exact: "group", unit: "id", value: ({ group }) => group.number },
    { name: null, exact: "gid", unit: "id", value: ({ group }) => group.gid },
    { name: null, exact: "cgroup", value: ({ group }) => group.cgroup },
    { name: "node", exact: "nid", unit: "id", value: ({ busy }) => busy.nid },
    { name: "busy for", exact: "busy_ns", unit: "ns", value: ({ from, to }) => to - from },
    {
      name: "counters then",
      exact: null,
      value: ({ flip }) =>
        flip ? `F ${flip.f} of T ${flip.t}, ${flip.q} % > ${flip.degree} %` : "busy before the window",
    },
    { name: null, exact: "f", unit: "count", value: ({ flip }) => flip?.f },
    { name: null, exact: "t", unit: "count", value: ({ flip }) => flip?.t },
    { name: null, exact: "q", unit: "percent", value: ({ flip }) => flip?.q },
    { name: null, exact: "degree", unit: "percent", value: ({ flip }) => flip?.degree },
    { name: "provenance", exact: "label", value: ({ group }) => group.label },
  ];
  return {
    ...describeTable(columns, all),
    spans: all.map(({ from, to }) => {
      const start = toRel(origin, from);
      return { from: start, to: Math.max(start + 1, toRel(origin, to)) };
    }),
  };
}

// Decisions of cling as rows that people read.

export function decisionTable(
  notes: readonly Annotation[],
  commOf: (pid: number) => string | null,
): TextTable {
  const taskText = ({ pid }: Annotation) =>
    pid === null ? "" : [commOf(pid), pid].filter((part) => part !== null).join(" ");
  return describeTable<Annotation>(
    [
      { name: "time, s", exact: "t_ns", unit: "time" },
      { name: "what", exact: "kind", show: ({ kind }) => wordOf(DECISION_KINDS, kind) },
      { name: "outcome", exact: "outcome", show: ({ outcome }) => wordOf(DECISION_OUTCOMES, outcome) },
      { name: "task", exact: null, value: taskText },
      { name: null, exact: "pid", unit: "id" },
      { name: "node", exact: null, value: noteWay },
      { name: null, exact: "snid", unit: "id" },
      { name: null, exact: "dnid", unit: "id" },
      { name: "decided by", exact: null, value: decidedText },
      { name: null, exact: "nid", unit: "id", value: ({ by }) => by.nid },
      { name: null, exact: "f", unit: "count", value: ({ by }) => by.f },
      { name: null, exact: "t", unit: "count", value: ({ by }) => by.t },
      { name: null, exact: "q", unit: "percent", value: ({ by }) => by.q },
      { name: null, exact: "busiest_nid", unit: "id", value: ({ by }) => by.busiest_nid },
      { name: null, exact: "degree", unit: "percent", value: ({ by }) => by.degree },
      { name: "kernel", exact: "function" },
      { name: "group", exact: "group", unit: "id" },
      {
        name: "provenance",
        exact: "label",
        show: (note) => labelText(note) + (note.after_parting ? ", after the first difference" : ""),
      },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
      { name: null, exact: "after_parting" },
    ],
    notes,
  );
}
