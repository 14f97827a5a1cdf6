import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SqlAnswer } from "../../api/types.ts";
import {
  blockAt,
  counterColumns,
  MOST_DEPTH,
  MOST_LANES,
  mergeSlices,
  sqlTrack,
  whyNoTrack,
} from "./sql-track.ts";

type Kind = SqlAnswer["columns"][number]["kind"];

const ORIGIN = 9_007_199_254_740_993_000n;
const BOUNDS = { from: 0, to: 1000 };
const at = (t: number) => String(ORIGIN + BigInt(t));

function answer(columns: readonly [string, Kind][], rows: SqlAnswer["rows"], truncated = false): SqlAnswer {
  return {
    columns: columns.map(([name, kind]) => ({ name, kind })),
    rows,
    truncated,
    elapsed_ms: 1,
    trace: { events: 1, from_ns: null, to_ns: null, bytes: 1, load_ms: 0, loaded: "before" },
    notes: [],
  };
}

const SLICES: [string, Kind][] = [
  ["ts", "integer"],
  ["dur", "integer"],
  ["name", "text"],
];

describe("a query's rows as a track", () => {
  it("are slices in order of time, whatever the order of the rows, exact beyond 2^53", () => {
    const track = sqlTrack(
      answer(SLICES, [
        [at(300), "10", "c"],
        [at(100), "50", "a"],
        [at(200), "20", "b"],
      ]),
      ORIGIN,
      BOUNDS,
    );
    expect(track?.kind).toBe("slices");
    const [lane] = track?.lanes ?? [];
    expect(lane?.rows).toHaveLength(1);
    expect([...(lane?.rows[0]?.t0 ?? [])]).toEqual([100, 200, 300]);
    expect([...(lane?.rows[0]?.t1 ?? [])]).toEqual([150, 220, 310]);
    expect([...(lane?.rows[0]?.row ?? [])].map((row) => track?.nameOf(row))).toEqual(["a", "b", "c"]);
    expect(track?.note).toBeNull();
  });

  it("stand below each other where they overlap, ascending and apart on each row", () => {
    const spans = fc.array(fc.tuple(fc.nat(900), fc.nat(99)), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(spans, (made) => {
        const rows = made.map(([ts, dur]) => [at(ts), String(dur), "x"]);
        const [lane] = sqlTrack(answer(SLICES, rows), ORIGIN, BOUNDS)?.lanes ?? [];
        expect(lane?.count).toBe(made.length);
        expect(lane?.rows.reduce((sum, { length }) => sum + length, 0)).toBe(made.length);
        expect(lane?.rows.length).toBeLessThanOrEqual(MOST_DEPTH);
        lane?.rows.forEach(({ t0, t1, length }, depth) => {
          for (let i = 1; i < length; i += 1) {
            expect(t0[i]).toBeGreaterThanOrEqual(t0[i - 1] ?? 0);
            if (depth < MOST_DEPTH - 1) expect(t0[i]).toBeGreaterThanOrEqual(t1[i - 1] ?? 0);
          }
        });
      }),
    );
  });

  it("reach to the end of the recording where they have not ended", () => {
    const rows = [
      [at(100), "-1", "open"],
      [at(990), null, "unknown"],
    ];
    const [lane] = sqlTrack(answer(SLICES, rows), ORIGIN, BOUNDS)?.lanes ?? [];
    expect(lane?.rows.flatMap(({ t1 }) => [...t1])).toEqual([1000, 1000]);
  });

  it("have lanes by nid and cpu in the order of their numbers, counters also by name", () => {
    const columns: [string, Kind][] = [
      ["ts", "integer"],
      ["value", "real"],
      ["cpu", "integer"],
      ["name", "text"],
    ];
    const rows = [10, 2, 10].map((cpu, i) => [at(i * 10), i / 2, String(cpu), "busy"]);
    const track = sqlTrack(answer(columns, rows), ORIGIN, BOUNDS);
    expect(track?.lanes.map(({ name, count }) => [name, count])).toEqual([
      ["cpu 2 · busy", 1],
      ["cpu 10 · busy", 2],
    ]);
    expect(track?.lanes[1]?.scale).toEqual({ low: 0, high: 1 });
    // A value holds until the next one.
    expect([...(track?.lanes[1]?.rows[0]?.t1 ?? [])]).toEqual([20, 1000]);
    const many = Array.from({ length: MOST_LANES + 3 }, (_, i) => [at(i), 1, String(i), "busy"]);
    const cut = sqlTrack(answer(columns, [...many, [null, 1, "0", "busy"]], true), ORIGIN, BOUNDS);
    expect(cut?.lanes).toHaveLength(MOST_LANES);
    expect(cut?.note).toBe(
      "Only the first 28 rows are drawn, 1 row without a time or a value is left out, only the first 24 of 27 lanes are drawn.",
    );
  });

  it("are a counter where a value has a length, and named by what else they have", () => {
    const columns: [string, Kind][] = [
      ["ts", "integer"],
      ["dur", "integer"],
      ["nid", "integer"],
      ["value", "real"],
    ];
    const busy = answer(columns, [[at(1), "5", "0", 98.5]]);
    expect(sqlTrack(busy, ORIGIN, BOUNDS)?.kind).toBe("counter");
    const named = answer([...columns, ["name", "text"]], [[at(1), "5", "0", 98.5, "x"]]);
    expect(sqlTrack(named, ORIGIN, BOUNDS)?.kind).toBe("slices");
    const percent = answer([...columns.slice(0, 3), ["percent", "real"]], [[at(1), "5", "0", 98.5]]);
    const track = sqlTrack(percent, ORIGIN, BOUNDS);
    expect([track?.kind, track?.nameOf(0), track?.lanes[0]?.name]).toEqual([
      "slices",
      "percent 98.5",
      "node 0",
    ]);
  });

  it("are moments with ts alone, and nothing without", () => {
    const moments = sqlTrack(answer([["ts", "integer"]], [[at(5)], [at(1)]]), ORIGIN, BOUNDS);
    expect(moments?.kind).toBe("moments");
    expect([...(moments?.lanes[0]?.marks?.glyphs.t ?? [])]).toEqual([1, 5]);
    expect(moments?.nameOf(0)).toBe("row 1");
    const none = answer([["name", "text"]], [["x"]]);
    expect(sqlTrack(none, ORIGIN, BOUNDS)).toBeNull();
    expect(whyNoTrack(none)).toMatch(/needs a column ts/);
    expect(whyNoTrack(answer(SLICES, []))).toMatch(/no rows/);
    expect(whyNoTrack(answer([["ts", "text"]], [["x"]]))).toMatch(/needs a column ts/);
  });
});

