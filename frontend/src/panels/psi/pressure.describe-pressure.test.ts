import { describe, expect, it } from "vitest";
import { pressureSeries } from "./pressure.ts";
import { describePressure, describeReplay } from "./psi-panel.ts";
import { replays } from "./replay-source.ts";

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
      note: expect.stringContaining("No sample in between"),
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
