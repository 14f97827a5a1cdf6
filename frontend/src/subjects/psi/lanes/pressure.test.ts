import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  intervalAt,
  PEAK_UNIT,
  type PressureRows,
  pressureMeans,
  pressurePieces,
  pressureScale,
  pressureSeries,
  sampledCgroups,
  shareOf,
} from "./pressure.ts";
import { describePressure, describeReplay } from "./psi-panel.ts";
import { replays } from "./replay-source.ts";

const MS = 1_000_000;

interface Sample {
  readonly at: number;
  readonly some?: number;
  readonly full?: number;
  readonly resource?: string;
  readonly cgroup?: string;
  readonly input?: number;
}

function rowsOf(samples: readonly Sample[]): PressureRows {
  return {
    length: samples.length,
    input: samples.map(({ input }) => input ?? 0),
    at: Float64Array.from(samples, ({ at }) => at),
    cgroup: samples.map(({ cgroup }) => cgroup ?? ""),
    resource: samples.map(({ resource }) => resource ?? "cpu"),
    some: Float64Array.from(samples, ({ some }) => some ?? Number.NaN),
    full: Float64Array.from(samples, ({ full }) => full ?? Number.NaN),
  };
}

const SPAN = { from: 0, to: 1000 * MS };
const only = (samples: readonly Sample[], span = SPAN) => {
  const [series, ...others] = pressureSeries(rowsOf(samples), span);
  expect(others).toEqual([]);
  if (!series) throw new Error("no series was made");
  return series;
};

describe("pressureSeries", () => {
  it("takes the share between two samples from the totals alone", () => {
    const series = only([
      { at: 100 * MS, some: 5_000, full: 0 },
      { at: 200 * MS, some: 30_000, full: 10_000 },
      { at: 300 * MS, some: 30_000, full: 10_000 },
    ]);
    const { bars, gaps } = series.tile;
    expect([...bars.busy]).toEqual([0.25, 0]);
    expect([...bars.wait]).toEqual([Math.fround(0.1), 0]);
    expect(bars.waitMax[0]).toBe(0.25 * PEAK_UNIT);
    expect([...gaps.t0]).toEqual([0, 300 * MS]);
    expect([...gaps.t1]).toEqual([100 * MS, 1000 * MS]);
  });

  it("leaves a gap where nobody sampled, where totals fall, and where a total is missing", () => {
    const series = only([
      { at: 0, some: 0 },
      { at: 100 * MS, some: 10 },
      { at: 200 * MS, some: 20 },
      { at: 650 * MS, some: 30 },
      { at: 750 * MS, some: 5 },
      { at: 850 * MS, some: 6 },
      { at: 900 * MS },
      { at: 1000 * MS, some: 9 },
    ]);
    expect([...series.tile.bars.t0]).toEqual([0, 100 * MS, 750 * MS]);
    expect(intervalAt(series, 300 * MS)).toMatchObject({ gap: "pause", someUs: 10 });
    expect(intervalAt(series, 700 * MS)).toMatchObject({ gap: "reset", someUs: null });
    expect(intervalAt(series, 875 * MS)?.gap).toBe("reset");
  });

  it("knows resources without some or without full", () => {
    const irq = only([
      { at: 0, full: 0, resource: "irq" },
      { at: 100 * MS, full: 1_000, resource: "irq" },
    ]);
    expect([irq.hasSome, irq.hasFull]).toEqual([false, true]);
    expect(pressureMeans(irq, SPAN)).toEqual({ some: null, full: 0.01 });
    const old = only([
      { at: 0, some: 0 },
      { at: 100 * MS, some: 1_000 },
    ]);
    expect(pressureMeans(old, SPAN)).toEqual({ some: 0.01, full: null });
  });

  it("orders resources, keeps to the whole system, and to the input that sampled most", () => {
    const two = (sample: Omit<Sample, "at">) => [
      { at: 0, some: 0, ...sample },
      { at: 100 * MS, some: 50, ...sample },
    ];
    const series = pressureSeries(
      rowsOf([
        ...two({ resource: "io" }),
        ...two({ resource: "memory" }),
        ...two({ resource: "cpu", cgroup: "a.slice" }),
        ...two({ resource: "cpu", input: 3 }),
        { at: 5, some: 5, resource: "cpu", input: 1 },
      ]),
      SPAN,
    );
    expect(series.map(({ resource, input }) => [resource, input])).toEqual([
      ["cpu", 3],
      ["memory", 0],
      ["io", 0],
    ]);
    expect(pressureSeries(rowsOf(two({ cgroup: "b" }).concat(two({ cgroup: "a" }))), SPAN)[0]?.cgroup).toBe(
      "a",
    );
  });

  it("leaves out what has no time, and takes samples of one moment once", () => {
    const series = only([
      { at: 100 * MS, some: 10 },
      { at: Number.NaN, some: 99 },
      { at: 0, some: 0 },
      { at: 100 * MS, some: 10 },
    ]);
    expect([...series.at]).toEqual([0, 100 * MS]);
    expect(pressureSeries(rowsOf([{ at: Number.NaN, some: 1 }]), SPAN)).toEqual([]);
  });

  it("has exactly one answer for every moment, and sums that are the counter's", () => {
    const samples = fc.array(fc.record({ step: fc.integer({ min: 1, max: 400 }), stall: fc.nat(400_000) }), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(samples, fc.double({ min: -0.2, max: 1, noNaN: true }), (given, where) => {
        let at = 0;
        let some = 0;
        const series = only(
          given.map(({ step, stall }) => {
            at += step * MS;
            some += stall;
            return { at, some };
          }),
          { from: 0, to: at + MS },
        );
        const { bars, gaps, span } = series.tile;
        const edges = [...bars.t0, ...gaps.t0].sort((a, b) => a - b);
        const ends = [...bars.t1, ...gaps.t1].sort((a, b) => a - b);
        expect(edges[0]).toBe(span.from);
        expect(ends.at(-1)).toBe(span.to);
        expect(edges.slice(1)).toEqual(ends.slice(0, -1));
        const time = where * at;
        const interval = intervalAt(series, time);
        expect(interval && interval.from <= time && time < interval.to).toBe(true);
        let sum = 0;
        for (let i = 0; i + 1 < series.at.length; i += 1) {
          sum += intervalAt(series, series.at[i] ?? 0)?.someUs ?? 0;
        }
        expect(sum).toBe((series.some.at(-1) ?? 0) - (series.some[0] ?? 0));
      }),
    );
  });
});

