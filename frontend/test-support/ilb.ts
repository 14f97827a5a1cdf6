// Section `ilb` made by hand in the documented shape: idle masks, kicks of every fate, overdue balancing, on the sample's clock.
import type { IlbEvent, IlbSection } from "../src/api/types.ts";

const MS = 1_000_000n;
const FROM = 7_045_680_538n;
const TO = 52_315_179_273n;
const CPUS = 8;

/** A small generator, so that each run has the same kicks. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** The kick that the tests look for: dropped in a quiet second. */
export const DROPPED_AT = 30_400_000_000n;

const UNTOLD = {
  target: null,
  fate: null,
  arrived_ns: null,
  handled_ns: null,
  flags: null,
  why: null,
  jiffies: null,
  served: null,
  migrations: null,
};

export function ilb(): IlbSection {
  const next = numbers(7);
  const events: IlbEvent[] = [];
  const fates: IlbEvent["fate"][] = [
    "handled",
    "handled",
    "handled",
    "latched",
    "handled",
    "not_seen",
    "handled",
    "aborted",
  ];
  for (let t = FROM + 40n * MS; t < TO; t += BigInt(Math.floor(40 + 360 * next())) * MS) {
    // Nothing but the one kick around it.
    if (t > DROPPED_AT - 700n * MS && t < DROPPED_AT + 700n * MS) continue;
    const fate = next() < 0.06 ? "dropped" : (fates[Math.floor(next() * fates.length)] ?? "handled");
    const cpu = Math.floor(next() * CPUS);
    const arrived = t + BigInt(Math.floor(20_000 + 900_000 * next()));
    events.push({
      ...UNTOLD,
      t_ns: String(t),
      kind: "kick_sent",
      cpu,
      target: (cpu + 1 + Math.floor(next() * (CPUS - 1))) % CPUS,
      label: fate === "not_seen" ? "inferred" : "replayed",
      fate,
      arrived_ns: fate === "not_seen" ? null : String(arrived),
      handled_ns: fate === "handled" ? String(arrived + 140_000n) : null,
      flags: 3,
      why: "nr_running",
    });
    if (next() < 0.12) {
      events.push({
        ...UNTOLD,
        t_ns: String(t + 3n * MS),
        kind: "stale_next_balance",
        cpu,
        label: "replayed",
        jiffies: Math.floor(3 + 60 * next()),
      });
    }
  }
  events.push({
    ...UNTOLD,
    t_ns: String(DROPPED_AT),
    kind: "kick_sent",
    cpu: 1,
    target: 6,
    label: "replayed",
    fate: "dropped",
    arrived_ns: String(DROPPED_AT + 4_200_000n),
    handled_ns: null,
    flags: 3,
    why: "nr_running",
  });
  events.sort((a, b) => Number(BigInt(a.t_ns) - BigInt(b.t_ns)));
  const kicks = events.filter(({ kind }) => kind === "kick_sent");
  const count = (fate: string) => kicks.filter((kick) => kick.fate === fate).length;
  return {
    available: true,
    from_ns: String(FROM),
    to_ns: String(TO),
    label: "replayed",
    missing: [],
    model: "modern",
    kernel: "6.1.192-cling",
    hz: 250,
    cpus: CPUS,
    observation: {
      tick: { by: "made up", label: "inferred" },
      idle_entry: { by: "cpu_idle", label: "inferred" },
      kick: { by: "probe nohz_balancer_kick", label: "observed" },
      pass: { by: "made up", label: "inferred" },
      nr_running: { by: "run states", label: "replayed" },
      next_balance: { by: "made up", label: "inferred" },
    },
    kicks: {
      sent: kicks.length,
      handled: count("handled"),
      dropped: count("dropped"),
      latched: count("latched"),
      not_seen: count("not_seen"),
      blocked: 0,
      with_sender: kicks.length,
      label: "replayed",
      missing: [],
    },
    passes: { count: 0, kicked: 0, aborted: 0, migrations: null, label: "replayed" },
    blocked_ticks: 0,
    stale_next_balance: [],
    stale: null,
    idle_percent: null,
    idle_sampled: null,
    idle_vmstat: null,
    idle_difference: null,
    waste: { cpu_ms: 0, beside_waiting_cpu_ms: 0, windows: [], label: "replayed" },
    models: [],
    may: [],
    may_not: [],
    comparison: null,
    lost_gaps: 0,
    sched_ext: null,
    events,
    events_all: events.length,
    idle_mask: Array.from({ length: CPUS }, (_, cpu) => ({ cpu, spans: mask(next) })),
    thinned: false,
  };
}

function mask(next: () => number): [string, string][] {
  const spans: [string, string][] = [];
  let t = FROM + BigInt(Math.floor(300 * next())) * MS;
  while (t < TO) {
    const to = t + BigInt(Math.floor(1 + 220 * next() ** 3)) * MS;
    spans.push([String(t), String(to < TO ? to : TO)]);
    t = to + BigInt(Math.floor(4 + 900 * next() ** 2)) * MS;
  }
  return spans;
}
