import { expect, it } from "vitest";
import { nodesInWords } from "./index.tsx";
import { nodeLanes, withLlcs } from "./node-lane.ts";

it("says in words what each node did in the window", () => {
  const means = new Map([[0, { busy: 0.97, wait: 17.23, peak: 33 }]]);
  const nodes = [0, 1].map((nid) => ({ nid, cpus: [] }));
  expect(nodesInWords({ means }, { nodes })).toBe(
    "Node 0: 97 % busy, 17.2 tasks waiting on average, 33 at most. Node 1: nothing known yet.",
  );
});

it("groups a node's CPUs by last-level cache where it has more than one", () => {
  const nodes = [
    { nid: 0, cpus: [0, 1, 2, 3] },
    { nid: 1, cpus: [4, 5] },
  ];
  const llcs = [
    [0, 2],
    [1, 3],
    [4, 5],
  ];
  const grouped = withLlcs(nodes, llcs);
  const lanes = nodeLanes(grouped, new Set([0, 1]));
  expect(lanes.map(({ title }) => title)).toEqual([
    "node 0",
    "cpu 0, LLC 0",
    "cpu 2, LLC 0",
    "cpu 1, LLC 1",
    "cpu 3, LLC 1",
    "node 1",
    "cpu 4",
    "cpu 5",
  ]);
  // Air below each cache's CPUs.
  expect(lanes.filter(({ gap }) => gap !== undefined).map(({ key }) => key)).toEqual([
    "cpu:2",
    "cpu:3",
    "cpu:5",
  ]);
  expect(withLlcs(nodes, [])).toEqual(nodes);
});
