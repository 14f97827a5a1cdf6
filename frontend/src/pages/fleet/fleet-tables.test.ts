import { describe, expect, it } from "vitest";
import { lettersAt, namedTimes } from "./fleet-answer.tsx";
import {
  amountText,
  byChange,
  changeText,
  dayText,
  flipsText,
  linesOf,
  MOST_LINES,
  machinesTable,
  rowsTable,
  starOf,
} from "./fleet-tables.ts";

describe("numbers of a fleet", () => {
  it("have three digits and their unit", () => {
    expect(amountText(79_432_823, "ns")).toBe("79.4 ms");
    expect(amountText(12.3456, "%")).toBe("12.3 %");
    expect(amountText(4422.2, "/s")).toBe("4,422 /s");
    expect(amountText(0, "")).toBe("0");
    expect(amountText(null, "ns")).toBe("–");
  });

  it("have a day, or none", () => {
    expect(dayText("2026-11-02T00:00:00Z")).toBe("2026-11-02");
    expect(dayText(null)).toBe("all");
  });

  it("have a star by the rules that give one", () => {
    const row = { significant_2020: true, significant_2024: true } as Parameters<typeof starOf>[0];
    expect(starOf(row)).toBe(" ★");
    expect(starOf({ ...row, significant_2024: false })).toBe(" ★2020");
    expect(starOf({ ...row, significant_2020: null, significant_2024: null })).toBe("");
  });
});

describe("lines of a chart", () => {
  const at = (group: string, day: number, value: number | null, weight = 1) => ({
    group,
    period: `2026-11-0${day}T00:00:00Z`,
    value,
    recordings: 3,
    weight,
  });

  it("are those of the weightiest groups, in order of time", () => {
    const lines = linesOf([at("a", 2, 5), at("a", 1, 4), at("b", 1, 1, 9), at("c", 1, null, 99)]);
    expect(lines.map(({ key, name }) => key + name)).toEqual(["Ab", "Ba"]);
    expect(lines[1]?.points.map(([, value]) => value)).toEqual([4, 5]);
    const many = Array.from({ length: 20 }, (_, i) => at(`g${i}`, 1, i, i));
    expect(linesOf(many).map(({ name }) => name)).toEqual(
      Array.from({ length: MOST_LINES }, (_, i) => `g${19 - i}`),
    );
  });

  it("have no points without a period", () => {
    expect(linesOf([{ group: "a", period: null, value: 1, recordings: 1, weight: 1 }])).toEqual([]);
  });

  it("know of how many recordings each point is", () => {
    expect(linesOf([at("a", 1, 5)])[0]?.points).toEqual([[Date.parse("2026-11-01T00:00:00Z"), 5, 3]]);
  });

  it("have letters of which none stands on another, and all within the chart", () => {
    expect(lettersAt([10, 50], 0, 100)).toEqual([10, 50]);
    const crowded = lettersAt([98, 97, 99, 40], 12, 100);
    const sorted = [...crowded].sort((a, b) => a - b);
    expect(sorted.every((at, i) => i === 0 || at - (sorted[i - 1] ?? 0) >= 12)).toBe(true);
    expect([sorted[0], sorted[3]]).toEqual([40, 100]);
    expect((crowded[1] ?? 0) < (crowded[0] ?? 0) && (crowded[0] ?? 0) < (crowded[2] ?? 0)).toBe(true);
  });

  it("name the periods that have room", () => {
    expect(namedTimes([3, 1, 1, 2, 9], (time) => time * 50)).toEqual([1, 3, 9]);
  });
});

it("rows of a query keep every digit of whole numbers", () => {
  const table = rowsTable({
    columns: [
      { name: "n", kind: "integer" },
      { name: "r", kind: "real" },
      { name: "t", kind: "text" },
    ],
    rows: [
      ["9007199254740993", 0.123456789, "x"],
      [null, "inf", null],
    ],
    truncated: false,
  });
  expect(table.rows).toEqual([
    ["9007199254740993", "0.123457", "x"],
    ["–", "inf", "–"],
  ]);
});

describe("answers in a sentence", () => {
  const machine = (name: string, flips: number | null, recordings_with_flips = 0) =>
    ({
      machine: name,
      flips_per_minute: null,
      flips,
      recordings_with_flips,
      nodes: 2,
      cpus: 8,
      last_seen: "2026-11-02T08:00:00Z",
      worst: null,
    }) as Parameters<typeof flipsText>[0][number];
  const row = (title: string, percent: number, old: boolean | null, now: boolean | null) =>
    ({ title, percent, better: "lower", significant_2020: old, significant_2024: now }) as Parameters<
      typeof changeText
    >[0][number];

  it("which machines had flips", () => {
    expect(flipsText([machine("a", 1200, 3), machine("b", 0), machine("c", null)])).toBe(
      "Busy nodes flipped on 1 of 2 machines, 1,200 times in 3 recordings; 1 more had no recording with cling.",
    );
    expect(flipsText([machine("b", 0)])).toBe("No busy node flipped on 1 machine.");
    expect(flipsText([machine("c", null)])).toContain("No recording has NUMA cling");
  });

  it("what changed, with what both rules see first", () => {
    const more = { ...row("C", 3, true, true), better: "neither" as const };
    const rows = [row("A", 1, false, false), row("B", -2, true, false), more];
    expect(byChange(rows).map(({ title }) => title)).toEqual(["C", "B", "A"]);
    expect(changeText(rows)).toBe("2 of 3 metrics changed: C 3.0 % more ★, B 2.0 % worse ★2020.");
    expect(changeText(rows.slice(0, 1))).toBe("None of 1 metric changed significantly.");
    expect(changeText([row("A", 1, null, null)])).toContain("No significance test");
  });

  it("how large a machine is", () => {
    const table = machinesTable([machine("a", 1)]);
    expect(table.rows[0]?.[table.head.indexOf("size")]).toBe("2 × 4 CPUs");
    expect(table.exact[0]?.[table.exactHead.indexOf("cpus")]).toBe(8);
    const uneven = machinesTable([{ ...machine("a", 1), cpus: 9 }]);
    expect(uneven.rows[0]?.[uneven.head.indexOf("size")]).toBe("9 CPUs, 2 nodes");
  });
});
