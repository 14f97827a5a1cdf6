import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  aboutText,
  costLeftOut,
  findingMatches,
  findingSpan,
  groupFindings,
  impactText,
  type Keyed,
  keyFindings,
  kindText,
  occurrenceText,
  otherWaitingText,
  type RankedFinding,
  stepFinding,
  stepPlace,
  summaryParts,
} from "./findings.ts";

const finding = (change: Partial<RankedFinding> = {}): RankedFinding => ({
  id: "MEM_FULL_EPISODE",
  severity: "medium",
  from_ns: "9000000000",
  to_ns: "9500000000",
  impact_ms: 10,
  ...change,
});

const some: fc.Arbitrary<RankedFinding> = fc.record({
  id: fc.constantFrom("A", "B", "CGROUP_THROTTLE"),
  severity: fc.constantFrom("high", "medium", "low", "odd"),
  from_ns: fc.constantFrom("5", "18446744073709551000", "18446744073709551001"),
  to_ns: fc.constant("18446744073709551002"),
  impact_ms: fc.constantFrom(0, 1.5, 700),
});

describe("findings of one kind", () => {
  it("are one group, which stands where the worst of them does", () => {
    const ranked = keyFindings([
      finding({ id: "A", impact_ms: 9 }),
      finding({ id: "B", impact_ms: 7, from_ns: "1" }),
      finding({ id: "B", impact_ms: 5 }),
    ]);
    expect(groupFindings(ranked).map(({ id, findings }) => [id, findings.map(({ key }) => key)])).toEqual([
      ["A", ["A@9000000000"]],
      ["B", ["B@1", "B@9000000000"]],
    ]);
  });
});

describe("occurrences", () => {
  const place = (from_ns: string) => ({ from_ns, to_ns: "99", cost_ms: 1, tasks: 1, pids: [7], cpus: [0] });
  const placed = (id: string, impact_ms: number, worst: readonly string[]) => ({
    ...finding({ id, impact_ms }),
    occurrences: { worst: worst.map(place) },
  });
  const ranked = keyFindings([placed("A", 9, ["5", "3"]), placed("B", 7, ["4"])]);

  it("that cost more than the finding say so, and why", () => {
    const of = (impact_ms: number, cost_ms: number) => costLeftOut({ impact_ms, occurrences: { cost_ms } });
    expect(of(362_000, 793_000)).toMatch(/^of 793 s: excluding time counted by other findings/);
    // What only differs beyond the digits that are shown is the same.
    expect(of(362_000, 362_001)).toBeNull();
    expect(of(10, 10)).toBeNull();
    expect(of(10, 4)).toBeNull();
  });

  it("are gone through the worst first, then those of the next finding, and back", () => {
    const walk = (direction: "next" | "previous") => {
      const seen: string[] = [];
      let present: { key: string | null; place: number } = { key: null, place: 0 };
      for (;;) {
        const next = stepPlace(ranked, present, direction);
        if (!next) return seen;
        present = { key: next.keyed.key, place: next.place };
        seen.push(`${next.keyed.finding.id}${next.place}`);
      }
    };
    expect(walk("next")).toEqual(["A0", "A1", "B0"]);
    expect(walk("previous")).toEqual(["B0", "A1", "A0"]);
  });
});

describe("the ranked list", () => {
  it("keeps the engine's order and has a key of its own for each", () => {
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), (list) => {
        const keyed = keyFindings(list);
        expect(keyed.map(({ finding }) => finding)).toEqual(list);
        expect(new Set(keyed.map(({ key }) => key)).size).toBe(list.length);
      }),
    );
  });

  it("is gone through from end to end and back, and stops there", () => {
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), (list) => {
        const ranked = keyFindings(list);
        const walk = (direction: "next" | "previous") => {
          const seen: string[] = [];
          let key: string | null = null;
          for (let i = 0; i <= list.length; i += 1) {
            const next: Keyed<RankedFinding> | null = stepFinding(ranked, key, direction);
            if (!next) break;
            seen.push(next.key);
            key = next.key;
          }
          return seen;
        };
        const keys = ranked.map(({ key }) => key);
        expect(walk("next")).toEqual(keys);
        expect(walk("previous")).toEqual(keys.reverse());
      }),
    );
  });

  it("begins anew when the link names a finding that is not there any more", () => {
    const ranked = keyFindings([finding({ id: "A" }), finding({ id: "B", impact_ms: 1 })]);
    expect(stepFinding(ranked, "GONE@1", "next")?.finding.id).toBe("A");
    expect(stepFinding(ranked, "GONE@1", "previous")?.finding.id).toBe("B");
    expect(stepFinding([], null, "next")).toBeNull();
  });
});

