import { describe, expect, it } from "vitest";
import { decisionsText, decisionText } from "./task-history.tsx";

describe("decisions about a task", () => {
  it("are counted by kind", () => {
    const none = { attempts: 0, failed: 0, cling: 0, clung: 0, migrations: 0, node_changes: 0 };
    expect(decisionsText(none)).toBe("No attempt, cling decision or migration was recorded.");
    expect(decisionsText({ ...none, attempts: 5, failed: 2, migrations: 1, node_changes: 1 })).toBe(
      "5 attempts of NUMA balancing, 2 failed; 1 migration, 1 to another node.",
    );
    expect(decisionsText({ ...none, cling: 3, clung: 2 })).toBe("3 cling decisions, 2 kept it on its node.");
  });

  it("name both places and the outcome", () => {
    const way = { at_ns: "5", from_nid: 0, to_nid: 1 };
    expect(decisionText({ ...way, by: "attempt", verdict: "no_cpu" })).toBe("node 0 → 1: no CPU found");
    expect(decisionText({ ...way, to_nid: -1, by: "cling", busy: false })).toBe("node 0 → ?: clings");
    expect(decisionText({ ...way, by: "migration", how: "runnable", from_cpu: 1, to_cpu: 4 })).toBe(
      "CPU 1 → 4, node 0 → 1: moved while runnable",
    );
    expect(decisionText({ ...way, to_nid: 0, by: "migration", how: "waking", from_cpu: 1, to_cpu: 0 })).toBe(
      "CPU 1 → 0: placed by its wakeup",
    );
  });
});