describe("pressureMeans", () => {
  const series = only([
    { at: 0, some: 0 },
    { at: 100 * MS, some: 50_000 },
    { at: 200 * MS, some: 50_000 },
    { at: 300 * MS, some: 50_000 },
    { at: 900 * MS, some: 350_000 },
    { at: 1000 * MS, some: 450_000 },
  ]);

  it("weighs by time inside the window and leaves gaps out", () => {
    expect(pressureMeans(series, { from: 50 * MS, to: 150 * MS })?.some).toBeCloseTo(0.25, 12);
    expect(pressureMeans(series, { from: 200 * MS, to: 1000 * MS })?.some).toBeCloseTo(0.5, 12);
    expect(pressureMeans(series, { from: 400 * MS, to: 500 * MS })).toBeNull();
    expect(pressureMeans(series, { from: -10 * MS, to: 0 })).toBeNull();
  });

  it("speaks only for what was asked for", () => {
    expect(pressurePieces(series, { from: -5, to: 10 })[0]?.span).toEqual({ from: 0, to: 10 });
    expect(pressurePieces(series, { from: 1000 * MS, to: 1001 * MS })).toEqual([]);
  });

  it("tells a share above all as it is", () => {
    expect(shareOf({ from: 0, to: 1000 }, 1.01)).toBeCloseTo(1.01, 12);
    expect(shareOf({ from: 0, to: 1000 }, null)).toBeNull();
  });
});

describe("pressureScale", () => {
  it("is the lowest that cuts nothing off, also off shares above all", () => {
    const scaleFor = (stall: number) =>
      pressureScale([
        only([
          { at: 0, some: 0, full: 0 },
          { at: 100 * MS, some: stall, full: 0 },
        ]),
      ]);
    expect([0, 5_000, 5_100, 24_000, 60_000, 120_000].map(scaleFor)).toEqual([0.05, 0.05, 0.1, 0.25, 1, 1]);
    expect(pressureScale([])).toBe(0.05);
  });
});

