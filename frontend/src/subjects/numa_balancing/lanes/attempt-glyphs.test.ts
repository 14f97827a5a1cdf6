import { describe, expect, it } from "vitest";
import type { Attempt, BalancingSection, LatencySection, Wait } from "../../../api/types.ts";
import { laneMarks, Mark, markOf } from "./attempt-glyphs.ts";
import { attemptFact, markRows, waitFact } from "./mark-facts.ts";

const ORIGIN = 1_000n;
const ns = (t: number) => String(1_000 + t);

function attempt(t: number, change: Partial<Attempt> = {}): Attempt {
  return {
    start_ns: ns(t),
    end_ns: ns(t + 200),
    cpu: 2,
    pid: 751,
    comm: "ng_C",
    tgid: 751,
    ngid: 0,
    src_cpu: 2,
    src_nid: 0,
    dst_cpu: -1,
    dst_nid: -1,
    target_nid: 1,
    target_from: "two_nodes",
    verdict: "no_cpu",
    failed: true,
    ret: -11,
    partner: null,
    partner_comm: null,
    explanation: null,
    ...change,
  };
}

function wait(t: number, cpu: number): Wait {
  return {
    pid: 746,
    comm: "ng_A3",
    task: 1,
    waking_ns: ns(t - 90),
    switch_in_ns: ns(t),
    wait_ns: 90,
    cpu,
    from_cpu: cpu,
    nid: null,
    waker_pid: null,
    prio: 120,
    cgroup: null,
    causes: [{ cause: "busy", ns: 90 }],
    antagonists: [],
    others: null,
  };
}

const balancing = (attempts: Attempt[]) => ({ attempts }) as unknown as BalancingSection;
const latency = (worst: Wait[]) => ({ worst, label: "replayed" }) as unknown as LatencySection;
const nodeOf = (cpu: number) => (cpu < 4 ? 0 : 1);

describe("laneMarks", () => {
  it("puts an attempt on the CPU that made it and on the node it was to", () => {
    const { byLane } = laneMarks(balancing([attempt(50), attempt(10, { src_cpu: 3 })]), null, nodeOf, ORIGIN);
    expect([...byLane.keys()].sort()).toEqual(["cpu:2", "cpu:3", "node:1"]);
    expect([...(byLane.get("node:1")?.track.glyphs.t ?? [])]).toEqual([10, 50]);
    expect(byLane.get("node:1")?.event(1)).toMatchObject({ kind: "attempt", attempt: { src_cpu: 2 } });
  });

  it("puts a wait where it ended, and only the worst on the node", () => {
    const waits = Array.from({ length: 20 }, (_, i) => wait(1_000 - i, 5));
    const { byLane } = laneMarks(null, latency(waits), nodeOf, ORIGIN);
    expect(byLane.get("cpu:5")?.track.glyphs.length).toBe(20);
    expect(byLane.get("node:1")?.track.glyphs.length).toBe(12);
  });

  it("names each by what became of it", () => {
    const kinds = [
      attempt(0),
      attempt(0, { verdict: "moved", failed: false }),
      attempt(0, { verdict: "swapped", failed: false }),
      attempt(0, { verdict: "unknown", failed: null }),
    ].map((one) => markOf({ kind: "attempt", attempt: one }));
    expect(kinds).toEqual([Mark.Failed, Mark.Moved, Mark.Swapped, Mark.Unknown]);
  });
});

describe("facts", () => {
  it("of an attempt say how it ended; one of which the end is not known is inferred", () => {
    const { fact } = attemptFact(attempt(50));
    expect(fact.title).toBe("attempt failed");
    expect(fact.rows).toContainEqual(["ended", "no CPU found"]);
    expect(fact.label).toBe("observed");
    expect(attemptFact(attempt(0, { failed: null, verdict: "unknown" })).fact.label).toBe("inferred");
  });

  it("of a wait span it from its begin to its end", () => {
    const words = waitFact(wait(1_000, 5), "replayed");
    expect([words.from, words.to, words.fact.at]).toEqual([1_910n, 2_000n, 2_000n]);
  });

  it("of merged marks count each kind", () => {
    const rows = markRows([
      { kind: "attempt", attempt: attempt(0) },
      { kind: "attempt", attempt: attempt(1) },
      { kind: "wait", wait: wait(5, 1), label: "replayed" },
    ]);
    expect(rows).toContainEqual(["attempts, failed", "2"]);
    expect(rows).toContainEqual(["worst waits", "1"]);
  });
});
