/** Every stretch in which a node was busy for a group: what the charts show, as rows. */

import type { ClingGroup } from "../data/types.ts";
import { groupName } from "./cling.ts";
import { formatAbs, formatDuration } from "./format.ts";
import type { TextTable } from "./latency-table.ts";
import { type AbsNs, parseNs, type Span, toRel } from "./time.ts";

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
  return {
    head: ["from, s", "group", "node", "busy for", "became so with", "label"],
    right: new Set([2, 3]),
    rows: all.map(({ group, busy, from, to, flip }) => [
      formatAbs(from, 6),
      groupName(group),
      String(busy.nid),
      formatDuration(to - from),
      flip ? `F ${flip.f} of T ${flip.t}, ${flip.q} % > ${flip.degree} %` : "it was busy before",
      group.label,
    ]),
    exactHead: ["from_ns", "to_ns", "group", "gid", "cgroup", "nid", "f", "t", "q", "degree", "label"],
    exact: all.map(({ group, busy, from, to, flip }) => [
      ...[from, to, group.number, group.gid, group.cgroup, busy.nid],
      ...[flip?.f, flip?.t, flip?.q, flip?.degree, group.label],
    ]),
    spans: all.map(({ from, to }) => {
      const start = toRel(origin, from);
      return { from: start, to: Math.max(start + 1, toRel(origin, to)) };
    }),
  };
}
