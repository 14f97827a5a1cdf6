// Answers of the analysis sections made by hand, for states that no small recording has.
import type { Page, Route } from "@playwright/test";
import type { components } from "../../src/api/schema.ts";

type Schemas = components["schemas"];

/** The window of the sample, s of its clock. */
const S = 1_000_000_000;
const at = (seconds: number) => String(Math.round(seconds * S));

export interface MockedSlice {
  readonly pid: number;
  readonly comm: string;
  readonly task: number;
  readonly cpu: number;
  readonly start_ns: string;
}

const CAUSES = [
  { cause: "busy", ns: 2_104_331 },
  { cause: "idle_other_node", ns: 903_112 },
  { cause: "idle_same_node", ns: 410_008 },
  { cause: "pending_balance", ns: 120_400 },
  { cause: "softirq", ns: 31_207 },
  { cause: "wake_up", ns: 8_771 },
  { cause: "unknown", ns: 1 },
];
const WAIT_NS = CAUSES.reduce((sum, { ns }) => sum + ns, 0);

export function findings(): Schemas["FindingsSection"] {
  const base = {
    label: "replayed" as const,
    missing: [],
    nodes: [],
    tasks: 0,
    pids: [],
    cgroup: null,
    what_if: null,
  };
  const once = (from: number, to: number, cost_ms: number) => ({
    count: 1,
    cost_ms,
    worst: [{ from_ns: at(from), to_ns: at(to), cost_ms, tasks: 0, pids: [], cpus: [] }],
  });
  return {
    available: true,
    from_ns: at(8),
    to_ns: at(52),
    headline: {
      summary: "4 CPUs, 31 % busy, tasks waited for 12 % of their runnable time; longest wait 96.2 ms.",
      cpus: 4,
      busy_percent: 31,
      waiting_ms: 5200,
      longest_wait_ms: 96.2,
      offline: [],
    },
    other_waiting: { ms: 1204, percent: 23 },
    quality: [],
    findings: [
      {
        ...base,
        id: "NUMA_NODE_STACKING",
        severity: "high",
        from_ns: at(16.5),
        to_ns: at(22.6),
        impact_ms: 3204,
        nodes: [1],
        tasks: 3,
        pids: [774, 775, 776],
        what_if: { label: "what-if", waiting_ms: 1996, longest_wait_ms: 42.3 },
        occurrences: {
          count: 21,
          cost_ms: 3590,
          worst: [
            { from_ns: at(16.5), to_ns: at(22.6), cost_ms: 2804, tasks: 3, pids: [774, 775], cpus: [2, 3] },
            { from_ns: at(30), to_ns: at(30.5), cost_ms: 400, tasks: 1, pids: [776], cpus: [3] },
          ],
        },
        summary: "Node 1 was busy for 6.1 s: 41 tasks waited 3.2 CPU-s there while node 0 idled 18 %.",
      },
      {
        ...base,
        id: "CGROUP_THROTTLE",
        label: "inferred",
        missing: ["cgroup membership before 9.2 s"],
        severity: "medium",
        from_ns: at(40),
        to_ns: at(42),
        impact_ms: 512.4,
        occurrences: once(40, 42, 512.4),
        cgroup: "/batch/nightly",
        summary: "Cgroup /batch/nightly was throttled for 0.5 s of 2 s while three CPUs were idle.",
      },
      {
        ...base,
        id: "CPU_SOME_WAKE_ONLY",
        severity: "low",
        from_ns: at(30),
        to_ns: at(33),
        impact_ms: 0.42,
        occurrences: once(30, 33, 0.42),
        summary: "63 % of the CPU pressure in these 3 s was wake latency on CPUs that ran nothing else.",
      },
    ],
  };
}

