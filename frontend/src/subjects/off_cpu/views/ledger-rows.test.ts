import { describe, expect, it } from "vitest";
import type { LedgerCause } from "../../../api/types.ts";
import { ledgerGroups } from "./ledger-rows.ts";

function cause(id: string, ns: number, change: Partial<LedgerCause> = {}): LedgerCause {
  return { cause: id, title: id, resource: null, ns, by: [], provenance: "observed", ...change };
}

describe("the ledger of a task", () => {
  it("has the three states, whose causes add up to all time, the longest first", () => {
    const groups = ledgerGroups({
      states: {
        asleep: [cause("timer", 100), cause("disk", 500)],
        running: [cause("ran", 200)],
        runnable: [cause("busy", 200)],
      },
    });
    expect(groups.map(({ state, ns }) => [state, ns])).toEqual([
      ["running", 200],
      ["runnable", 200],
      ["asleep", 600],
    ]);
    expect(groups[2]?.rows.map((row) => [row.cause.cause, row.share])).toEqual([
      ["disk", 0.5],
      ["timer", 0.1],
    ]);
    expect(groups.flatMap(({ rows }) => rows).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
  });

  it("joins the resources of a cause, and the time of who was behind them", () => {
    const [, , asleep] = ledgerGroups({
      states: {
        asleep: [
          cause("disk", 10, { resource: "nvme0", by: [{ pid: 1, comm: "a", ns: 4 }] }),
          cause("disk", 30, {
            resource: "nvme1",
            provenance: "inferred",
            by: [
              { pid: 2, comm: "b", ns: 9 },
              { pid: 1, comm: "a", ns: 6 },
            ],
          }),
        ],
      },
    });
    expect(asleep?.rows.map((row) => row.cause)).toEqual([
      cause("disk", 40, {
        resource: "nvme0, nvme1",
        provenance: "inferred",
        by: [
          { pid: 1, comm: "a", ns: 10 },
          { pid: 2, comm: "b", ns: 9 },
        ],
      }),
    ]);
  });

  it("has no shares of no time", () => {
    expect(ledgerGroups({ states: {} }).map(({ share, rows }) => [share, rows.length])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });
});
