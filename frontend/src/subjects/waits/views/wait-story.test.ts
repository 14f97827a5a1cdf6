import { describe, expect, it } from "vitest";
import type { WaitSection, WakeHop } from "../../../api/types.ts";
import {
  hopBefore,
  hopTask,
  momentText,
  STORY_HEAD,
  storyRows,
  stripEdges,
  stripSums,
  stripsSay,
  waitEvents,
  waitStrips,
} from "./wait-story.ts";

const hop: WakeHop = {
  t_ns: "1790000000000000220",
  pid: 20,
  comm: "server",
  cpu: 1,
  nid: 0,
  context: "task",
  slept_ns: "1790000000000000120",
  slept_in: "S",
  woken_ns: "1790000000000000200",
  ran_ns: "1790000000000000205",
  wait_ns: 5,
  preempted_ns: 0,
  label: "replayed",
  missing: [],
};
const section: WaitSection = {
  available: true,
  label: "replayed",
  missing: [],
  from_ns: "1790000000000000220",
  to_ns: "1790000000000000280",
  wait: {
    task: 3,
    pid: 10,
    comm: "ng_A",
    waking_ns: "1790000000000000220",
    switch_in_ns: "1790000000000000280",
    wait_ns: 60,
    cpu: 1,
    from_cpu: 0,
    nid: 0,
    waker_pid: 20,
    prio: 120,
    causes: [],
    antagonists: [],
    others: null,
    cgroup: null,
  },
  verdict: "Woken, ng_A (10) waited 60 ns on CPU 1.",
  began: "waking",
  ended: "ran",
  numa_group: null,
  segments: [
    {
      from_ns: "1790000000000000220",
      to_ns: "1790000000000000270",
      count: 1,
      causes: [{ cause: "busy", ns: 50 }],
    },
    {
      from_ns: "1790000000000000270",
      to_ns: "1790000000000000280",
      count: 3,
      causes: [
        { cause: "busy", ns: 2 },
        { cause: "idle_exit", ns: 8 },
      ],
    },
  ],
  stretches: [
    { from_ns: "1790000000000000220", to_ns: "1790000000000000270", cpu: 0, nid: 0, queued: true },
    { from_ns: "1790000000000000270", to_ns: "1790000000000000280", cpu: 1, nid: 0, queued: true },
  ],
  moves: [{ t_ns: "1790000000000000270", from_cpu: 0, to_cpu: 1, by_cpu: 1 }],
  moves_more: 0,
  runners: [
    {
      from_ns: "1790000000000000225",
      to_ns: "1790000000000000270",
      cpu: 0,
      count: 1,
      run_ns: 45,
      task: 4,
      pid: 30,
      comm: "spinner",
      tasks: 1,
      numa_group: 7,
    },
  ],
  idle_nodes: [
    {
      nid: 0,
      cpus: 2,
      idle_ns: 40,
      any_ns: 40,
      pieces: [{ from_ns: "1790000000000000240", to_ns: "1790000000000000280", count: 1, idle_ns: 40 }],
    },
  ],
  idle_cpus: [
    {
      cpu: 1,
      nid: 0,
      idle_ns: 40,
      allowed: null,
      pieces: [{ from_ns: "1790000000000000240", to_ns: "1790000000000000280", count: 1, idle_ns: 40 }],
    },
  ],
  idle_cpus_more: 0,
  idle_label: "inferred",
  idle_missing: ["cpus_allowed"],
  slept_ns: null,
  slept_in: null,
  chain: [hop],
  stop: "ran_already",
};

describe("the raw events behind a wait", () => {
  it("are those that name its task, and the switches on the CPUs that it was queued on", () => {
    const filter = waitEvents(section, { sched_switch: 9, sched_waking: 2 });
    expect(filter).toMatch(/^pid == 10 \|\| prev_pid == 10 \|\| next_pid == 10 \|\| /);
    expect(filter).toMatch(/event == sched_switch && cpu in (\d+,)*1$/);
  });

  it("are asked for by no field that the recording lacks", () => {
    expect(waitEvents(section, { sched_switch: 9 })).toMatch(/^prev_pid == 10/);
  });
});

describe("an opened wait", () => {
  const strips = waitStrips(section);

  it("is on a time axis of its own, to the nanosecond", () => {
    expect(strips.causes.map(({ from, to }) => [from, to])).toEqual([
      [0, 50],
      [50, 60],
    ]);
    expect(strips.moves).toEqual([{ at: 50, from: 0, to: 1 }]);
    expect(stripEdges(strips)).toEqual([0, 5, 50]);
  });

  it("adds up to the wait", () => {
    expect(stripSums(strips)).toEqual([
      { cause: "busy", ns: 52 },
      { cause: "idle_exit", ns: 8 },
    ]);
    expect(stripSums(strips).reduce((sum, { ns }) => sum + ns, 0)).toBe(section.wait.wait_ns);
  });

  it("tells of any moment everything that held then", () => {
    expect(momentText(strips, 10)).toBe(
      "+10 ns; all CPUs busy (50 ns, +0 ns to +50 ns); queued on CPU 0; spinner 30 of numa group 7 ran there, 45 ns; no CPU idle",
    );
    expect(momentText(strips, 55)).toBe(
      "+55 ns; 3 parts together: idle exit 8 ns, all CPUs busy 2 ns (10 ns, +50 ns to +60 ns); queued on CPU 1; 1 of 2 CPUs of node 0 idle",
    );
    expect(stripsSay(section, strips)).toContain("queued on CPU 0, then 1");
  });

  it("says of each waker what it had waited for", () => {
    expect(hopTask(hop)).toBe("CPU 1, node 0");
    expect(hopTask({ ...hop, context: "softirq", nid: null })).toBe("a softirq on CPU 1");
    expect(hopBefore(hop)).toMatch(
      /^had slept 80 ns \(.*\), waited 5 ns for its CPU, woke it 15 ns after it first ran$/,
    );
    const bare = { ...hop, slept_ns: null, woken_ns: null, ran_ns: null, wait_ns: null };
    expect(hopBefore(bare)).toBe("");
  });

  it("is a table with all its numbers", () => {
    const rows = storyRows(section);
    for (const row of rows) expect(row).toHaveLength(STORY_HEAD.length);
    expect(rows.map(([strip]) => strip)).toEqual([
      ...["cause", "cause", "cause", "queue", "queue", "ran", "idle", "woken_by"],
    ]);
    expect(rows.at(-1)?.slice(1, 4)).toEqual([
      1_790_000_000_000_000_200n,
      1_790_000_000_000_000_220n,
      "server",
    ]);
  });
});
