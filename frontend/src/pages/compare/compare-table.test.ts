import { describe, expect, it } from "vitest";
import type { ComparedCell, ComparedTable, ComparedTableRow, Comparison } from "../../api/types.ts";
import { csvText } from "../../lib/csv.ts";
import {
  absentReasons,
  binsCsv,
  cellText,
  differenceSays,
  findingsCsv,
  heatSays,
  inUnit,
  isQuiet,
  isStarred,
  nodesCsv,
  percentText,
  rowLabel,
  tableCsv,
  usualLabel,
  verdictOf,
  waitsSay,
} from "./compare-table.ts";

const SUMMARY = {
  n: 3,
  mean: 2,
  harmonic_mean: 1.9,
  min: 1,
  first_quartile: 1.5,
  median: 2,
  third_quartile: 2.5,
  max: 3,
  sample_deviation: 1,
  population_deviation: 0.8,
  coefficient_of_variation: 50,
};

function cell(change: Partial<ComparedCell> = {}): ComparedCell {
  return {
    total: null,
    mean: 2,
    summary: { ...SUMMARY, n: 1 },
    percent: null,
    t_test: null,
    intervals: null,
    cell_2020: null,
    cell_2024: null,
    change_mean: null,
    change_median: null,
    label: "replayed",
    missing: [],
    reason: null,
    ...change,
  };
}

function row(sides: ComparedCell[], change: Partial<ComparedTableRow> = {}): ComparedTableRow {
  return {
    name: "waited",
    title: "Waited",
    unit: "ns",
    better: "lower",
    counted: false,
    mean: "arithmetic",
    sides,
    ...change,
  };
}

it("says of each side that a table has nothing of why", () => {
  const sides = [{ key: "A" }, { key: "B" }] as never;
  expect(absentReasons({ sides }, { absent: [null, "No samples."] })).toEqual(["B: No samples."]);
  expect(absentReasons({ sides }, { absent: [null, null] })).toEqual([]);
});