export function latency(slice: MockedSlice): Schemas["LatencySection"] {
  const end = BigInt(slice.start_ns);
  const wait = (ns: number, change: Partial<Schemas["Wait"]> = {}): Schemas["Wait"] => ({
    task: slice.task,
    pid: slice.pid,
    comm: slice.comm,
    waking_ns: String(end - BigInt(ns)),
    switch_in_ns: String(end),
    wait_ns: ns,
    cpu: slice.cpu,
    from_cpu: slice.cpu,
    nid: 0,
    waker_pid: 12,
    prio: 120,
    causes: [{ cause: "busy", ns }],
    antagonists: [],
    others: null,
    cgroup: null,
    ...change,
  });
  const worst = [
    wait(WAIT_NS, {
      from_cpu: 6,
      causes: CAUSES,
      antagonists: [
        { task: 1, pid: 779, comm: "ng_B.1", ns: 2_104_331 },
        { task: 2, pid: 31, comm: "ksoftirqd/3", ns: 31_207 },
      ],
      others: { tasks: 4, ns: 1_204 },
    }),
    ...Array.from({ length: 120 }, (_, i) =>
      wait(3_000_000 - i * 20_000, { pid: 900 + i, comm: `worker/${i}`, cpu: i % 8, nid: i % 8 < 4 ? 0 : 1 }),
    ),
  ];
  const numbers = {
    error_percent: 0,
    wait_ns: 412_004_112,
    p50_ns: 4_120,
    p90_ns: 81_004,
    p99_ns: 1_204_331,
    max_ns: WAIT_NS,
  };
  const group = {
    ...numbers,
    count: 8211,
    causes: CAUSES,
    preempted: 12,
    preempted_ns: 4_104_331,
    preempted_causes: [],
    all: numbers,
  };
  return {
    available: true,
    label: "replayed",
    missing: [],
    from_ns: at(8),
    to_ns: at(52),
    wakeups: 118_204,
    tasks: 133,
    ...numbers,
    causes: CAUSES.map(({ cause, ns }) => ({ cause, ns: ns * 900 })),
    worst,
    preempted: {
      ...numbers,
      causes: CAUSES.slice(0, 3),
      count: 3_104,
      p50_ns: 212_000,
      p90_ns: 2_900_000,
      p99_ns: 3_900_000,
      max_ns: 4_000_000,
      worst: [wait(4_000_000)],
    },
    new: { ...numbers, causes: CAUSES.slice(0, 2), count: 21, max_ns: 40_112, worst: [wait(40_112)] },
    unfinished: {
      ...numbers,
      causes: [{ cause: "throttled", ns: numbers.wait_ns }],
      count: 2,
      worst: [wait(9_000_000, { causes: [{ cause: "throttled", ns: 9_000_000 }] })],
    },
    edges: { begun_before: 3, open_at_end: 2, wait_ns: 1_250_000 },
    by_task: [
      { ...group, task: slice.task, pid: slice.pid, comm: slice.comm },
      { ...group, task: 4, pid: 31, comm: "ksoftirqd/3", count: 12, causes: [] },
    ],
    by_node: [
      { ...group, nid: 0 },
      { ...group, nid: 1, count: 90 },
    ],
    by_cgroup: [],
  };
}

export function pressure(rules: string | null): Schemas["PressureSection"] {
  const label = rules === null ? "replayed" : "what-if";
  const share = rules === "4.20" ? 0.02 : 0.05;
  // A point every 250 ms: a calm half and a busy half.
  const points = Array.from({ length: 176 }, (_, i) => {
    const seconds = 0.25 * (i + 1);
    const some = Math.round(1e6 * (share * seconds + (seconds > 20 ? 0.06 * (seconds - 20) : 0)));
    return {
      t_ns: at(7.4 + seconds),
      some_total_us: some,
      full_total_us: 0,
      some_avg10: 4.8,
      some_avg60: 4.1,
      some_avg300: 2.2,
      full_avg10: 0,
      full_avg60: 0,
      full_avg300: 0,
    };
  });
  const source: Schemas["EvidenceSource"] = {
    name: "kernel of the recording",
    label: "observed",
    missing: [],
  };
  return {
    available: true,
    from_ns: at(7.4),
    to_ns: at(52),
    rules: rules ?? "6.4",
    rules_source: rules === null ? source : { name: "chosen by you", label: "what-if", missing: [] },
    hz: 250,
    hz_source: { name: "250, the usual one", label: "inferred", missing: ["CONFIG_HZ"] },
    system: {
      cpu: { available: true, some_us: 4_204_331, full_us: 0, label, missing: [] },
      memory: { available: false, reason: "No event tells when tasks stalled on memory." },
      io: {
        available: true,
        some_us: 120_000,
        full_us: 80_000,
        label: "inferred",
        missing: ["in_iowait of sleeping tasks"],
      },
      irq: { available: false, reason: "The kernel of the recording does not count it." },
    },
    cgroups: { available: false, reason: "Nothing tells which task was in which cgroup." },
    series: { cpu: points, memory: [], io: [], label, missing: [] },
    nodes: [
      { nid: 0, cpu_some_ns: 2_100_000_000, cpu_full_ns: 0, nonidle_ns: 120_000_000_000, unknown_ns: 0 },
      { nid: 1, cpu_some_ns: 2_500_000_000, cpu_full_ns: 0, nonidle_ns: 140_000_000_000, unknown_ns: 0 },
    ],
    residual: {
      cpu: {
        from_ns: at(8.4),
        to_ns: at(51.9),
        samples: 174,
        sampled_some_us: 4_180_112,
        replayed_some_us: 4_203_521,
        error_percent: 0.56,
        tolerance_percent: 1,
        within: rules === null,
        pressure_percent: 9.4,
        sampled_full_us: 0,
        replayed_full_us: 0,
        check_tolerance_us: 83_602,
        check_within: true,
      },
      memory: null,
      io: null,
    },
    cgroup_residual: {},
    averages: { updates: 27, exact: 20, worst: 0.007, skipped: 2, label: "replayed", missing: [] },
    worker_source: { name: "the reads alone", label: "inferred", missing: ["workqueue_execute_start"] },
    lost_us: { cpu: 12_004, memory: 0, io: 0 },
  };
}

