import { describe, expect, it } from "vitest";
import { residencyTable } from "./index.tsx";

const task = {
  task: 3,
  pid: 774,
  comm: "ng_A",
  run_ns: 4_000_000,
  wait_ns: 1_204_331,
  nodes: [
    { nid: 1, run_ns: 3_000_000 },
    { nid: 0, run_ns: 1_000_000 },
  ],
  migrations_node: 1204,
  cpus: 8,
};

describe("residencyTable", () => {
  it("has a column for each node, also where a task never ran", () => {
    const table = residencyTable({ tasks: [task, { ...task, run_ns: 0, nodes: [] }] }, [0, 1, 2]);
    expect(table.rows[0]).toEqual(["ng_A", "774", "4 ms", "1.204 ms", "25 %", "75 %", "0 %", "1,204", "8"]);
    expect(table.rows[1]?.slice(4, 7)).toEqual(["–", "–", "–"]);
    expect(table.exact[0]).toEqual(["ng_A", 774, 4_000_000, 1_204_331, 1_000_000, 3_000_000, 0, 1204, 8]);
    for (const row of table.rows) expect(row).toHaveLength(table.head.length);
    for (const row of table.exact) expect(row).toHaveLength(table.exactHead.length);
    expect(Math.max(...table.right)).toBe(table.head.length - 1);
  });
});
