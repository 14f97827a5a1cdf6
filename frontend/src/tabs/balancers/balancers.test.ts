import { describe, expect, it } from "vitest";
import type { Annotation, Attempt, DomainBalancingSection, Ops, SchedstatSection } from "../../api/types.ts";
import { imbalanceWords, noCpuText, verdictText, wayText } from "../../panels/nodes/attempt-glyphs.ts";
import { parseDegree } from "../../view-state/tab-views.ts";
import {
  attemptTable,
  crossingParts,
  distanceTable,
  domainTable,
  failureParts,
  llcProcessSentence,
  llcProcessTable,
  movedSentence,
  nodeFailuresTable,
  opsRows,
  opsSentence,
  processDistanceTable,
  rowNote,
  searchingCpuTable,
  searchTable,
  sharingSentence,
  stepTable,
} from "./balancers.ts";
import { busyTable, decisionTable } from "./cling/cling-tables.ts";

const ROWS: Ops["rows"] = {
  migrate_failed_no_cpu: 349,
  migrate_failed_move_to_idle: 0,
  migrate_failed_swap_task_fail: 1,
  task_migrated_swapped: 22,
  task_migrated_swapped_local_nid: 0,
  task_migrated_swapped_within_group: 4,
  task_migrated_idle_cpu: 100,
  task_migrated_idle_cpu_local_nid: 0,
  task_migrate_retry: 426,
  task_migrate_retry_success: 112,
  task_migrate_retry_failed: 314,
  load_balance_cross_numa: 385,
};
const OPS: Ops = {
  attempts: 1472,
  unknown: 0,
  moves: 100,
  moves_ok: 100,
  swaps: 23,
  swaps_ok: 22,
  swaps_local: 0,
  swaps_within_group: 5,
  failures: { no_cpu: 349, move_failed: 0, move_refused: 0, swap_raced: 1, swap_refused: 0, no_domain: 0 },
  nodes: [
    { nid: 0, attempts: 1000, failed: 300 },
    { nid: 1, attempts: 0, failed: 0 },
  ],
  retries: 314,
  migrations: 6291,
  crossings: {
    total: 529,
    numa: 144,
    lb_cross: 385,
    wakeup: 90,
    runnable: 295,
    asleep: 0,
    unknown: 0,
    unmatched: 0,
    earlier: 0,
  },
  rows: ROWS,
  mmtests: { ...ROWS, task_migrated_swapped: 23, task_migrate_retry_success: null },
  mmtests_warnings: 0,
  label: "replayed",
  missing: [],
};

it("failures by target node have a ratio only where something was attempted", () => {
  const { head, rows } = nodeFailuresTable(OPS.nodes);
  expect(head).toEqual(["node", "attempts", "failed", "failure ratio"]);
  expect(rows.map((row) => row.at(-1))).toEqual(["30 %", "–"]);
});

describe("the address", () => {
  it("tells a degree, and nothing that is none", () => {
    expect(["0", "20", "100"].map(parseDegree)).toEqual([0, 20, 100]);
    expect(["101", "-1", "2e1", "", undefined, "1.5"].map(parseDegree)).toEqual(Array(6).fill(null));
  });
});

describe("the Ops table", () => {
  it("has twelve rows, and says where mmtests counts otherwise", () => {
    const rows = opsRows(OPS);
    expect(rows).toHaveLength(12);
    expect(rows.map(rowNote).filter((note) => note !== "")).toEqual(["counts otherwise", "no such row"]);
  });

  it("is one sentence", () => {
    expect(opsSentence(OPS)).toBe("1,472 attempts: 100 moves, 22 swaps, 350 failed (24 %).");
    expect(opsSentence({ ...OPS, unknown: 3 })).toContain("of 3 the end is not known.");
    expect(opsSentence({ ...OPS, attempts: 0 })).toMatch(/^No task placement attempt/);
  });

  it("names each failure, and crossings that add up to their sum", () => {
    expect(failureParts(OPS).map(({ count }) => count)).toEqual([349, 0, 0, 1, 0, 0]);
    const parts = crossingParts(OPS);
    expect(parts.map(({ key }) => key)).toEqual(["numa", "wakeup", "runnable"]);
    expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(OPS.crossings.total);
  });
});

const ATTEMPT: Attempt = {
  start_ns: "9007199254740993",
  end_ns: "9007199254740995",
  cpu: 2,
  pid: 751,
  comm: "ng_C",
  tgid: 751,
  ngid: 0,
  src_cpu: 2,
  src_nid: 0,
  dst_cpu: -1,
  dst_nid: -1,
  target_nid: 1,
  target_from: "two_nodes",
  verdict: "no_cpu",
  failed: true,
  ret: -11,
  partner: null,
  partner_comm: null,
  explanation: {
    attempt: 0,
    pid: 751,
    start_ns: "9007199254740993",
    src_nid: 0,
    dst_nid: 1,
    nodes: [],
    imbalance: { src_running: 16, dst_running: 4, imbalance: 0 },
    answers: [
      {
        rules: "5.6",
        recorded: false,
        maymove: "load_test",
        imbalance: null,
        imb_numa_nr: null,
        label: "what-if",
      },
      { rules: "6.0", recorded: true, maymove: "allowed", imbalance: 0, imb_numa_nr: 1, label: "inferred" },
    ],
    no_cpu: "idle_cpu_not_taken",
    extra_wait_ns: null,
    label: "inferred",
    missing: ["llc_topology"],
  },
};

