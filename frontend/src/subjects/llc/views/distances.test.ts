import { describe, expect, it } from "vitest";
import {
  distanceTable,
  llcProcessSentence,
  llcProcessTable,
  processDistanceTable,
  sharingSentence,
} from "./distances.ts";

describe("distances", () => {
  const row = {
    woken_to: 1,
    moved: 2,
    other: 0,
    wakeups: 1000,
    woken_wait_ns: 3_000_000,
    waits: 5,
    wait_ns: 1500000,
    longest_ns: 1000000,
  };

  it("are rows by what the CPUs have in common", () => {
    const rows = [
      { distance: "core", ...row },
      { distance: "other_node", ...row },
    ] as const;
    const table = distanceTable({ rows: [...rows] });
    expect(table.rows[0]).toEqual(["core", "1", "2", "0", "1,000", "3 µs", "5", "1.5 ms", "1 ms"]);
    expect(table.rows[1]?.[0]).toBe("other node");
    const none = distanceTable({ rows: [{ distance: "core", ...row, wakeups: 0, woken_wait_ns: 0 }] });
    expect(none.rows[0]?.slice(4, 6)).toEqual(["0", "–"]);
  });

  it("are of processes, too", () => {
    const rows = [
      { distance: "same_cpu" as const, ...row },
      { distance: "other_node" as const, ...row, wakeups: 9 },
    ];
    const { head, rows: shown } = processDistanceTable({ processes: [{ tgid: 70, comm: "db", rows }] });
    expect(head).toEqual(["process", "moved: other node", "wakeups", "waited"]);
    expect(shown).toEqual([["db [70]", "3", "9", "3 ms"]]);
  });

  it("have processes by last-level cache, with what they would prefer", () => {
    const llcs = [
      [0, 1],
      [2, 3],
    ];
    const process = {
      tgid: 70,
      comm: "db",
      threads: 2,
      run_ns: 100,
      by_llc_ns: [25, 75],
      preferred: 1,
      changes: 1,
      preferring_ns: 50,
      in_preferred_ns: 50,
      away: 3,
      to: 1,
    };
    const of = {
      processes: [process, { ...process, tgid: 71, by_llc_ns: [100, 0], preferred: null, preferring_ns: 0 }],
      more: 1,
      unknown_ns: 2_000_000,
      label: "replayed" as const,
      missing: [],
      preferred_provenance: "what-if" as const,
      preferred_missing: [],
    };
    const table = llcProcessTable(of, { llcs });
    expect(table.rows[0]).toEqual([
      "db [70]",
      "2",
      "100 ns",
      "CPUs 2-3: 75 %; CPUs 0-1: 25 %",
      "CPUs 2-3",
      "100 %",
      "3",
      "1",
      "1",
    ]);
    expect(table.rows[1]?.slice(3, 6)).toEqual(["CPUs 0-1: 100 %", "none", "–"]);
    expect(llcProcessSentence(of)).toMatch(/1 more process is left out .* not recorded ran for 2 ms\.$/);
    expect(llcProcessSentence({ ...of, processes: [] })).toMatch(/^Processes of threads are not recorded/);
    expect(llcProcessSentence({ ...of, processes: [], more: 0, unknown_ns: 0 })).toBe(
      "No task ran in the window.",
    );
  });

  it("say what is not recorded of the machine", () => {
    expect(sharingSentence({ llcs: [], cores: [] })).toBe(
      "Which CPUs share a last-level cache is not recorded; shared cores are not recorded either.",
    );
    expect(
      sharingSentence({
        llcs: [
          [0, 1],
          [2, 3],
        ],
        cores: [[0], [1], [2], [3]],
      }),
    ).toBe("Last-level caches: CPUs 0-1; CPUs 2-3; no CPUs share a core.");
    expect(sharingSentence({ llcs: [[0, 1]], cores: [[0, 1]] })).toMatch(/1 cores? have SMT siblings/);
  });
});