const lane = (spans: readonly (readonly [number, number])[], value: readonly number[] = []) => ({
  length: spans.length,
  t0: Float64Array.from(spans, ([from]) => from),
  t1: Float64Array.from(spans, ([, to]) => to),
  row: Uint32Array.from(spans.keys()),
  value: Float64Array.from(spans, (_, i) => value[i] ?? 0),
});

describe("merged slices", () => {
  it("count every slice once, and leave wide ones alone", () => {
    const spans = fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { maxLength: 60 }).map((gaps) => {
      let t = 0;
      return gaps.map(([gap, long]) => {
        const from = t + gap;
        t = from + long;
        return [from, t] as const;
      });
    });
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 20 }), (made, perPixel) => {
        const blocks = mergeSlices(lane(made), perPixel);
        let next = 0;
        for (let i = 0; i < blocks.length; i += 1) {
          expect(blocks.first[i]).toBe(next);
          const count = blocks.count[i] ?? 0;
          for (let k = next; k < next + count && count > 1; k += 1) {
            expect((made[k]?.[1] ?? 0) - (made[k]?.[0] ?? 0)).toBeLessThan(3 * perPixel);
          }
          next += count;
        }
        expect(next).toBe(made.length);
      }),
    );
  });

  it("are as full as their slices were, and found under the pointer", () => {
    const blocks = mergeSlices(
      lane([
        [0, 1],
        [2, 3],
        [4, 6],
        [500, 900],
      ]),
      1,
    );
    expect([...blocks.count.slice(0, blocks.length)]).toEqual([3, 1]);
    expect(blocks.share[0]).toBeCloseTo(4 / 6);
    expect(blocks.share[1]).toBe(1);
    expect(blockAt(blocks, 3.5, 0)).toBe(0);
    expect(blockAt(blocks, 700, 0)).toBe(1);
    expect(blockAt(blocks, 300, 5)).toBe(-1);
    expect(blockAt(blocks, 497, 5)).toBe(1);
  });
});

describe("a counter by pixel columns", () => {
  it("has the mean by time, and lows and highs that no column hides", () => {
    const rows = lane(
      [
        [10, 14],
        [14, 14.5],
        [14.5, 40],
      ],
      [2, 100, -4],
    );
    const { low, high, mean } = counterColumns(rows, 0, 10, 5);
    expect(mean[0]).toBeNaN();
    expect(mean[1]).toBeCloseTo((4 * 2 + 0.5 * 100 + 5.5 * -4) / 10);
    expect([low[1], high[1]]).toEqual([-4, 100]);
    expect([low[2], high[2], mean[3]]).toEqual([-4, -4, -4]);
    expect(high[4]).toBeNaN();
  });
});
