import { expect, it } from "vitest";
import { nodesInWords } from "./index.tsx";

it("says in words what each node did in the window", () => {
  const means = new Map([[0, { busy: 0.97, wait: 17.23, peak: 33 }]]);
  const nodes = [0, 1].map((nid) => ({ nid, cpus: [] }));
  expect(nodesInWords({ means }, { nodes })).toBe(
    "Node 0: 97 % busy, 17.2 tasks waiting on average, 33 at most. Node 1: nothing known yet.",
  );
});
