import {
  columnFromArray,
  float32,
  float64,
  tableFromColumns,
  tableToIPC,
  uint8,
  uint16,
  uint32,
} from "@uwdata/flechette";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TimelineQuery } from "../../api/routes/timeline.ts";
import { TimelineSource } from "./timeline-source.ts";

const BOUNDS = { from: 0, to: 10_000_000 };
const LIMITS = { maxLanes: 4, maxPx: 4096 };

function emptyAnswer(): ArrayBuffer {
  const none = (type: Parameters<typeof columnFromArray>[1]) => columnFromArray([], type);
  const table = tableFromColumns({
    lane: none(uint16()),
    kind: none(uint8()),
    t0: none(float64()),
    t1: none(float64()),
    busy: none(float32()),
    rt: none(float32()),
    wait: none(float32()),
    wait_max: none(uint32()),
    task: none(uint32()),
    count: none(uint32()),
  });
  return (tableToIPC(table, { format: "stream" }) ?? new Uint8Array()).slice().buffer;
}

interface Call {
  readonly query: TimelineQuery;
  readonly signal: AbortSignal;
  readonly answer: () => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

function makeSource() {
  const calls: Call[] = [];
  const source = new TimelineSource(
    (query, signal) =>
      new Promise<ArrayBuffer>((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new DOMException("superseded", "AbortError")));
        const settle = async (act: () => void) => {
          act();
          await vi.advanceTimersByTimeAsync(0);
        };
        calls.push({
          query,
          signal,
          answer: () => settle(() => resolve(emptyAnswer())),
          fail: (error) => settle(() => reject(error)),
        });
      }),
    1000n,
    BOUNDS,
    LIMITS,
  );
  return { source, calls };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("TimelineSource", () => {
  it("asks once for what is shown, in absolute time, and not again once it is there", async () => {
    const { source, calls } = makeSource();
    const changed = vi.fn();
    source.onChange = changed;
    const view = { from: 1_000_000, to: 2_000_000 };
    source.want(["node:0", "cpu:1"], view, 1000);
    source.want(["node:0", "cpu:1"], view, 1000);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.query.lanes).toEqual(["node:0", "cpu:1"]);
    expect(Number(calls[0]?.query.from)).toBeLessThanOrEqual(1_000_000 + 1000);
    expect(source.loading).toBe(true);
    await calls[0]?.answer();
    expect(changed).toHaveBeenCalled();
    expect(source.loading).toBe(false);
    source.want(["node:0", "cpu:1"], { from: 1_200_000, to: 2_200_000 }, 1000);
    expect(calls).toHaveLength(1);
  });

  it("aborts a request that the view has left", () => {
    const { source, calls } = makeSource();
    source.want(["node:0"], { from: 0, to: 1_000_000 }, 1000);
    source.want(["node:0"], { from: 8_000_000, to: 9_000_000 }, 1000);
    expect(calls).toHaveLength(2);
    expect(calls[0]?.signal.aborted).toBe(true);
    expect(calls[1]?.signal.aborted).toBe(false);
  });

  it("lets a request finish that a zoom still needs, then asks for the finer one", async () => {
    const { source, calls } = makeSource();
    source.want(["node:0"], { from: 1_000_000, to: 3_000_000 }, 1000);
    source.want(["node:0"], { from: 1_500_000, to: 2_000_000 }, 1000);
    expect(calls).toHaveLength(1);
    await calls[0]?.answer();
    expect(calls).toHaveLength(2);
    expect(calls[0]?.signal.aborted).toBe(false);
  });

  it("asks only for lanes that are missing, and for no more than the server takes at once", async () => {
    const { source, calls } = makeSource();
    const view = { from: 1_000_000, to: 2_000_000 };
    source.want(["node:0"], view, 1000);
    await calls[0]?.answer();
    source.want(["node:0", "cpu:0", "cpu:1", "cpu:2", "cpu:3", "cpu:4"], view, 1000);
    expect(calls[1]?.query.lanes).toEqual(["cpu:0", "cpu:1", "cpu:2", "cpu:3"]);
    await calls[1]?.answer();
    expect(calls[2]?.query.lanes).toEqual(["cpu:4"]);
  });

  it("tells a failure, tries again by itself, and forgets it when all is well", async () => {
    const { source, calls } = makeSource();
    source.want(["node:0"], { from: 0, to: 1_000_000 }, 1000);
    await calls[0]?.fail(new Error("The server went away."));
    expect(source.problem).toBe("The server went away.");
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(calls).toHaveLength(2);
    await calls[1]?.answer();
    expect(source.problem).toBeNull();
  });

  it("keeps a view of the whole trace however far one wanders", async () => {
    const { source, calls } = makeSource();
    const overview = source.overview(["node:0"], 1000);
    await calls[0]?.answer();
    await overview;
    for (let i = 0; i < 20; i += 1) {
      const from = (i * 450_000) % 9_000_000;
      source.want(["node:0"], { from, to: from + 20_000 + i * 100 }, 1000);
      await calls.at(-1)?.answer();
    }
    const tiles = source.tiles("node:0");
    expect(tiles.length).toBeLessThanOrEqual(8);
    expect(tiles.some(({ span }) => span.from === BOUNDS.from && span.to === BOUNDS.to)).toBe(true);
  });

  it("is silent after it was closed", async () => {
    const { source, calls } = makeSource();
    source.want(["node:0"], { from: 0, to: 1_000_000 }, 1000);
    source.close();
    expect(calls[0]?.signal.aborted).toBe(true);
    source.want(["node:0"], { from: 0, to: 1_000_000 }, 1000);
    expect(calls).toHaveLength(1);
  });
});
