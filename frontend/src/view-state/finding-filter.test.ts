import { describe, expect, it } from "vitest";
import { chipRows, countText, NO_FILTER, parseFindingFilter, passes, toggleChip } from "./finding-filter.ts";

const finding = (id: string, nodes: number[], pids: number[], cgroup: string | null, summary = "") => ({
  id,
  nodes,
  pids,
  cgroup,
  summary,
  severity: "high",
  label: "replayed",
  from_ns: "0",
  to_ns: "1",
  impact_ms: 1,
});
const ALL = [
  finding("CLING_BUSY_NODE", [0], [], "/a"),
  finding("CLING_BUSY_NODE", [1], [7, 8], "/b", "storm at night"),
  finding("SHORT_DWELL", [], [7], null),
];
const name = (pid: number) => (pid === 7 ? "stress" : null);

describe("the filter of the findings", () => {
  it("takes chips of a facet as alternatives, and all facets and words together", () => {
    const kind = toggleChip(NO_FILTER, "kind", "CLING_BUSY_NODE");
    expect(ALL.filter((each) => passes(each, kind))).toHaveLength(2);
    const nodes = toggleChip(toggleChip(kind, "node", "1"), "node", "0");
    expect(ALL.filter((each) => passes(each, nodes))).toHaveLength(2);
    expect(ALL.filter((each) => passes(each, toggleChip(nodes, "task", "7")))).toEqual([ALL[1]]);
    expect(ALL.filter((each) => passes(each, { ...nodes, text: "night" }))).toEqual([ALL[1]]);
    expect(toggleChip(kind, "kind", "CLING_BUSY_NODE")).toEqual(NO_FILTER);
  });

  it("counts what each chip would leave, and keeps a chosen one in sight", () => {
    const rows = chipRows(ALL, toggleChip(NO_FILTER, "kind", "SHORT_DWELL"), name);
    const of = (facet: string) => rows.find((row) => row.facet === facet)?.chips ?? [];
    // Alternatives of its own facet are counted as if none were chosen.
    expect(of("kind").map(({ text, count }) => [text, count])).toEqual([
      ["Tasks leave a node too soon", 1],
      ["Busy node releases its tasks", 2],
    ]);
    expect(of("task").map(({ text, count }) => [text, count])).toEqual([
      ["stress 7", 1],
      ["8", 0],
    ]);
    const gone = chipRows(ALL, toggleChip(NO_FILTER, "cgroup", "/gone"), name);
    expect(gone.find(({ facet }) => facet === "cgroup")?.chips[0]).toMatchObject({
      value: "/gone",
      chosen: true,
    });
  });

  it("reads nothing out of nonsense", () => {
    expect(parseFindingFilter(undefined)).toBeNull();
    expect(parseFindingFilter("||x|kind|kind:|nope:1|%")).toBeNull();
    expect(parseFindingFilter("node:1|node:1|text:%zz")).toEqual({
      chips: { kind: [], node: ["1"], cgroup: [], task: [] },
      text: "%zz",
    });
    expect(countText(2, 3)).toBe("2 of 3 findings");
  });
});
