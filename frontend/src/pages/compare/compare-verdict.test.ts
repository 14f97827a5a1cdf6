import { describe, expect, it } from "vitest";
import type { ComparedCell, ComparedTableRow, Comparison } from "../../api/types.ts";
import { distinctNames, verdictLines } from "./compare-verdict.tsx";

const test = (significant: boolean) => ({ significant }) as ComparedCell["t_test"];

function row(title: string, percent: number, significant: boolean | null, unit = "ns"): ComparedTableRow {
  const cell = (mean: number, change: Partial<ComparedCell>) =>
    ({ total: null, mean, percent: null, t_test: null, intervals: null, ...change }) as ComparedCell;
  const t_test = significant === null ? null : test(significant);
  const sides = [cell(1e6, {}), cell(1e6 * (1 - percent / 100), { percent, t_test })];
  return { name: title, title, unit, better: "lower", counted: false, mean: "arithmetic", sides };
}

function compared(...rows: ComparedTableRow[]): Parameters<typeof verdictLines>[0] {
  const side = (key: string) => ({ key, name: key, analyses: [] });
  const tables = [{ name: "statistics", title: "", rows, absent: [] }] as Comparison["tables"];
  return { base: 0, sides: [side("A"), side("B")], tables, findings: { absent: [], kinds: [] } };
}

describe("the verdict of a comparison", () => {
  it("has what is worse before what is better, the largest change first, and nothing within noise", () => {
    const lines = verdictLines(
      compared(
        row("p50", -20, true),
        row("p99", -140, true),
        row("longest", -900, false),
        row("wasted", 30, true),
      ),
      "2020",
    );
    expect(lines.map(({ text }) => text)).toEqual([
      "Worse: p99 1 ms → 2.4 ms (+140 %); p50 1 ms → 1.2 ms (+20 %).",
      "Better: wasted 1 ms → 700 µs (−30 %).",
    ]);
  });

  it("says whether nothing changed or nothing could be tested", () => {
    expect(verdictLines(compared(row("p50", -20, false)), "2020")[0]?.text).toMatch(/^No value got/);
    expect(verdictLines(compared(row("p50", -20, null)), "2020")[0]?.text).toMatch(/too short or too few/);
  });

  it("has at most three lines, of findings that one side alone has last", () => {
    const kind = (id: string, only: number[] | null) =>
      ({
        id,
        only,
        severity: "high",
        label: "observed",
        sides: [],
      }) as unknown as Comparison["findings"]["kinds"][number];
    const lines = verdictLines(
      {
        ...compared(row("p50", -20, true), row("p99", 20, true)),
        findings: { absent: [], kinds: [kind("CPU_SATURATED", [1]), kind("RT_HOG", null)] },
      },
      "2020",
    );
    expect(lines).toHaveLength(3);
    expect(lines[2]?.text).toBe("Findings only in B: CPUs saturated.");
  });
});

it("names lose the words that they share, but never all", () => {
  expect(distinctNames(["vm, 07:12, a", "vm, 07:13, b"])).toEqual(["07:12, a", "07:13, b"]);
  expect(distinctNames(["trace.dat", "trace.dat"])).toEqual(["trace.dat", "trace.dat"]);
});