describe("averages and cgroups", () => {
  const samples = [
    { at: 100 * MS, some: 0, full: 0 },
    { at: 200 * MS, some: 90_000, full: 0 },
    { at: 300 * MS, some: 90_000, full: 0 },
  ];
  const nothing = { some: new Float64Array(3).fill(Number.NaN), full: new Float64Array(3).fill(Number.NaN) };
  const rows: PressureRows = {
    ...rowsOf(samples),
    averages: {
      10: { some: Float64Array.of(4.5, 12.25, 11), full: Float64Array.of(0, 0, 0) },
      60: nothing,
      300: nothing,
    },
  };

  it("holds the kernel's average from one sample to the next", () => {
    const [series] = pressureSeries(rows, SPAN, { average: 10 });
    if (!series) throw new Error("no series was made");
    expect(series.average).toBe(10);
    expect([...series.tile.bars.busy]).toEqual([Math.fround(0.045), Math.fround(0.1225)]);
    const interval = intervalAt(series, 250 * MS);
    expect(interval && shareOf(interval, interval.someUs)).toBeCloseTo(0.1225, 12);
    expect(pressureMeans(series, { from: 100 * MS, to: 300 * MS })?.some).toBeCloseTo(
      (0.045 + 0.1225) / 2,
      12,
    );
    // What was counted says otherwise: an average is not made of it, nor it of an average.
    expect(pressureSeries(rows, SPAN)[0]?.average).toBeNull();
    expect(pressureSeries(rows, SPAN)[0]?.tile.bars.busy[0]).toBeCloseTo(0.9, 6);
  });

  it("has none of what the samples have not", () => {
    const [series] = pressureSeries(rows, SPAN, { average: 60 });
    expect([series?.hasSome, series?.hasFull]).toEqual([false, false]);
    expect(pressureSeries(rowsOf(samples), SPAN, { average: 10 })[0]?.hasSome).toBe(false);
  });

  it("takes the cgroup that is asked for", () => {
    const own = samples.flatMap((sample) => [
      sample,
      { ...sample, cgroup: "/a" },
      { ...sample, cgroup: "/b" },
    ]);
    expect(sampledCgroups(rowsOf(own))).toEqual(["", "/a", "/b"]);
    expect(pressureSeries(rowsOf(own), SPAN)[0]?.cgroup).toBe("");
    expect(pressureSeries(rowsOf(own), SPAN, { cgroup: "/b" })[0]?.cgroup).toBe("/b");
    expect(pressureSeries(rowsOf(own), SPAN, { cgroup: "/gone" })).toEqual([]);
  });
});

describe("describe pressure", () => {
  const MS = 1_000_000;
  const ORIGIN = 5_000_000_000n;
  const times = [100, 200, 300, 900].map((ms) => ms * MS);
  const [cpu] = pressureSeries(
    {
      length: 4,
      input: [1, 1, 1, 1],
      at: Float64Array.from(times),
      cgroup: ["", "", "", ""],
      resource: ["cpu", "cpu", "cpu", "cpu"],
      some: Float64Array.of(794_805, 795_124, 812_000, 812_500),
      full: Float64Array.of(0, 0, 3, 3),
    },
    { from: 0, to: 1000 * MS },
  );

  function at(time: number, placed: string | null = null) {
    if (!cpu) throw new Error("no series was made");
    return describePressure(cpu, time, ORIGIN, placed);
  }

  describe("describePressure", () => {
    it("gives the exact share, the stall time it was made of, and both ends", () => {
      expect(at(250 * MS)).toEqual({
        title: "pressure cpu",
        task: null,
        rows: [
          ["some", "16.88 % (16,876 µs)"],
          ["full", "<0.01 % (3 µs)"],
          ["from", "5.200000000 s"],
          ["to", "5.300000000 s"],
          ["duration", "100 ms (100,000,000 ns)"],
        ],
        label: "observed",
        note: null,
      });
    });

    it("says how sure the place in time is", () => {
      expect(at(250 * MS, "Placed by markers, ± 2 ms.")?.note).toBe("Placed by markers, ± 2 ms.");
    });

    it("tells a gap and why there is one", () => {
      expect(at(500 * MS)).toMatchObject({
        title: "pressure cpu: no samples",
        label: "observed",
        note: expect.stringContaining("No sample in this time range"),
      });
      expect(at(500 * MS)?.rows[0]).toEqual(["some", "0.08 % (500 µs)"]);
      expect(at(50 * MS)).toMatchObject({ label: null, note: "Sampling had not started." });
      expect(at(950 * MS)?.rows.map(([name]) => name)).toEqual(["from", "duration"]);
    });
  });

  describe("the replay beside the samples", () => {
    const point = (ms: number, some: number) => ({
      t_ns: String(ORIGIN + BigInt(ms * MS)),
      some_total_us: some,
      full_total_us: null,
    });
    const replayed = (label: string, missing: string[] = []) => {
      const [found] = replays(
        {
          series: { cpu: [point(200, 300), point(300, 17_000)], memory: [], io: [] },
          system: { cpu: { label, missing } },
        },
        { from: 0, to: 300 * MS },
        ORIGIN,
      );
      if (!found) throw new Error("no replay was made");
      return found;
    };

    it("adds its own share and label to what was counted, which stays observed", () => {
      if (!cpu) throw new Error("no series was made");
      const what = describePressure(cpu, 250 * MS, ORIGIN, null, replayed("replayed"));
      expect(what?.label).toBe("observed");
      expect(what?.rows).toContainEqual(["some, replayed", "16.70 % (16,700 µs)"]);
      expect(what?.rows.filter(([name]) => name.startsWith("full,"))).toEqual([]);
      const other = describePressure(cpu, 250 * MS, ORIGIN, null, replayed("what-if"));
      expect(other?.rows.map(([name]) => name)).toContain("some, what-if");
    });

    it("says nothing of a time that it does not speak for", () => {
      if (!cpu) throw new Error("no series was made");
      const what = describePressure(cpu, 600 * MS, ORIGIN, null, replayed("replayed"));
      expect(what?.rows.map(([name]) => name)).not.toContain("some, replayed");
      expect(describeReplay(replayed("replayed"), 600 * MS, ORIGIN)).toBeNull();
    });

    it("stands alone where nothing was sampled, with its label and what it lacks", () => {
      expect(describeReplay(replayed("inferred", ["in_iowait"]), 250 * MS, ORIGIN)).toEqual({
        title: "pressure cpu",
        task: null,
        rows: [
          ["some, inferred", "16.70 % (16,700 µs)"],
          ["from", "5.200000000 s"],
          ["to", "5.300000000 s"],
        ],
        label: "inferred",
        note: "Lacks in_iowait.",
      });
    });
  });
});

