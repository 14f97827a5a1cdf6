import { describe, expect, it } from "vitest";
import type { MigrationSection, PlacementSection } from "../../../api/types.ts";
import {
  memoryTracks,
  mostOf,
  placementTable,
  placementTracks,
  roundScale,
  sharesText,
} from "./memory-tracks.ts";

const SECTION = {
  available: true,
  from_ns: "1000",
  to_ns: "2500001000",
  metrics: {
    series: {
      step_ns: 1_000_000_000,
      pages: [10, 0, 30],
      by_node: [
        [4, 0, 30],
        [6, 0, 0],
      ],
      just_too_late: [1, 0, 2],
      moves: [0, 3, 1],
      all_pages: [10, 0, 30],
    },
    memory_follows_cpu: {
      label: "inferred",
      missing: ["mm_migrate_misplaced_pages"],
      pages: 40,
      nodes: [
        { nid: 0, pages: 34, per_s: 1 },
        { nid: 3, pages: 6, per_s: 1 },
      ],
    },
    just_too_late: { label: "inferred", missing: [], pages: 3 },
    moves: { label: "observed", missing: [], count: 4 },
  },
} as unknown as MigrationSection;

describe("memoryTracks", () => {
  it("makes rates of counts; the last step is shorter than the others", () => {
    const tracks = memoryTracks(SECTION, 1_000n);
    if (!tracks) throw new Error("nothing was made");
    expect([...tracks.pages.items.busy]).toEqual([10, 0, 60]);
    expect([...tracks.pages.items.t1]).toEqual([1e9, 2e9, 2.5e9]);
    expect(tracks.byNode.map(({ nid }) => nid)).toEqual([0, 3]);
    expect(tracks.byNode[1]?.track.counts[0]).toBe(6);
    expect(mostOf(tracks.pages)).toBe(60);
    expect(tracks.label.moves).toBe("observed");
  });

  it("has none where the section has no metrics", () => {
    expect(memoryTracks({ ...SECTION, metrics: null }, 1_000n)).toBeNull();
  });
});

describe("roundScale", () => {
  it("is the next of 1, 2 and 5 times a power of ten", () => {
    expect([0, 0.3, 1, 1.1, 2, 4.9, 60, 20_001].map(roundScale)).toEqual([1, 0.5, 1, 2, 2, 5, 100, 50_000]);
  });
});

describe("placement tracks", () => {
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
      const turned = first && { ...first, nodes: first.nodes.toReversed() };
      expect(turned && sharesText(turned, 1)).toBe("node\u00a00\u00a075\u00a0%");
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
});
