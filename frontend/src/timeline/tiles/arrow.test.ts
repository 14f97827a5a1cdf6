import {
  columnFromArray,
  float32,
  float64,
  int32,
  tableFromColumns,
  tableToIPC,
  uint8,
  uint16,
  uint32,
  uint64,
  utf8,
} from "@uwdata/flechette";
import { describe, expect, it } from "vitest";
import { decodeTasks, decodeTimeline } from "./arrow.ts";
import { Kind } from "./tiles.ts";

function stream(
  rows: readonly (readonly [lane: number, kind: number, t0: number, t1: number, task: number])[],
  ...ofTask: readonly (readonly number[])[]
): Uint8Array {
  const column = (at: 0 | 1 | 2 | 3 | 4) => rows.map((row) => row[at]);
  const same = (value: number) => rows.map(() => value);
  const table = tableFromColumns({
    lane: columnFromArray(column(0), uint16()),
    kind: columnFromArray(column(1), uint8()),
    t0: columnFromArray(column(2), float64()),
    t1: columnFromArray(column(3), float64()),
    busy: columnFromArray(same(0.5), float32()),
    rt: columnFromArray(same(0.25), float32()),
    wait: columnFromArray(same(1.25), float32()),
    wait_max: columnFromArray(same(3), uint32()),
    task: columnFromArray(column(4), uint32()),
    count: columnFromArray(same(2), uint32()),
    ...(ofTask.length > 0 && {
      cpu: columnFromArray([...(ofTask[0] ?? [])], uint32()),
      waker_pid: columnFromArray([...(ofTask[1] ?? [])], int32()),
      cause: columnFromArray([...(ofTask[2] ?? [])], uint8()),
      blocked: columnFromArray(same(1.5), float32()),
      unknown: columnFromArray(same(0), float32()),
    }),
  });
  if (ofTask.length > 0) table.schema.metadata = new Map([["causes", "busy,throttled"]]);
  const bytes = tableToIPC(table, { format: "stream" });
  if (!bytes) throw new Error("no bytes were written");
  return bytes;
}

describe("decodeTimeline", () => {
  it("splits an answer by lane and strip and keeps time ascending", () => {
    const bytes = stream([
      [1, Kind.Slice, 30, 40, 7],
      [1, Kind.Slice, 10, 20, 8],
      [0, Kind.Bucket, 0, 100, 0xffff_ffff],
      [1, Kind.Lost, 50, 60, 0xffff_ffff],
      [1, Kind.Wait, 0, 100, 0xffff_ffff],
    ]);
    const [node, cpu, empty] = decodeTimeline(bytes, 3, { from: 0, to: 100 }, 1);
    expect([...(node?.bars.t1 ?? [])]).toEqual([100]);
    expect(node?.bars.busy[0]).toBe(0.5);
    expect(cpu?.bars.rt[0]).toBe(0.25);
    expect([...(cpu?.bars.t0 ?? [])]).toEqual([10, 30]);
    expect([...(cpu?.bars.task ?? [])]).toEqual([8, 7]);
    expect([...(cpu?.gaps.kind ?? [])]).toEqual([Kind.Lost]);
    expect(cpu?.waits.wait[0]).toBe(1.25);
    expect(empty?.bars.length).toBe(0);
    expect(empty?.span).toEqual({ from: 0, to: 100 });
  });

  it("keeps what only lanes of tasks have, and knows the causes by name", () => {
    const rows = [
      [0, Kind.Woken, 20, 30, 7],
      [0, Kind.Slice, 10, 20, 7],
    ] as const;
    const [lane] = decodeTimeline(stream(rows, [4, 3], [12, -1], [1, 255]), 1, { from: 0, to: 100 }, 1);
    const of = lane?.bars.ofTask;
    expect([...(of?.cpu ?? [])]).toEqual([3, 4]);
    expect([...(of?.wakerPid ?? [])]).toEqual([-1, 12]);
    expect(of?.causes[of.cause[1] ?? 255]).toBe("throttled");
    expect(of?.causes[of.cause[0] ?? 255]).toBeUndefined();
    expect(decodeTimeline(stream(rows), 1, { from: 0, to: 100 }, 1)[0]?.bars.ofTask).toBeNull();
  });

  it("keeps every ns of times beyond 32 bits", () => {
    const [lane] = decodeTimeline(
      stream([[0, Kind.Slice, 45_280_088_731, 45_280_088_732, 1]]),
      1,
      { from: 0, to: 1 },
      1,
    );
    expect(lane?.bars.t0[0]).toBe(45_280_088_731);
    expect(lane?.bars.t1[0]).toBe(45_280_088_732);
  });

  it("ignores lanes that were not asked for and takes an empty answer", () => {
    const [only] = decodeTimeline(stream([[9, Kind.Slice, 0, 1, 1]]), 1, { from: 0, to: 1 }, 1);
    expect(only?.bars.length).toBe(0);
    expect(decodeTimeline(stream([]), 2, { from: 0, to: 1 }, 1)).toHaveLength(2);
  });
});

describe("decodeTasks", () => {
  it("reads names as text, whatever they contain", () => {
    const table = tableFromColumns({
      task: columnFromArray([0, 1], uint32()),
      pid: columnFromArray([0, 774], int32()),
      comm: columnFromArray(["swapper/0", "<img src=x>"], utf8()),
      run_ns: columnFromArray([0n, 12_980_000_000n], uint64()),
      first_ns: columnFromArray([0n, 1n], uint64()),
      last_ns: columnFromArray([0n, 2n], uint64()),
    });
    const tasks = decodeTasks(tableToIPC(table, { format: "stream" }) ?? new Uint8Array());
    expect(tasks.length).toBe(2);
    expect(tasks.comm).toEqual(["swapper/0", "<img src=x>"]);
    expect([...tasks.pid]).toEqual([0, 774]);
    expect([...tasks.runNs]).toEqual([0, 12_980_000_000]);
  });
});
