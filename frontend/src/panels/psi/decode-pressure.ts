/** The samples of pressure, Arrow IPC, as columns. */

import { tableFromIPC } from "@uwdata/flechette";
import { type AbsNs, toRel } from "../../lib/time.ts";
import type { Average, PressureRows } from "./pressure.ts";

/**
 * The table `psi`: times relative to the origin, totals in µs, NaN for what is null. Reads what the lanes need and leaves
 * the rest of the table alone.
 */
export function decodePressure(bytes: ArrayBuffer | Uint8Array, origin: AbsNs): PressureRows {
  // 64-bit numbers come as BigInt: a wall clock's ns do not fit a float64.
  const table = tableFromIPC(bytes, { useProxy: true, useBigInt: true });
  const column = (name: string) => {
    const values = table.getChild(name)?.toArray() as ArrayLike<unknown> | undefined;
    if (!values) throw new Error(`The table psi has no column ${name}.`);
    return values;
  };
  const numberOrNaN = (value: unknown) =>
    value === null || value === undefined ? Number.NaN : Number(value);
  const texts = (name: string) => Array.from(column(name), (value) => String(value ?? ""));
  const floats = (name: string) => Float64Array.from(column(name), numberOrNaN);
  const average = (seconds: Average) => ({
    some: floats(`some_avg${seconds}`),
    full: floats(`full_avg${seconds}`),
  });
  const averages = table.getChild("some_avg10")
    ? { 10: average(10), 60: average(60), 300: average(300) }
    : null;
  return {
    length: table.numRows,
    input: Uint32Array.from(column("input"), Number),
    at: Float64Array.from(column("ts_ns"), (value) =>
      typeof value === "bigint" ? toRel(origin, value) : Number.NaN,
    ),
    cgroup: texts("cgroup"),
    resource: texts("resource"),
    some: floats("some_total_us"),
    full: floats("full_total_us"),
    ...(averages ? { averages } : {}),
  };
}
