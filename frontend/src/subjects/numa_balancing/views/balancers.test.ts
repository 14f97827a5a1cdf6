import { describe, expect, it } from "vitest";
import type { Attempt, Ops } from "../../../api/types.ts";
import { parseDegree } from "../../../view-state/tab-views.ts";
import { imbalanceWords, noCpuText, verdictText, wayText } from "../lanes/attempt-glyphs.ts";
import {
  attemptTable,
  crossingParts,
  failureParts,
  nodeFailuresTable,
  opsRows,
  opsSentence,
  rowNote,
} from "./balancers.ts";

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
  it("shows a degree, and nothing where there is none", () => {
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
  it("are shown in words", () => {
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
