import { describe, expect, it } from "vitest";
import type { PressureSection } from "../../../api/types.ts";
import {
  averagesText,
  cgroupRows,
  errorOf,
  errorText,
  microText,
  parseRules,
  RULES,
  rulesText,
  sampledAround,
  systemRows,
  verdict,
} from "./psi-table.ts";

const absent = { available: false, reason: "Nothing tells." } as const;
const total = (some_us: number | null, full_us: number | null): PressureSection["system"]["cpu"] => ({
  available: true,
  some_us,
  full_us,
  label: "replayed",
  missing: [],
});
const residual = {
  from_ns: "1",
  to_ns: "2",
  samples: 9,
  sampled_some_us: 1000,
  replayed_some_us: 1020,
  error_percent: 2,
  tolerance_percent: 1,
  within: false,
  pressure_percent: 12,
  sampled_full_us: 0,
  replayed_full_us: 40,
  check_tolerance_us: 20,
  check_within: true,
};
const residuals = { cpu: residual, memory: null, io: null };
const source: PressureSection["rules_source"] = {
  name: "uname of the recording",
  label: "observed",
  missing: [],
};
const system: PressureSection["system"] = {
  cpu: total(2000, 0),
  memory: absent,
  io: { available: true, some_us: 30, full_us: 20, label: "inferred", missing: ["in_iowait"] },
  irq: total(null, 70),
};

describe("pressure as a table", () => {
  it("puts the kernel's count beside the replay, and says why a resource has none", () => {
    const { rows, absent: without } = systemRows({ system, residual: residuals });
    expect(rows.map(({ resource, line }) => `${resource} ${line}`)).toEqual([
      "cpu some",
      "cpu full",
      "io some",
      "io full",
      "irq full",
    ]);
    expect(rows[0]).toMatchObject({
      windowUs: 2000,
      sampledUs: 1000,
      replayedUs: 1020,
      errorPercent: 2,
      within: false,
    });
    expect(rows.map(verdict)).toEqual(["differs", "", "not sampled", "not sampled", "not sampled"]);
    expect(rows[2]).toMatchObject({ label: "inferred", missing: ["in_iowait"], sampledUs: null });
    expect(without).toEqual([{ resource: "memory", reason: "Nothing tells." }]);
  });

  it("judges `some` only: the tolerance is not one of `full`, and nothing sampled is no error", () => {
    const { rows } = systemRows({ system, residual: residuals });
    expect(rows[1]).toMatchObject({
      within: null,
      tolerancePercent: null,
      errorPercent: null,
      replayedUs: 40,
    });
  });

  it("does not judge other rules by what the traced kernel counted", () => {
    expect(verdict({ within: false, sampledUs: 1, label: "what-if" })).toBe("other rules");
  });

  it("lists cgroups by path, or the reason why there are none", () => {
    const cgroups = { "/b": system, "/a": { ...system, cpu: absent, io: absent, irq: absent } };
    const rows = cgroupRows({ cgroups, cgroup_residual: { "/b": residuals } });
    expect("available" in rows ? [] : rows.map(({ key }) => key)).toEqual([
      "/b cpu some",
      "/b cpu full",
      "/b io some",
      "/b io full",
      "/b irq full",
    ]);
    expect("available" in rows ? null : rows[0]?.sampledUs).toBe(1000);
    expect(cgroupRows({ cgroups: absent, cgroup_residual: {} })).toEqual(absent);
  });

  it("gives errors the sign of the replay, and none where nothing was counted", () => {
    expect(errorOf(1000, 990)).toBe(-1);
    expect(errorOf(0, 990)).toBeNull();
    expect([0.56, -1.6, -0.001, 0, null].map(errorText)).toEqual([
      "+0.56 %",
      "−1.60 %",
      "0.00 %",
      "0.00 %",
      "–",
    ]);
    expect([1_204_331, 0, null].map(microText)).toEqual(["1,204,331 µs", "0 µs", "–"]);
  });

  it("tells rules and the averages in a sentence", () => {
    expect(RULES.map((rules) => parseRules(rules))).toEqual([...RULES]);
    expect(parseRules("2.6")).toBeNull();
    const rules_source = source;
    expect(rulesText({ rules: "5.17", rules_source })).toBe("of 5.17 to 6.3 (uname of the recording)");
    expect(rulesText({ rules: "9.9", rules_source })).toBe("of 9.9 (uname of the recording)");
    expect(
      averagesText({ updates: 27, exact: 20, worst: 0.007, skipped: 0, label: "replayed", missing: [] }),
    ).toBe(
      "27 updates of the averages predicted from the sampled totals, 20 with only one possible percentage: at most 0.007 from the kernel's values.",
    );
    expect(
      averagesText({ updates: 1, exact: 1, worst: 0, skipped: 2, label: "replayed", missing: [] }),
    ).toContain("2 updates left out");
    expect(averagesText(null)).toContain("cannot be checked");
  });
});

describe("the sampled range around a window", () => {
  // A sample each 100 ns.
  const sampled = { from_ns: "1000", to_ns: "2000", samples: 11 };

  it("has two samples around a window inside, and is at the edge for one outside", () => {
    expect(sampledAround(sampled, { from: 1450n, to: 1460n })).toEqual({ from: 1250n, to: 1660n });
    expect(sampledAround(sampled, { from: 100n, to: 200n })).toEqual({ from: 1000n, to: 1200n });
    expect(sampledAround(sampled, { from: 3000n, to: 3100n })).toEqual({ from: 1800n, to: 2000n });
  });

  it("is none where less than two samples were taken", () => {
    expect(sampledAround({ ...sampled, samples: 1 }, { from: 0n, to: 1n })).toBeNull();
  });
});