describe("numbers of a comparison", () => {
  it("stand in their unit", () => {
    expect(inUnit(2_400_000, "ns")).toBe("2.4 ms");
    expect(inUnit(0, "ms")).toBe("0 ms");
    expect(inUnit(0.5, "ms")).toBe("500 µs");
    expect(inUnit(97.604, "%")).toBe("97.60 %");
    expect(inUnit(8412.04, "cost")).toBe("8,412");
    expect(inUnit(1_248_401, "")).toBe("1,248,401");
    expect(inUnit(-3.456, "points")).toBe("-3.46 points");
  });

  it("of counts are the count with its rate, and the rate alone of windows", () => {
    const counted = { counted: true, unit: "" };
    expect(cellText(row([], counted), cell({ total: 354, mean: 8.8 }))).toEqual({
      value: "354",
      rate: "8.80/s",
    });
    expect(cellText(row([], counted), cell({ total: 354, mean: 8.8, summary: SUMMARY }))).toEqual({
      value: "8.80/s",
      rate: null,
    });
    expect(cellText(row([]), cell({ mean: null }))).toEqual({ value: "–", rate: null });
  });

  it("say which way they differ by the row's own direction", () => {
    const up = cell({ percent: 12.394 });
    const text = (better: "higher" | "lower" | "neither", percent: number | null) =>
      percentText({ better }, { percent });
    expect(text("neither", 12.394)).toBe("+12.39 %");
    expect(text("neither", -0.004)).toBe("0.00 %");
    expect(text("higher", -5)).toBe("−5.00 %, worse");
    expect(text("lower", 49)).toBe("−49.00 %, better");
    expect(text("lower", -5)).toBe("+5.00 %, worse");
    expect(text("higher", null)).toBe("–");
    expect(verdictOf(row([]), up)).toBe("better");
    expect(verdictOf(row([]), cell({ percent: -1 }))).toBe("worse");
    expect(verdictOf(row([], { better: "neither" }), up)).toBe("more");
    expect(verdictOf(row([]), cell({ percent: 0.001 }))).toBe("same");
    expect(verdictOf(row([]), cell())).toBe("none");
  });

  it("get a star by the chosen rule, and none without a test", () => {
    const made = cell({
      percent: 5,
      t_test: { t: 3, df: 4, p: 0.04, significant: true },
      intervals: { base: 1, new: 1, cidiff: -0.4, significant: false },
    });
    expect([isStarred(made, "2020"), isStarred(made, "2024"), isStarred(cell(), "2020")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(differenceSays(row([]), made, "2020")).toBe("better; significant (p = 0.0400)");
    expect(differenceSays(row([]), made, "2024")).toContain("not significant (intervals differ by 0.40)");
    expect(differenceSays(row([]), cell({ percent: 1 }), "2024")).toContain(
      "no significance test with one value",
    );
    expect(differenceSays(row([]), cell(), "2020")).toContain("no ratio");
  });

  it("say their label once", () => {
    const inferred = cell({ label: "inferred" });
    const none = cell({ label: null, mean: null });
    const table: ComparedTable = {
      name: "t",
      title: "T",
      absent: [null, null],
      rows: [
        row([cell(), inferred]),
        row([cell(), inferred]),
        row([inferred, inferred]),
        row([none, inferred]),
      ],
    };
    const usual = [usualLabel(table, 0), usualLabel(table, 1)];
    expect(usual).toEqual(["replayed", "inferred"]);
    expect(table.rows.map((each) => rowLabel(each, usual))).toEqual([null, null, "inferred", null]);
    expect(usualLabel({ ...table, rows: [] }, 0)).toBeNull();
  });

  it("of nothing are quiet", () => {
    const nothing = cell({ total: 0, mean: 0 });
    expect(isQuiet(row([nothing, nothing], { counted: true }))).toBe(true);
    expect(isQuiet(row([nothing, cell({ total: 1, mean: 0.1 })], { counted: true }))).toBe(false);
    expect(isQuiet(row([nothing, nothing]))).toBe(false);
  });
});

function made(): Comparison {
  const finding = {
    analysis: 1,
    from_ns: "172800000000000001",
    to_ns: "172800000000000009",
    impact_ms: 3.5,
    summary: "a, b",
    nodes: [0],
    pids: [],
  };
  const analysis = (key: string, side: number) => ({
    key,
    id: `id${key}`,
    title: `run ${key}`,
    side,
    inputs: [],
    kernel: null,
    cpus: 8,
    nodes: [],
    topology_source: "sidecar",
    clock: null,
    hz: null,
    hz_label: null,
    window_ns: ["172800000000000000", "172800004000000000"],
    length_ns: 4e9,
    events: 1,
    lost_events: 0,
    lost_marks: 0,
    degree: null,
    rules: null,
  });
  const table: ComparedTable = {
    name: "latency",
    title: "Wakeup latency",
    absent: [null, null],
    rows: [
      row([cell({ mean: 1000 }), cell({ mean: 2000, percent: -100, missing: ["sched_waking", "vmstat"] })], {
        name: "latency_p99_ns",
        title: "p99",
      }),
    ],
  };
  return {
    base: 0,
    decisions: null,
    sides: [
      { key: "A", name: "old, kernel", analyses: [0] },
      { key: "B", name: "new", analyses: [1] },
    ],
    analyses: [analysis("A", 0), analysis("B", 1)],
    warnings: [],
    step_ns: 2e9,
    samples: { by: "windows", step_ns: 1e9, sentence: "" },
    utilisation: [
      {
        available: true,
        label: "replayed",
        missing: [],
        nodes: [{ nid: 3, average: 50, percent: [40, 60] }],
      },
      { available: false, reason: "no sched_switch" },
    ],
    latency: {
      edges_ns: [100, 200],
      analyses: [
        {
          available: true,
          label: "replayed",
          missing: [],
          counts: [1, 2, 1],
          percent: [25, 50, 25],
          at_most_percent: [25, 75, 100],
          wakeups: 4,
        },
        { available: false, reason: "no sched_switch" },
      ],
    },
    tables: [table],
    findings: {
      absent: [null, null],
      kinds: [
        {
          id: "X",
          severity: "high",
          label: "replayed",
          sides: [
            { count: 0, worst: null },
            { count: 2, worst: finding },
          ],
          only: [1],
        },
      ],
    },
  };
}

describe("a comparison as files and words", () => {
  it("has every number in its CSV, with exact moments", () => {
    const all = made();
    const [table] = all.tables;
    if (!table) throw new Error("no table");
    const { head, rows } = tableCsv(all, table);
    expect(new Set(rows.map((line) => line.length))).toEqual(new Set([head.length]));
    expect(rows).toHaveLength(2);
    expect(csvText(head, rows)).toContain('"old, kernel"');
    expect(csvText(head, rows)).toContain("sched_waking; vmstat");
    const nodes = nodesCsv(all);
    expect(nodes.rows).toEqual([
      ["A", "run A", 3, 50, 0, 172800000000000000n, 40],
      ["A", "run A", 3, 50, 1, 172800002000000000n, 60],
    ]);
    expect(binsCsv(all).rows).toEqual([
      ["A", 0, 100, 1, 25, 25],
      ["A", 100, 200, 2, 50, 75],
      ["A", 200, undefined, 1, 25, 100],
    ]);
    const found = findingsCsv(all);
    expect(found.rows[1]).toEqual([
      "X",
      "high",
      "replayed",
      "B",
      2,
      3.5,
      "172800000000000001",
      "172800000000000009",
      "a, b",
    ]);
    expect(new Set(found.rows.map((line) => line.length))).toEqual(new Set([found.head.length]));
  });

  it("is said to who does not see it", () => {
    const all = made();
    expect(heatSays(all, 0)).toBe("A, CPU use by node in steps of 2 s: node 3 50 % on average, 40 to 60 %");
    expect(heatSays(all, 1)).toBe("B: no sched_switch");
    expect(waitsSay(all)).toBe("Wakeup waits by length. p99 A 1 µs, B 2 µs");
  });
});
