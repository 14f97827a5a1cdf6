import { expect, it } from "vitest";
import { nodesInWords } from "./index.tsx";
import { fitNodes, nodeLanes, withLlcs } from "./node-lane.ts";

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

/** Nodes of as many CPUs each. */
function machine(nodes: number, cpus: number) {
  return Array.from({ length: nodes }, (_, nid) => ({
    nid,
    cpus: Array.from({ length: cpus }, (_, i) => nid * cpus + i),
  }));
}

/** Height of all lanes, CSS pixels. */
function heightOf(nodes: ReturnType<typeof machine>, room: number, first: number | null): number {
  const { open, min } = fitNodes(nodes, room, first);
  const lanes = nodeLanes(nodes, new Set(open), min);
  return lanes.reduce((sum, lane) => sum + lane.min + (lane.gap ?? 0), 0);
}

it("opens all nodes where they fit, and at least the one that is asked for", () => {
  const nodes = machine(2, 4);
  expect(fitNodes(nodes, 420, null)).toEqual({ open: [0, 1], min: 84 });
  expect(fitNodes(nodes, 290, 1).open).toEqual([1]);
  expect(fitNodes(nodes, 290, null).open).toEqual([0]);
  expect(fitNodes(nodes, 150, 1).open).toEqual([]);
  for (const room of [120, 200, 290, 350, 420]) expect(heightOf(nodes, room, 1)).toBeLessThanOrEqual(room);
});

it("folds the nodes of a large machine, and makes them lower so that all are seen", () => {
  const large = machine(8, 48);
  expect(fitNodes(large, 450, 3)).toEqual({ open: [], min: 46 });
  expect(heightOf(large, 450, 3)).toBeLessThanOrEqual(450);
  // One node of many is opened only where it fits.
  expect(fitNodes(machine(2, 48), 2000, 1).open).toEqual([1]);
  expect(fitNodes(machine(2, 48), 2000, null).open).toEqual([]);
});

it("counts the air between a node's last-level caches", () => {
  const [node] = withLlcs(machine(1, 4), [
    [0, 1],
    [2, 3],
  ]);
  const nodes = node ? [node] : [];
  const least = 54 + 10 + 4 * 26 + 10;
  expect(fitNodes(nodes, least, null).open).toEqual([0]);
  expect(fitNodes(nodes, least - 1, null).open).toEqual([]);
});
