import { describe, expect, it } from "vitest";
import type { LatencySection, Wait } from "../api/types.ts";
import { CATALOGUE } from "../lib/catalogue.ts";
import { kindWords } from "./finding-words.ts";
import { claimedWaits, culpritOf, isAboutWaits, isOfPlace } from "./incident.ts";

const wait = (pid: number, cpu: number, causes: readonly (readonly [string, number])[]) =>
  ({
    pid,
    cpu,
    wait_ns: causes.reduce((sum, [, ns]) => sum + ns, 0),
    causes: causes.map(([cause, ns]) => ({ cause, ns })),
  }) as unknown as Wait;
const kind = (...worst: Wait[]) => ({ worst });
const latency = {
  ...kind(wait(1, 0, [["busy", 90]]), wait(2, 1, [["softirq", 20]])),
  preempted: kind(
    wait(3, 1, [
      ["interrupt", 30],
      ["busy", 40],
    ]),
  ),
  new: kind(),
  unfinished: kind(wait(4, 2, [["pinned", 500]])),
} as unknown as LatencySection;
const listed = (id: string | null, pids: number[] = [], cpus: number[] = []) =>
  claimedWaits(latency, { id, pids, cpus }).map(({ wait: { pid }, ns }) => [pid, ns]);

describe("the waits of a place", () => {
  it("of a finding about waiting are those with its causes, by how much of it they have", () => {
    expect(listed("CPU_SATURATED")).toEqual([
      [1, 90],
      [3, 40],
    ]);
    expect(listed("IRQ_STORM", [99])).toEqual([
      [3, 30],
      [2, 20],
    ]);
    expect(listed("CGROUP_THROTTLE")).toEqual([]);
  });

  it("of another are those of its tasks, else on its CPUs, else all, the longest first", () => {
    expect(listed("NUMA_LB_FIGHT", [3, 77])).toEqual([[3, 70]]);
    expect(listed("ILB_ABORTED", [], [1])).toEqual([
      [3, 70],
      [2, 20],
    ]);
    expect(listed("ILB_ABORTED", [], [63])).toHaveLength(4);
    expect(listed(null)[0]).toEqual([4, 500]);
  });

  it("are known of all findings whose cost is waiting by its causes", () => {
    const named = CATALOGUE.findings.filter(({ cost }) => cost === "that waiting").map(({ id }) => id);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((id) => !isAboutWaits(id))).toEqual([]);
  });
});

describe("victim and culprit", () => {
  it("are tasks that the finding is about", () => {
    expect(isOfPlace({ id: "REFAULTS", pids: [7] }, { pid: 7 })).toBe(true);
    expect(isOfPlace({ id: "REFAULTS", pids: [7] }, { pid: 44 })).toBe(false);
    expect(isOfPlace({ id: "LOADAVG_MISLEADING", pids: [] }, { pid: 44 })).toBe(true);
    expect(isOfPlace({ id: "CGROUP_THROTTLE", pids: [7] }, { pid: 44 })).toBe(true);
  });

  it("are not tasks that ran for little of the wait", () => {
    const antagonist = (ns: number) =>
      [{ pid: 68, comm: "tokio-rt-worker", ns }] as unknown as Wait["antagonists"];
    const { causes } = wait(1, 0, [["busy", 305]]);
    expect(culpritOf({ antagonists: antagonist(47), causes, wait_ns: 305 })?.pid).toBe(68);
    expect(culpritOf({ antagonists: antagonist(2), causes, wait_ns: 89 })).toBeNull();
    expect(culpritOf({ antagonists: [], causes, wait_ns: 89 })).toBeNull();
  });

  it("is not the task that ran while a quota held the waiting one back", () => {
    const antagonists = [{ pid: 68, comm: "rustc", ns: 41 }] as unknown as Wait["antagonists"];
    const culprit = (throttled: number, busy: number) => {
      const { causes, wait_ns } = wait(1, 0, [
        ["throttled", throttled],
        ["busy", busy],
      ]);
      return culpritOf({ antagonists, causes, wait_ns });
    };
    expect(culprit(84, 6)).toBeNull();
    expect(culprit(6, 84)?.pid).toBe(68);
  });
});

describe("words of findings", () => {
  describe("words of findings", () => {
    it("say of every kind of the catalogue what it means, with its kernel function", () => {
      expect(CATALOGUE.findings.length).toBeGreaterThan(25);
      for (const { id } of CATALOGUE.findings) {
        expect(kindWords(`${id}@5`).means, id).toMatch(/^[A-Z].*[.] Kernel: .+[.]$/);
      }
    });

    it("lead from slow requests to their tab", () => {
      for (const id of ["LOCK_HOLDER", "DISK_SLOW", "PEER_SLOW"]) {
        expect(kindWords(`${id}@5`).evidence.tab, id).toBe("requests");
      }
    });

    it("lead from a kind that this version does not know to the waits", () => {
      expect(kindWords("NEVER_HEARD_OF").evidence.tab).toBe("latency");
    });
  });
});
