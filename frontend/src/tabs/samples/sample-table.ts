/** Rows of a table of samples, described by what stands in them. */

import { type Column, describeTable, type TextTable } from "../../ui/table/described-table.ts";
import { columnName, fieldText, shownColumns } from "./sample-words.ts";

type Row = readonly string[];

/** Numbers as they were recorded; what does not fit a float64 stays whole. */
function numberOf(text: string): number | bigint | null {
  if (/^-?\d+$/.test(text)) {
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  }
  return /^-?\d+\.\d+$/.test(text) ? Number(text) : null;
}

/** @param inputs names of the analysis' inputs: rows tell which one they are of by its number */
export function sampleTable(head: Row, rows: readonly Row[], inputs: readonly string[]): TextTable {
  const columns = shownColumns(head, rows).map((at): Column<Row> => {
    const exact = head[at] ?? "";
    const textAt = (row: Row) => row[at] ?? "";
    const shown = (row: Row) => fieldText(exact, textAt(row), inputs);
    const name = columnName(exact);
    const numeric =
      exact !== "input" && rows.every((row) => textAt(row) === "" || numberOf(textAt(row)) !== null);
    if (!numeric) return { name, exact, value: textAt, show: shown };
    const unit = exact === "ts_ns" ? "time" : "id";
    return {
      name,
      exact,
      unit,
      value: (row) => numberOf(textAt(row)),
      show: shown,
    };
  });
  return describeTable(columns, rows);
}
