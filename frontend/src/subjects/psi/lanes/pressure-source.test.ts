import {
  columnFromArray,
  int64,
  tableFromColumns,
  tableToIPC,
  uint32,
  uint64,
  utf8,
} from "@uwdata/flechette";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TimeWindow } from "../../../api/types.ts";
import { decodePressure, PressureSource } from "./pressure-source.ts";

const BOUNDS = { from: 0, to: 1_000_000_000 };

function answer(times: readonly bigint[]): ArrayBuffer {
  const same = (value: unknown) => times.map(() => value);
  const table = tableFromColumns({
    input: columnFromArray(same(0), uint32()),
    ts_ns: columnFromArray([...times], int64()),
    cgroup: columnFromArray(same(""), utf8()),
    resource: columnFromArray(same("cpu"), utf8()),
    some_total_us: columnFromArray(
      times.map((_, i) => BigInt(i * 10)),
      uint64(),
    ),
    full_total_us: columnFromArray(same(null), uint64()),
  });
  return (tableToIPC(table, { format: "stream" }) ?? new Uint8Array()).slice().buffer;
}

function makeSource(placed: number) {
  const calls: { window: TimeWindow | null; signal: AbortSignal; settle: (fail?: Error) => Promise<void> }[] =
    [];
  const source = new PressureSource(
    (window, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new DOMException("superseded", "AbortError")));
        const settle = async (fail?: Error) => {
          if (fail) reject(fail);
          else resolve(answer([1000n, 100_001_000n, 200_001_000n]));
          await vi.advanceTimersByTimeAsync(0);
        };
        calls.push({ window, signal, settle });
      }),
    { rows: placed, placed, from_ns: "1000", to_ns: "1000001000" },
    1000n,
    BOUNDS,
  );
  return { source, calls };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("PressureSource", () => {
  it("asks once for a table that fits, wherever one looks", async () => {
    const { source, calls } = makeSource(5000);
    source.want({ from: 0, to: 10 });
    source.want({ from: 500_000_000, to: 600_000_000 });
    expect(calls.map(({ window }) => window)).toEqual([null]);
    await calls[0]?.settle();
    expect(source.series.map(({ resource }) => resource)).toEqual(["cpu"]);
    expect([...(source.series[0]?.tile.bars.t0 ?? [])]).toEqual([0, 100_000_000]);
    source.want({ from: -5, to: 2_000_000_000 });
    expect(calls).toHaveLength(1);
  });

  it("asks for windows of a long table, and for none that is too much at once", async () => {
    const { source, calls } = makeSource(10_000_000);
    source.want(BOUNDS);
    expect(calls).toHaveLength(0);
    expect(source.tooMany).toBe(true);
    source.want({ from: 500_000_000, to: 501_000_000 });
    expect(source.tooMany).toBe(false);
    // The view, as much again at either side, and 2000 rows of 100 ns beyond: a short view still has its samples.
    expect(calls[0]?.window).toEqual({ from: 498_801_000n, to: 502_201_000n });
    source.want({ from: 500_500_000, to: 501_500_000 });
    expect(calls).toHaveLength(1);
    source.want({ from: 700_000_000, to: 701_000_000 });
    expect(calls).toHaveLength(2);
    expect(calls[0]?.signal.aborted).toBe(true);
    await calls[1]?.settle();
    source.want({ from: 700_200_000, to: 701_200_000 });
    expect(calls).toHaveLength(2);
  });

  it("tells a failure, tries again, and is silent once closed", async () => {
    const { source, calls } = makeSource(5000);
    const changed = vi.fn();
    source.onChange = changed;
    source.want(BOUNDS);
    await calls[0]?.settle(new Error("The server went away."));
    expect(source.problem).toBe("The server went away.");
    await vi.advanceTimersByTimeAsync(1500);
    expect(calls).toHaveLength(2);
    await calls[1]?.settle();
    expect(source.problem).toBeNull();
    expect(changed).toHaveBeenCalledTimes(2);
    source.close();
    source.want({ from: 5, to: 6 });
    expect(calls).toHaveLength(2);
  });
});

describe("decode pressure", () => {
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
});
