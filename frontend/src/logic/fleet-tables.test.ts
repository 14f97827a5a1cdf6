import { describe, expect, it } from "vitest";
import { namedTimes } from "../draw/fleet-chart.ts";
import { amountText, dayText, linesOf, MOST_LINES, rowsTable, starOf } from "./fleet-tables.ts";

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
    weight,
  });

  it("are those of the weightiest groups, in the order of time", () => {
    const lines = linesOf([at("a", 2, 5), at("a", 1, 4), at("b", 1, 1, 9), at("c", 1, null, 99)]);
    expect(lines.map(({ key, name }) => key + name)).toEqual(["Ab", "Ba"]);
    expect(lines[1]?.points.map(([, value]) => value)).toEqual([4, 5]);
    const many = Array.from({ length: 20 }, (_, i) => at(`g${i}`, 1, i, i));
    expect(linesOf(many).map(({ name }) => name)).toEqual(
      Array.from({ length: MOST_LINES }, (_, i) => `g${19 - i}`),
    );
  });

  it("have no points without a period", () => {
    expect(linesOf([{ group: "a", period: null, value: 1, weight: 1 }])).toEqual([]);
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
