import { describe, expect, it } from "vitest";
import {
  columnName,
  fieldText,
  shownColumns,
  shownText,
  tableSentence,
  tableSpan,
  unplacedText,
} from "./index.tsx";

const psi = { table: "psi", rows: 540, placed: 534, from_ns: "7338664402", to_ns: "52118753133" };

describe("tables of samples in words", () => {
  it("say what they hold, where it lies, and what cannot be placed", () => {
    expect(tableSentence("psi")).toContain("/proc/pressure");
    expect(tableSentence("of_a_later_version")).toBe("samples");
    expect(tableSpan(psi)).toBe("7.338 – 52.118");
    expect(tableSpan({ ...psi, from_ns: null, to_ns: null })).toBe("");
    expect(unplacedText(psi)).toBe("6 rows not aligned in time");
    expect(unplacedText({ rows: 540, placed: 540 })).toBe("");
    expect(unplacedText({ rows: 540, placed: 0 })).toBe("none aligned in time");
  });

  it("say how many rows are shown, and how to come by the others", () => {
    expect(shownText(1, false, true)).toBe("1 row in the window");
    expect(shownText(5000, true, true)).toBe(
      "the first 5,000 rows in the window; zoom in, or download all of them",
    );
    expect(shownText(12, false, false)).toBe("12 rows");
  });

  it("show when and what before the sample's own stamps, and nothing that is empty", () => {
    const head = ["input", "ts_ns", "idx", "mono_ns", "cgroup", "resource", "some_total_us"];
    const rows = [
      ["1", "5", "0", "5", "", "cpu", "7"],
      ["1", "", "1", "", "", "io", "0"],
    ];
    expect(shownColumns(head, rows).map((column) => head[column])).toEqual([
      "ts_ns",
      "input",
      "resource",
      "some_total_us",
      "idx",
      "mono_ns",
    ]);
  });

  it("show times and inputs as people read them, and all else as it was recorded", () => {
    expect(columnName("ts_ns")).toBe("time, s");
    expect(columnName("mono_ns")).toBe("mono_ns");
    expect(fieldText("ts_ns", "7338664402", [])).toBe("7.338664402");
    expect(fieldText("ts_ns", "", [])).toBe("");
    expect(fieldText("input", "1", ["trace.dat", "psi.jsonl"])).toBe("psi.jsonl");
    expect(fieldText("input", "7", ["trace.dat"])).toBe("7");
    expect(fieldText("some_total_us", "9007199254740993", [])).toBe("9007199254740993");
  });
});
