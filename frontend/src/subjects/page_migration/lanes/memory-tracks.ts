/** Pages and tasks that went to other nodes, as rates over time; made once per answer. */

import type { MigrationSection, PlacementSection } from "../../../api/types.ts";
import { formatBytes, formatShare } from "../../../lib/format.ts";
import type { Label } from "../../../lib/terms.ts";
import { type AbsNs, parseNs, type Span, toRel } from "../../../lib/time.ts";
import { type Items, Kind } from "../../../timeline/tiles/tiles.ts";
import { type Column, describeTable, type TextTable } from "../../../ui/table/described-table.ts";

/** A count per step as a rate, drawn as any strip: `busy` is what came per second. */
export interface RateTrack {
  readonly items: Items;
  readonly counts: ArrayLike<number>;
}

export interface MemoryTracks {
  readonly span: Span;
  readonly step: number;
  /** Pages that were migrated on fault; by node they went to, where that is known. */
  readonly pages: RateTrack;
  readonly byNode: readonly { readonly nid: number; readonly track: RateTrack }[];
  readonly late: RateTrack;
  readonly moves: RateTrack;
  readonly totals: { readonly pages: number; readonly late: number; readonly moves: number };
  readonly label: { readonly pages: Label; readonly late: Label; readonly moves: Label };
  readonly missing: { readonly pages: readonly string[]; readonly late: readonly string[] };
}

/** null where the section has no migrations over time. */
export function memoryTracks(section: MigrationSection, origin: AbsNs): MemoryTracks | null {
  const { metrics } = section;
  if (!metrics) return null;
  const { series, memory_follows_cpu: memory, just_too_late: late, moves } = metrics;
  const from = toRel(origin, parseNs(section.from_ns) ?? origin);
  const to = toRel(origin, parseNs(section.to_ns) ?? origin);
  const track = (counts: ArrayLike<number>) => rateTrack(counts, from, to, series.step_ns);
  return {
    span: { from, to },
    step: series.step_ns,
    pages: track(series.pages),
    byNode: memory.nodes.flatMap(({ nid }, i) => {
      const counts = series.by_node[i];
      return counts ? [{ nid, track: track(counts) }] : [];
    }),
    late: track(series.just_too_late),
    moves: track(series.moves),
    totals: { pages: memory.pages, late: late.pages, moves: moves.count },
    label: { pages: memory.label, late: late.label, moves: moves.label },
    missing: { pages: memory.missing, late: late.missing },
  };
}

/** The last step may be shorter than the others. */
export function rateTrack(counts: ArrayLike<number>, from: number, to: number, step: number): RateTrack {
  const { length } = counts;
  const t0 = Float64Array.from({ length }, (_, i) => from + i * step);
  const t1 = Float64Array.from({ length }, (_, i) => Math.min(to, from + (i + 1) * step));
  const rate = Float32Array.from(
    { length },
    (_, i) => ((counts[i] ?? 0) * 1e9) / Math.max(1, (t1[i] ?? 0) - (t0[i] ?? 0)),
  );
  return {
    counts,
    items: {
      length,
      kind: new Uint8Array(length).fill(Kind.Bucket),
      t0,
      t1,
      busy: rate,
      rt: new Float32Array(length),
      wait: new Float32Array(length),
      waitMax: Uint32Array.from(rate, Math.round),
      task: new Uint32Array(length),
      count: new Uint32Array(length),
      ofTask: null,
    },
  };
}