describe("pressure replay", () => {
  const MS = 1_000_000;
  const ORIGIN = 1_790_000_000_000_000_000n;
  const WINDOW = { from: 0, to: 1000 * MS };
  const at = (ms: number) => String(ORIGIN + BigInt(ms * MS));
  const point = (ms: number, some: number, full: number | null = null) => ({
    t_ns: at(ms),
    some_total_us: some,
    full_total_us: full,
  });
  const none = { cpu: [], memory: [], io: [] };
  const section = { available: true, label: "replayed", missing: [] };

  describe("the replayed totals as series", () => {
    it("count from the window's begin", () => {
      const [cpu] = replays(
        {
          series: { ...none, cpu: [point(250, 25_000), point(500, 25_000), point(1000, 525_000)] },
          system: { cpu: section },
        },
        WINDOW,
        ORIGIN,
      );
      expect([...(cpu?.series.tile.bars.busy ?? [])].map((share) => Number(share.toFixed(3)))).toEqual([
        0.1, 0, 1,
      ]);
      expect(cpu?.series).toMatchObject({ hasSome: true, hasFull: false });
      expect(cpu && intervalAt(cpu.series, 100 * MS)).toMatchObject({
        from: 0,
        to: 250 * MS,
        someUs: 25_000,
        gap: null,
      });
    });

    it("have no pauses: what lies between two moments is known", () => {
      const points = [10, 20, 30, 40, 900].map((ms) => point(ms, ms));
      const [cpu] = replays({ series: { ...none, cpu: points }, system: { cpu: section } }, WINDOW, ORIGIN);
      const interval = cpu && intervalAt(cpu.series, 500 * MS);
      expect(interval).toMatchObject({ gap: null, someUs: 860 });
      expect(interval && shareOf(interval, interval.someUs)).toBeCloseTo(0.001, 6);
    });

    it("keep the whole stall time, however it is cut", () => {
      fc.assert(
        fc.property(fc.array(fc.nat(900), { minLength: 1, maxLength: 40 }), (steps) => {
          let total = 0;
          const points = steps.map((us, i) => {
            total += us;
            return point(i + 1, total, 0);
          });
          const span = { from: 0, to: steps.length * MS };
          const [cpu] = replays({ series: { ...none, cpu: points }, system: { cpu: section } }, span, ORIGIN);
          const mean = cpu && pressureMeans(cpu.series, span);
          expect(((mean?.some ?? 0) * span.to) / 1000).toBeCloseTo(total, 3);
          expect(mean?.full).toBe(0);
        }),
      );
    });

    it("are called what the answer calls them, and inferred when it does not say", () => {
      const series = { cpu: [point(5, 1)], memory: [point(5, 1)], io: [point(5, 1)] };
      const system = { cpu: { ...section, label: "what-if" }, memory: { label: "best", missing: ["x"] } };
      expect(
        replays({ series, system }, WINDOW, ORIGIN).map(({ label, missing }) => [label, missing]),
      ).toEqual([
        ["what-if", []],
        ["inferred", ["x"]],
        ["inferred", []],
      ]);
    });
  });
});