describe("a finding's place and words", () => {
  it("keeps every ns of a clock beyond 2^53", () => {
    const span = findingSpan(
      { from_ns: "1790000000000000123", to_ns: "1790000000000000999" },
      1_790_000_000_000_000_000n,
    );
    expect(span).toEqual({ from: 123, to: 999 });
    expect(findingSpan({ from_ns: "50", to_ns: "50" }, 40n)).toEqual({ from: 10, to: 11 });
  });

  it("says what it cost", () => {
    expect(["0", "0.004", "0.42", "9.999", "3204.4"].map((ms) => impactText(Number(ms)))).toEqual([
      "–",
      "4 µs",
      "420 µs",
      "10 ms",
      "3.2 s",
    ]);
  });

  it("says whom it is about and of what kind it is", () => {
    expect(kindText("PSI_SPIKE_HIDDEN")).toBe("Short stall hidden by PSI averages");
    expect(kindText("IO_VS_MEM_REFAULT")).toBe("Slow I/O caused by refaults");
    expect(aboutText({ nodes: [1], tasks: 1, pids: [774], cgroup: null })).toBe("node 1 · pid 774");
    expect(aboutText({ nodes: [0, 1], tasks: 3, pids: [1, 2, 3], cgroup: "/batch" })).toBe(
      "nodes 0, 1 · 3 tasks · /batch",
    );
    expect(aboutText({ nodes: [], tasks: 14, pids: [1, 2, 3] })).toBe("14 tasks");
    expect(aboutText({ nodes: [], tasks: 0, pids: [] })).toBe("");
  });

  it("says of a place how many tasks and which CPUs, and of the rest how much it is", () => {
    expect(occurrenceText({ tasks: 3, cpus: [0, 1, 2, 7] })).toBe("3 tasks on CPUs 0-2,7");
    expect(occurrenceText({ tasks: 1, cpus: [4] })).toBe("1 task on CPU 4");
    expect(occurrenceText({ tasks: 0, cpus: [] })).toBe("");
    expect(otherWaitingText({ ms: 1204.25, percent: 12.4 })).toBe("1.2 s, 12 % of all waiting");
    expect(otherWaitingText({ ms: 0, percent: 0 })).toBe("none");
    expect(otherWaitingText(null)).toBe("not recorded");
  });

  it("is found by kind, node, pid, cgroup and words of its sentence", () => {
    const one = {
      ...finding(),
      nodes: [1],
      pids: [774],
      cgroup: "/batch/nightly",
      summary: "Memory stalled for 0.5 s.",
      label: "replayed",
    };
    for (const filter of ["", " mem FULL", "node 1", "774", "nightly stalled", "medium", "replayed"]) {
      expect(findingMatches(one, filter)).toBe(true);
    }
    for (const filter of ["node 2", "775", "nightly disk"]) expect(findingMatches(one, filter)).toBe(false);
  });
});

describe("a summary in parts", () => {
  it("begins with its first sentence, and lists the others", () => {
    expect(
      summaryParts(
        "None of 2 CPUs was idle while 58 tasks waited (5.5 ms). Waited most: a (1) 5.5 ms. b (2) ran.",
      ),
    ).toEqual({
      lead: "None of 2 CPUs was idle while 58 tasks waited (5.5 ms).",
      details: ["Waited most: a (1) 5.5 ms.", "b (2) ran."],
    });
    const plain = "Tasks waited for 5.1 ms: on node 1.";
    expect(summaryParts(plain)).toEqual({ lead: plain, details: [] });
  });
});
