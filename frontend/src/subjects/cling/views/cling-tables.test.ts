import { describe, expect, it } from "vitest";
import type { Annotation } from "../../../api/types.ts";
import { busyTable, decisionTable } from "./cling-tables.ts";

describe("decisions", () => {
  const note: Annotation = {
    t_ns: "9007199254740993",
    kind: "load_balance",
    outcome: "clings",
    group: 3,
    pid: 758,
    snid: 0,
    dnid: 1,
    by: { nid: 0, f: 0, t: 512, q: 0, busiest_nid: 1, degree: 20 },
    function: "migrate_degrades_locality",
    label: "observed",
    missing: [],
    after_parting: false,
  };

  it("have the rule that decided and the kernel's function", () => {
    const table = decisionTable([note, { ...note, pid: null, snid: -1, dnid: -1 }], () => "ng_C");
    expect(table.rows[0]).toEqual([
      "9007199.254740",
      "load balance",
      "clings",
      "ng_C 758",
      "0 → 1",
      "node 0: F 0 of T 512, 0 %, degree 20 %",
      "migrate_degrades_locality",
      "3",
      "observed",
    ]);
    expect(table.rows[1]?.slice(3, 5)).toEqual(["", ""]);
    expect(table.exact[0]).toHaveLength(table.exactHead.length);
  });
});

describe("busy nodes", () => {
  it("are listed by time over all groups, with what made them busy", () => {
    const flip = { t_ns: "50", nid: 0, busy: true, f: 1536, t: 1536, q: 99, busiest_nid: 0, degree: 20 };
    const base = { gid: 1, label: "replayed" as const, cgroup: "/a", number: 1 };
    const table = busyTable(
      [
        { ...base, busy: [{ nid: 0, from_ns: "50", to_ns: "80" }], flips: [flip] },
        { ...base, number: 2, cgroup: "/b", busy: [{ nid: 1, from_ns: "10", to_ns: "10" }], flips: [] },
      ],
      5n,
    );
    expect(table.rows.map(([, group]) => group)).toEqual(["/b", "/a"]);
    expect(table.rows.map((row) => row[4])).toEqual([
      "busy before the window",
      "F 1536 of T 1536, 99 % > 20 %",
    ]);
    expect(table.spans).toEqual([
      { from: 5, to: 6 },
      { from: 45, to: 75 },
    ]);
    expect(table.exact[0]).toHaveLength(table.exactHead.length);
  });
});