describe("attempts", () => {
  it("are told in words", () => {
    expect(verdictText(ATTEMPT)).toBe("no CPU found");
    expect(verdictText({ ...ATTEMPT, verdict: "moved_on" as never })).toBe("moved on");
    const partner = { pid: 755, tgid: 755, ngid: 0 };
    expect(verdictText({ ...ATTEMPT, verdict: "swapped", partner, partner_comm: "ng_A" })).toBe(
      "swapped with ng_A 755",
    );
    expect(wayText(ATTEMPT)).toBe("0 → 1");
    expect(wayText({ ...ATTEMPT, src_nid: -1, target_nid: -1 })).toBe("? → ?");
    expect(noCpuText(ATTEMPT)).toBe("an idle CPU, not taken");
    expect(imbalanceWords(ATTEMPT)).toBe("16 here, 4 there: 0 more, allowed (6.0)");
    expect(imbalanceWords({ ...ATTEMPT, explanation: null })).toBe("–");
  });

  it("keep every digit where they are taken along", () => {
    const table = attemptTable([ATTEMPT]);
    expect(table.rows[0]?.[0]).toBe("9007199.254740");
    expect(table.rows[0]?.at(-1)).toBe("inferred, lacks llc_topology");
    expect(table.exact[0]?.[0]).toBe(9_007_199_254_740_993n);
    expect(table.exact[0]).toHaveLength(table.exactHead.length);
    expect(table.rows[0]).toHaveLength(table.head.length);
  });
});

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

  it("are told with what decided and the kernel's function", () => {
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
    expect(table.rows.map((row) => row[4])).toEqual(["it was busy before", "F 1536 of T 1536, 99 % > 20 %"]);
    expect(table.spans).toEqual([
      { from: 5, to: 6 },
      { from: 45, to: 75 },
    ]);
    expect(table.exact[0]).toHaveLength(table.exactHead.length);
  });
});

describe("what the load balancer counted", () => {
  const section: Pick<SchedstatSection, "domains" | "steps" | "moved"> = {
    domains: [
      {
        domain: 1,
        name: "NUMA",
        kind: "newidle",
        cpus: 8,
        count: 1234,
        balanced: 1200,
        failed: 4,
        gained: 30,
        hot_gained: 2,
      },
      {
        domain: 0,
        name: null,
        kind: "active",
        cpus: 8,
        count: 3,
        balanced: null,
        failed: 1,
        gained: 2,
        hot_gained: null,
      },
    ],
    steps: [{ from_ns: "1000000000", to_ns: "2000000000", count: 1234, gained: 30 }],
    moved: { counted: 30, migrations: 1, label: "observed", missing: [] },
  };

  it("is a row for each domain, with nothing for what is not counted", () => {
    expect(domainTable(section).rows).toEqual([
      ["1 NUMA", "newidle", "8", "1,234", "1,200", "4", "30", "2"],
      ["0", "active", "8", "3", "–", "1", "2", "–"],
    ]);
    expect(stepTable(section).rows[0]?.slice(2)).toEqual(["1,234", "30"]);
  });

  it("stands beside the migrations of the recording", () => {
    expect(movedSentence(section)).toMatch(
      /^The balancer counted 30 tasks as moved; the recording has 1 migration of runnable/,
    );
    expect(movedSentence({ moved: null })).toBe("Which tasks were moved was not recorded.");
  });
});

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

describe("what looking for tasks cost", () => {
  const section: Pick<DomainBalancingSection, "domains" | "cpus"> = {
    domains: [
      {
        searcher: "newidle",
        domain_cpus: 4,
        count: 1234,
        pulled: 14,
        tasks: 15,
        ns: 5_471_652,
        in_vain_ns: 4_453_144,
        longest_ns: 2_620_520,
        longest_at_ns: "100029387390",
        longest_cpu: 2,
      },
      {
        searcher: "other",
        domain_cpus: null,
        count: 0,
        pulled: 0,
        tasks: 0,
        ns: 0,
        in_vain_ns: 0,
        longest_ns: 0,
        longest_at_ns: null,
        longest_cpu: null,
      },
    ],
    cpus: [
      { cpu: 0, newidle_ns: 1_000_000, search_ns: 2_000_000, searches: 3, percent: 0.256 },
      { cpu: 1, newidle_ns: null, search_ns: 0, searches: 0, percent: 0 },
    ],
  };

  it("is a row for who looked in which domain, with nothing for what is not recorded", () => {
    const [newidle, other] = searchTable(section).rows;
    expect(newidle?.slice(0, 8)).toEqual([
      "newly idle",
      "4",
      "1,234",
      "14",
      "15",
      "5.472 ms",
      "4.453 ms",
      "2.621 ms",
    ]);
    expect(other?.slice(0, 2)).toEqual(["idle, for another CPU", "–"]);
    expect(other?.[8]).toBe("–");
  });

  it("is a row for each CPU", () => {
    expect(searchingCpuTable(section).rows).toEqual([
      ["0", "1 ms", "3", "2 ms", "0.26 %"],
      ["1", "–", "0", "0 ns", "0.00 %"],
    ]);
  });
});
