import { describe, expect, it } from "vitest";
import { compareCauses } from "./difference.ts";

const cause = (id: string, by: string | null, ms: number, through: string | null = null) => ({
  ...{ state: "asleep", cause: id, title: id, by, through, ms, percent: 0, provenance: "inferred" },
});

describe("slow against typical requests", () => {
  it("compares time per request, by cause and who was behind it, the largest difference first", () => {
    const rows = compareCauses({
      slow: {
        count: 2,
        from_ms: 1,
        causes: [cause("thread", "compactor", 500), cause("socket", "client", 2)],
      },
      typical: { count: 10, causes: [cause("socket", "client", 90), cause("thread", "worker", 1)] },
    });
    expect(rows.map(({ cause: id, by, slowNs, typicalNs }) => [id, by, slowNs, typicalNs])).toEqual([
      ["thread", "compactor", 250e6, 0],
      ["socket", "client", 1e6, 9e6],
      ["thread", "worker", 0, 0.1e6],
    ]);
  });

  it("separates time that another service led to", () => {
    const causes = [cause("disk", "jbd2", 5, "keeper"), cause("disk", "jbd2", 3)];
    const rows = compareCauses({
      slow: { count: 1, from_ms: 1, causes },
      typical: { count: 0, causes: [] },
    });
    expect(rows.map(({ through, slowNs }) => [through, slowNs])).toEqual([
      ["keeper", 5e6],
      [null, 3e6],
    ]);
  });

  it("has no rows where there are no requests", () => {
    expect(
      compareCauses({ slow: { count: 0, from_ms: 0, causes: [] }, typical: { count: 0, causes: [] } }),
    ).toEqual([]);
  });
});
