/** Tables of the page as Arrow, in the stream format in which the service gives its own away. */

import { columnFromArray, float64, int64, tableFromColumns, tableToIPC, utf8 } from "@uwdata/flechette";
import type { Field } from "../../lib/csv.ts";
import type { Unit } from "./described-table.ts";

const WHOLE: ReadonlySet<Unit> = new Set(["id", "count", "ns", "us", "time"]);

const isWhole = (value: Field) =>
  typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
const isNumber = (value: Field) => typeof value === "bigint" || typeof value === "number";

/**
 * Numbers stay numbers: whole ones as int64, others as float64; all else is text. What is not known is null.
 * @param units of the columns, where they are described: they decide for columns that are empty
 */
export function arrowBytes(
  head: readonly string[],
  rows: readonly (readonly Field[])[],
  units: readonly Unit[] = [],
): Uint8Array<ArrayBuffer> {
  const columns = head.map((name, i): [string, ReturnType<typeof columnFromArray>] => {
    const values = rows.map((row) => row[i] ?? null);
    return [name, columnOf(values, units[i])];
  });
  const bytes = tableToIPC(tableFromColumns(columns), { format: "stream" });
  if (!bytes) throw new Error("The table could not be written as Arrow.");
  return new Uint8Array(bytes);
}

function columnOf(values: readonly (Field | null)[], unit: Unit | undefined) {
  const answer = values.filter((value) => value !== null);
  const numeric = answer.length > 0 ? answer.every(isNumber) : unit !== undefined && unit !== "text";
  if (!numeric) {
    const text = values.map((value) => (value === null ? null : String(value)));
    return columnFromArray(text, utf8());
  }
  const whole = answer.every(isWhole) && (unit === undefined || unit === "text" || WHOLE.has(unit));
  if (!whole) {
    const numbers = values.map((value) => (value === null ? null : Number(value)));
    return columnFromArray(numbers, float64());
  }
  const integers = values.map((value) => (value === null ? null : BigInt(value as number | bigint)));
  return columnFromArray(integers, int64());
}
