import { describe, expect, it } from "vitest";
import {
  type BalancerCounters,
  type BalancerSearches,
  domainTable,
  movedSentence,
  searchingCpuTable,
  searchTable,
  stepTable,
} from "./index.tsx";

describe("what the load balancer counted", () => {
  const section: Pick<BalancerCounters, "domains" | "steps" | "moved"> = {
    domains: [
      {
        domain: 1,
        name: "NUMA",
        kind: "newidle",
        cpus: 8,
        count: 1234,
        balanced: 1200,
        failed: 4,
        gained: 30,
        hot_gained: 2,
      },
      {
        domain: 0,
        name: null,
        kind: "active",
        cpus: 8,
        count: 3,
        balanced: null,
        failed: 1,
        gained: 2,
        hot_gained: null,
      },
    ],
    steps: [{ from_ns: "1000000000", to_ns: "2000000000", count: 1234, gained: 30 }],
    moved: { counted: 30, migrations: 1, label: "observed", missing: [] },
  };

  it("is a row for each domain, with nothing for what is not counted", () => {
    expect(domainTable(section).rows).toEqual([
      ["1 NUMA", "newidle", "8", "1,234", "1,200", "4", "30", "2"],
      ["0", "active", "8", "3", "–", "1", "2", "–"],
    ]);
    expect(stepTable(section).rows[0]?.slice(2)).toEqual(["1,234", "30"]);
  });

  it("is shown with the migrations of the recording", () => {
    expect(movedSentence(section)).toMatch(
      /^The balancer counted 30 tasks as moved; the recording has 1 migration of runnable/,
    );
    expect(movedSentence({ moved: null })).toBe("Which tasks were moved was not recorded.");
  });
});

describe("what looking for tasks cost", () => {
  const section: Pick<BalancerSearches, "domains" | "cpus"> = {
    domains: [
      {
        searcher: "newidle",
        domain_cpus: 4,
        count: 1234,
        pulled: 14,
        tasks: 15,
        ns: 5_471_652,
        in_vain_ns: 4_453_144,
        longest_ns: 2_620_520,
        longest_at_ns: "100029387390",
        longest_cpu: 2,
      },
      {
        searcher: "other",
        domain_cpus: null,
        count: 0,
        pulled: 0,
        tasks: 0,
        ns: 0,
        in_vain_ns: 0,
        longest_ns: 0,
        longest_at_ns: null,
        longest_cpu: null,
      },
    ],
    cpus: [
      { cpu: 0, newidle_ns: 1_000_000, search_ns: 2_000_000, searches: 3, percent: 0.256 },
      { cpu: 1, newidle_ns: null, search_ns: 0, searches: 0, percent: 0 },
    ],
  };

  it("is a row for who looked in which domain, with nothing for what is not recorded", () => {
    const [newidle, other] = searchTable(section).rows;
    expect(newidle?.slice(0, 8)).toEqual([
      "newly idle",
      "4",
      "1,234",
      "14",
      "15",
      "5.472 ms",
      "4.453 ms",
      "2.621 ms",
    ]);
    expect(other?.slice(0, 2)).toEqual(["idle, for another CPU", "–"]);
    expect(other?.[8]).toBe("–");
  });

  it("is a row for each CPU", () => {
    expect(searchingCpuTable(section).rows).toEqual([
      ["0", "1 ms", "3", "2 ms", "0.26 %"],
      ["1", "–", "0", "0 ns", "0.00 %"],
    ]);
  });
});