/** Value at a lane's full height: 1, 2 or 5 times a power of ten. */
export function roundScale(most: number): number {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const lead = most / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

export function mostOf({ items }: RateTrack): number {
  let most = 0;
  for (const rate of items.busy) if (rate > most) most = rate;
  return most;
}

// Which numa groups used the CPUs of which nodes over time, made into strips once per answer; and the same as a table.

type Group = PlacementSection["groups"][number];
type Memory = NonNullable<PlacementSection["memory"]>[number];

/** A strip: a group, and how many CPUs of each node it used. `busy` counts CPUs, `counts` CPU-s. */
export interface PlacedRow {
  readonly key: string;
  readonly name: string;
  readonly runNs: number;
  readonly inferredNs: number;
  readonly nodes: readonly { readonly nid: number; readonly runNs: number; readonly track: RateTrack }[];
  readonly memory: Memory | null;
  readonly label: Label;
}

export interface PlacementTracks {
  readonly span: Span;
  readonly step: number;
  readonly rows: readonly PlacedRow[];
  /** Most CPUs that a row used at once. */
  readonly most: number;
  readonly busyNs: number;
  readonly missing: readonly string[];
  readonly memoryMissing: readonly string[];
}

/** More strips would push the others out of sight; the table has all rows. */
const MOST_ROWS = 8;

type GroupId = Pick<Group, "whose" | "ngid" | "cgroup">;

export function groupName({ whose, ngid, cgroup }: GroupId, groups = 0): string {
  switch (whose) {
    case "group":
      return cgroup ?? `numa group ${ngid}`;
    case "others":
      return groups > 0 ? `${groups} other groups` : "other groups";
    case "no_group":
      return "in no numa group";
    default:
      return "group not known";
  }
}

function memoryOf(section: Pick<PlacementSection, "memory">, { whose, ngid }: GroupId): Memory | null {
  return section.memory?.find((row) => row.whose === whose && row.ngid === ngid) ?? null;
}

export function placementTracks(section: PlacementSection, origin: AbsNs): PlacementTracks {
  const from = toRel(origin, parseNs(section.from_ns) ?? origin);
  const to = toRel(origin, parseNs(section.to_ns) ?? origin);
  const rows = section.groups.slice(0, MOST_ROWS).map((group): PlacedRow => {
    const nodes = group.nodes.map(({ nid, run_ns, series }) => ({
      nid,
      runNs: run_ns,
      track: rateTrack(
        series.map((ns) => ns / 1e9),
        from,
        to,
        section.step_ns,
      ),
    }));
    return {
      key: `placed:${group.whose === "group" ? group.ngid : group.whose.replace("_", "")}`,
      name: groupName(group, group.groups),
      runNs: group.run_ns,
      inferredNs: group.inferred_ns,
      nodes,
      memory: memoryOf(section, group),
      label: group.label,
    };
  });
  return {
    span: { from, to },
    step: section.step_ns,
    rows,
    most: rows.reduce((most, row) => Math.max(most, mostCpus(row)), 0),
    busyNs: section.busy_ns,
    missing: section.missing,
    memoryMissing: section.memory_missing,
  };
}

function mostCpus({ nodes }: PlacedRow): number {
  const length = nodes[0]?.track.items.length ?? 0;
  let most = 0;
  for (let i = 0; i < length; i += 1) {
    const cpus = nodes.reduce((sum, { track }) => sum + (track.items.busy[i] ?? 0), 0);
    most = Math.max(most, cpus);
  }
  return most;
}

/**
 * `node 0 75 %, node 1 25 %`: shares of a row's CPU time.
 * @param most if given, only so many nodes, those with the largest shares
 */
export function sharesText({ nodes: all, runNs }: Pick<PlacedRow, "nodes" | "runNs">, most?: number): string {
  if (runNs === 0) return "";
  // Where the line is too short it breaks between nodes only.
  const share = (ns: number) => formatShare(ns / runNs).replaceAll(" ", "\u00a0");
  const nodes = most === undefined ? all : all.toSorted((a, b) => b.runNs - a.runNs).slice(0, most);
  return nodes.map((node) => `node\u00a0${node.nid}\u00a0${share(node.runNs)}`).join(", ");
}

export function placementTable(section: PlacementSection): TextTable {
  const nids = section.groups[0]?.nodes.map(({ nid }) => nid) ?? [];
  const kbOn = (group: Group, nid: number) =>
    memoryOf(section, group)?.nodes.find((node) => node.nid === nid)?.kb ?? null;
  const runOn = (group: Group, nid: number) => group.nodes.find((node) => node.nid === nid)?.run_ns ?? 0;
  const byNode = nids.flatMap((nid): Column<Group>[] => [
    {
      name: `on node ${nid}`,
      exact: `node_${nid}_share`,
      unit: "share",
      value: (group) => (group.run_ns === 0 ? null : runOn(group, nid) / group.run_ns),
      title: "Of the group's CPU time",
    },
    { name: null, exact: `node_${nid}_ns`, unit: "ns", value: (group) => runOn(group, nid) },
    {
      name: section.memory ? `memory on ${nid}` : null,
      exact: `node_${nid}_kb`,
      unit: "count",
      value: (group) => kbOn(group, nid),
      show: (group) => {
        const kb = kbOn(group, nid);
        return kb === null ? "–" : formatBytes(kb * 1024);
      },
      title: "Resident, by the last sample of each process up to the window's end; bounds are in KiB",
    },
  ]);
  return describeTable<Group>(
    [
      { name: "numa group", exact: null, value: (group) => groupName(group, group.groups) },
      { name: null, exact: "whose" },
      { name: null, exact: "ngid", unit: "id" },
      { name: null, exact: "cgroup" },
      { name: null, exact: "groups", unit: "count" },
      { name: "tasks", exact: "tasks", unit: "count" },
      { name: "CPU time", exact: "run_ns", unit: "ns" },
      {
        name: "of all",
        exact: "share",
        unit: "share",
        value: ({ run_ns }) => (section.busy_ns === 0 ? null : run_ns / section.busy_ns),
      },
      {
        name: "before the first event",
        exact: "inferred_ns",
        unit: "ns",
        title: "CPU time from before the first event of the group",
      },
      ...byNode,
      { name: "provenance", exact: "label" },
    ],
    section.groups,
  );
}