export function cgroupPressure(): Schemas["PressureSection"] {
  const whole = pressure(null);
  const { system } = whole;
  return {
    ...whole,
    cgroups: Object.fromEntries(
      Array.from({ length: 80 }, (_, i) => [`/batch/job-${String(i).padStart(2, "0")}`, system]),
    ),
  };
}

export function utilisation(step: number | null): Schemas["UtilisationSection"] {
  const step_ns = step ?? 5 * S;
  const count = Math.min(8192, Math.ceil((44 * S) / step_ns));
  const percent = (node: number) => Array.from({ length: count }, (_, i) => (node * 41 + i * 13) % 101);
  return {
    available: true,
    label: "replayed",
    missing: [],
    from_ns: at(8),
    to_ns: at(52),
    step_ns,
    nodes: [0, 1].map((nid) => ({
      nid,
      percent: percent(nid),
      average: 40 + nid * 12,
      busy_ns: 70 * S + 123,
      idle_ns: 105 * S,
      unknown_ns: 1_000_000,
    })),
    cpus: [],
    modes: null,
    imbalance: Array.from({ length: count }, (_, i) => ({
      from_ns: at(8 + (i * step_ns) / S),
      max_min: 12 + (i % 7),
      stdev: 6,
      hhi: 0.52,
    })),
    depth: {
      step_ns,
      nodes: [0, 1].map((nid) => ({
        nid,
        mean: Array.from({ length: 44 }, (_, i) => 1 + nid + Math.sin(i / 3)),
        max: Array.from({ length: 44 }, (_, i) => 3 + (i % 4)),
      })),
    },
  };
}

export function waste(): Schemas["WasteSection"] {
  const causes: Schemas["WasteSection"]["causes"] = [
    { cause: "numa_placement", ns: 2_104_331_004 },
    { cause: "balance_delay", ns: 902_001_112 },
    { cause: "affinity", ns: 41_003_001 },
  ];
  const cpu_ns = causes.reduce((sum, { ns }) => sum + ns, 0);
  return {
    available: true,
    label: "replayed",
    missing: [],
    from_ns: at(8),
    to_ns: at(52),
    cpu_seconds: cpu_ns / S,
    cpu_ns,
    causes,
    per_node: [
      { nid: 0, cpu_seconds: 2.1, cpu_ns: 2_104_331_004, causes: causes.slice(0, 1) },
      { nid: 1, cpu_seconds: 0.9, cpu_ns: 943_004_113, causes: causes.slice(1) },
    ],
    affine_cpu_seconds: 1.5,
    series: { step_ns: 5 * S, cpu_ns: [] },
  };
}

export type Answers = Partial<Record<string, (query: URLSearchParams) => unknown>>;

export function residency(): Schemas["ResidencySection"] {
  return {
    available: true,
    label: "replayed",
    missing: [],
    from_ns: at(8),
    to_ns: at(52),
    total: 133,
    tasks: Array.from({ length: 120 }, (_, i) => ({
      task: i,
      pid: 700 + i,
      comm: `worker/${i}`,
      run_ns: (120 - i) * 100_000_000,
      wait_ns: 41_003_001,
      nodes: [
        { nid: 0, run_ns: (120 - i) * 75_000_000 },
        { nid: 1, run_ns: (120 - i) * 25_000_000 },
      ],
      migrations_node: 1204 - i,
      cpus: 8,
    })),
  };
}

/** Answers sections by hand instead of the service; returns the requested addresses. */
export async function answerSections(page: Page, answers: Answers): Promise<URL[]> {
  const requests: URL[] = [];
  await page.route("**/sections/*", async (route: Route) => {
    const url = new URL(route.request().url());
    const answer = answers[/\/sections\/(\w+)$/.exec(url.pathname)?.[1] ?? ""];
    if (!answer) return route.fallback();
    requests.push(url);
    return route.fulfill({ json: answer(url.searchParams) });
  });
  return requests;
}

/** Answers of all sections. */
export function allAnswers(slice: MockedSlice): Answers {
  return {
    findings,
    latency: () => latency(slice),
    psi: (query) => pressure(query.get("psi_rules")),
    utilisation: (query) => utilisation(query.has("step_ns") ? Number(query.get("step_ns")) : null),
    residency,
    waste,
  };
}

/** A slice of the recording, for the end of a wait made by hand. */
export async function someSlice(address: string, id: string, pid: number): Promise<MockedSlice> {
  const answer = await fetch(
    `${address}/api/v1/analyses/${id}/slice/next?pid=${pid}&t_ns=${20 * S}&dir=next`,
  );
  if (!answer.ok) throw new Error(`no slice of ${pid}: ${answer.status}`);
  return (await answer.json()) as MockedSlice;
}
