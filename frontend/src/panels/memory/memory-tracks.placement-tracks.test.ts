import { describe, expect, it } from "vitest";
import type { PlacementSection } from "../../api/types.ts";
import { placementTable, placementTracks, sharesText } from "./memory-tracks.ts";

const SECTION: PlacementSection = {
  available: true,
  from_ns: "1000000000",
  to_ns: "3500000000",
  step_ns: 1_000_000_000,
  groups: [
    {
      whose: "group",
      ngid: 750,
      cgroup: "/ng_A",
      groups: 1,
      tasks: 4,
      run_ns: 4e9,
      inferred_ns: 5e8,
      nodes: [
        { nid: 0, run_ns: 3e9, series: [2e9, 1e9, 0] },
        { nid: 2, run_ns: 1e9, series: [0, 0, 1e9] },
      ],
      label: "inferred",
    },
    {
      whose: "unknown",
      ngid: null,
      cgroup: null,
      groups: 0,
      tasks: 1,
      run_ns: 0,
      inferred_ns: 0,
      nodes: [
        { nid: 0, run_ns: 0, series: [0, 0, 0] },
        { nid: 2, run_ns: 0, series: [0, 0, 0] },
      ],
      label: "inferred",
    },
  ],
  busy_ns: 4e9,
  memory: [
    {
      whose: "group",
      ngid: 750,
      cgroup: "/ng_A",
      processes: 1,
      nodes: [
        { nid: 0, kb: 2048 },
        { nid: 2, kb: 0 },
      ],
      label: "observed",
    },
  ],
  memory_missing: [],
  label: "inferred",
  missing: ["sched_move_numa"],
};

describe("CPU time by group and node", () => {
  it("is a strip of CPUs in use for each group, the short last step too", () => {
    const tracks = placementTracks(SECTION, 1_000_000_000n);
    expect(tracks.rows.map(({ key, name }) => [key, name])).toEqual([
      ["placed:750", "/ng_A"],
      ["placed:unknown", "group not known"],
    ]);
    const [first] = tracks.rows;
    expect(first?.nodes.map(({ track }) => [...track.items.busy])).toEqual([
      [2, 1, 0],
      [0, 0, 2],
    ]);
    expect(tracks.most).toBe(2);
    expect(first && sharesText(first)).toBe("node\u00a00\u00a075\u00a0%, node\u00a02\u00a025\u00a0%");
    expect(first?.memory?.nodes[0]?.kb).toBe(2048);
  });

  it("is a table whose shares are those of each group, with memory where it was sampled", () => {
    const table = placementTable(SECTION);
    expect(table.head).toContain("memory on 0");
    const row = Object.fromEntries(table.head.map((name, i) => [name, table.rows[0]?.[i]]));
    expect(row).toMatchObject({ "numa group": "/ng_A", "on node 0": "75 %", "memory on 0": "2.0 MiB" });
    expect(table.rows[1]?.[table.head.indexOf("on node 0")]).toBe("–");
    expect(placementTable({ ...SECTION, memory: null }).head).not.toContain("memory on 0");
    for (const exact of table.exact) expect(exact).toHaveLength(table.exactHead.length);
  });
});
