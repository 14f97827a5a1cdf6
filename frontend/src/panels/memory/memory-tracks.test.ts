import { describe, expect, it } from "vitest";
import type { MigrationSection } from "../../api/types.ts";
import { memoryTracks, mostOf, roundScale } from "./memory-tracks.ts";

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
