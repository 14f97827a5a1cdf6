/** Numa groups of a window: attempts to reach each node, and for how long nodes were busy. */

import type { ClingGroup } from "../../../api/types.ts";
import { missingText } from "../../../lib/section-words.ts";
import { parseNs } from "../../../lib/time.ts";
import { groupName } from "../../../panels/cling/cling.ts";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";

type Shown = Pick<ClingGroup, "number" | "gid" | "cgroup" | "nodes" | "busy" | "flips" | "label" | "missing">;

function busyNs({ busy }: Shown, nid: number): number {
  let length = 0n;
  for (const { nid: node, from_ns, to_ns } of busy) {
    if (node === nid) length += (parseNs(to_ns) ?? 0n) - (parseNs(from_ns) ?? 0n);
  }
  return Number(length);
}

export function groupTable(groups: readonly Shown[]): TextTable {
  const nids = [...new Set(groups.flatMap(({ nodes }) => nodes.map(({ nid }) => nid)))].sort((a, b) => a - b);
  const byNode = nids.flatMap((nid): Column<Shown>[] => {
    const node = ({ nodes }: Shown) => nodes.find((each) => each.nid === nid);
    return [
      {
        name: `to node ${nid}`,
        exact: `node_${nid}_attempts`,
        unit: "count",
        value: (group) => node(group)?.attempts,
        title: "Attempts to come to this node",
      },
      {
        name: `failed ${nid}`,
        exact: `node_${nid}_failures`,
        unit: "count",
        value: (group) => node(group)?.failures,
        title: "Of them, those that failed",
      },
      {
        name: `busy ${nid}`,
        exact: `node_${nid}_busy_ns`,
        unit: "ns",
        value: (group) => busyNs(group, nid),
        title: "How long the node was busy for the group",
      },
    ];
  });
  return describeTable<Shown>(
    [
      { name: "group", exact: null, value: groupName },
      { name: "number", exact: "group", unit: "id", value: ({ number }) => number },
      { name: "id", exact: "gid", unit: "id", value: ({ gid }) => gid },
      { name: null, exact: "cgroup", value: ({ cgroup }) => cgroup },
      ...byNode,
      { name: "flips", exact: "flips", unit: "count", value: ({ flips }) => flips.length },
      {
        name: "provenance",
        exact: "label",
        value: ({ label }) => label,
        show: ({ label, missing }) => [label, missingText(missing)].filter((part) => part !== "").join(", "),
      },
      { name: null, exact: "missing", value: ({ missing }) => missing.join("; ") },
    ],
    groups,
  );
}
