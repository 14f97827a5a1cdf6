import {
  columnFromArray,
  int64,
  tableFromColumns,
  tableToIPC,
  uint32,
  uint64,
  utf8,
} from "@uwdata/flechette";
import { describe, expect, it } from "vitest";
import { decodePressure } from "./pressure-source.ts";

describe("decodePressure", () => {
  it("keeps every ns of a wall clock, and tells null from nought", () => {
    const origin = 1_795_227_806_498_460_328n;
    const table = tableFromColumns({
      input: columnFromArray([1, 1, 1], uint32()),
      ts_ns: columnFromArray([origin + 7n, null, origin - 1n], int64()),
      cgroup: columnFromArray(["", "", "a.slice"], utf8()),
      resource: columnFromArray(["cpu", "memory", "<b>"], utf8()),
      some_total_us: columnFromArray([794_805n, 0n, null], uint64()),
      full_total_us: columnFromArray([null, 0n, 3n], uint64()),
    });
    const rows = decodePressure(tableToIPC(table, { format: "stream" }) ?? new Uint8Array(), origin);
    expect(rows.length).toBe(3);
    expect([...rows.at]).toEqual([7, Number.NaN, -1]);
    expect([...rows.some]).toEqual([794_805, 0, Number.NaN]);
    expect([...rows.full]).toEqual([Number.NaN, 0, 3]);
    expect(rows.resource).toEqual(["cpu", "memory", "<b>"]);
    expect(rows.cgroup[2]).toBe("a.slice");
  });

  it("says which column is missing", () => {
    const table = tableFromColumns({ input: columnFromArray([1], uint32()) });
    expect(() => decodePressure(tableToIPC(table, { format: "stream" }) ?? new Uint8Array(), 0n)).toThrow(
      /psi/,
    );
  });
});
