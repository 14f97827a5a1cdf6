/** What time was spent on, in words: causes of waits and of idle CPUs next to waiting tasks. */

import { formatDuration } from "./format.ts";

export interface CauseTime {
  readonly cause: string;
  readonly ns: number;
}

interface CauseWords {
  readonly words: string;
  /** One line and the kernel function. */
  readonly means: string;
}

/** In the order in which they are looked for: the first that applies has the nanosecond. */
const WAIT_CAUSES: Readonly<Record<string, CauseWords>> = {
  wake_up: {
    words: "wakeup path",
    means:
      "The wake-up was requested and the task was not on a runqueue yet (kernel: try_to_wake_up to ttwu_do_activate).",
  },
  unknown: {
    words: "not known",
    means:
      "Nobody can say what the CPU did: its events were lost or had not begun (kernel: ring_buffer_consume reports the loss).",
  },
  throttled: {
    words: "throttled",
    means:
      "A cgroup above it had used up cpu.max, or the task its real-time or deadline budget, whether its CPU was idle or busy (kernel: throttle_cfs_rq to unthrottle_cfs_rq, sched_rt_runtime_exceeded, dl_runtime_exceeded).",
  },
  idle_exit: {
    words: "idle exit",
    means:
      "Its CPU was idle and had to leave idle, switch, or be interrupted for it; at most 5 ms of a wait (kernel: cpuidle_idle_call, schedule_idle).",
  },
  idle_unexplained: {
    words: "idle CPU, unexplained",
    means:
      "Its own CPU stayed idle beyond the 5 ms that leaving idle may take, and nothing recorded tells why: often a quota of which there are no samples (kernel: do_idle, throttle_cfs_rq).",
  },
  steal: {
    words: "steal",
    means:
      "The host did not run its CPU; known where the host was recorded with its guest (kernel: record_steal_time).",
  },
  hardware_noise: {
    words: "hardware noise",
    means:
      "Its CPU ran nothing of the kernel's: hardware or firmware had it, or, in a guest, its host; known where the osnoise tracer ran (kernel: run_osnoise).",
  },
  interrupt: {
    words: "interrupt",
    means: "Its CPU served an interrupt (kernel: handle_irq_event).",
  },
  softirq: {
    words: "softirq",
    means: "Its CPU served a softirq (kernel: handle_softirqs, before 6.9 __do_softirq).",
  },
  newidle: {
    words: "newly idle balancing",
    means:
      "Its CPU had nothing to run and looked for tasks of other CPUs before it took this one; known where sched_balance_newidle or sched_balance_rq was probed (kernel: sched_balance_newidle).",
  },
  numa_scan: {
    words: "NUMA scan",
    means:
      "The task on its CPU scanned its own memory for NUMA balancing; known where task_numa_work was probed (kernel: task_numa_work).",
  },
  scx_stalled: {
    words: "stalled by its BPF scheduler",
    means:
      "The watchdog of sched_ext found that its BPF scheduler had not run it for the timeout, and disabled the scheduler (kernel: check_rq_for_timeouts).",
  },
  scx_queued: {
    words: "held by its BPF scheduler",
    means:
      "A BPF scheduler (sched_ext) had it while its CPU, or another that it may use, was idle: it was not dispatched (kernel: do_enqueue_task, balance_one).",
  },
  pinned: {
    words: "pinned",
    means:
      "Another task ran there, and other CPUs were idle, but none that this one may use: affinity, cpuset, or a kernel thread's binding (kernel: can_migrate_task, cpus_ptr).",
  },
  probably_pinned: {
    words: "probably pinned",
    means:
      "As pinned, but concluded: CPUs that would have pulled the task passed it over again and again (kernel: can_migrate_task, newidle_balance, nohz_idle_balance).",
  },
  pinned_behind_higher_class: {
    words: "pinned, behind higher class",
    means:
      "As pinned, and what ran there is a real-time, deadline or stop task (kernel: can_migrate_task, __pick_next_task).",
  },
  migration_cost: {
    words: "cache hot",
    means:
      "Another task ran there, other CPUs were idle, and the task had run less than 0.5 ms before: balancing leaves such a task (kernel: task_hot, sysctl_sched_migration_cost).",
  },
  pending_balance: {
    words: "load-balance delay",
    means:
      "Another task ran there, other CPUs were idle, and a balancing pass was raised and not finished (kernel: trigger_load_balance to run_rebalance_domains).",
  },
  kick_dropped: {
    words: "kick dropped",
    means:
      "Another task ran there, other CPUs were idle, and a kick that was to make one of them balance had raised no SCHED softirq (kernel: nohz_csd_func, nohz_balancer_kick).",
  },
  passed_over_same_node: {
    words: "passed over, same node",
    means:
      "Another task ran there while a CPU of the same node was idle, probably looked at the task and left it (kernel: can_migrate_task, newidle_balance).",
  },
  idle_same_node: {
    words: "idle CPU, same node",
    means:
      "Another task ran there while a CPU of the same node was idle that was not seen to look at it (kernel: select_idle_sibling, load_balance did not move it).",
  },
  numa_kept: {
    words: "kept for NUMA",
    means:
      "Another task ran there while CPUs of other nodes, and only they, were idle and probably left it, as NUMA balancing scans its memory (kernel: migrate_degrades_locality).",
  },
  imbalance_allowed: {
    words: "allowed imbalance",
    means:
      "Another task ran there while only CPUs of other nodes were idle and probably left it, as the kernel allows a small imbalance between nodes (kernel: calculate_imbalance, adjust_numa_imbalance).",
  },
  passed_over_other_node: {
    words: "passed over, other node",
    means:
      "Another task ran there while CPUs of other nodes, and only they, were idle, probably looked at the task and left it (kernel: find_busiest_group, can_migrate_task).",
  },
  idle_other_node: {
    words: "idle CPU, other node",
    means:
      "Another task ran there while CPUs of other nodes, and only they, were idle and were not seen to look at it (kernel: find_idlest_group, load_balance did not move it).",
  },
  behind_higher_class: {
    words: "behind higher class",
    means:
      "A real-time, deadline or stop task ran there, and no CPU was idle (kernel: __pick_next_task, rt_sched_class).",
  },
  not_eligible: {
    words: "not eligible",
    means:
      "No CPU was idle, and the last pick from its queue had left it, for it had had more than its share; known where pick_eevdf was probed (kernel: vruntime_eligible).",
  },
  later_deadline: {
    words: "later deadline",
    means:
      "No CPU was idle, and the last pick from its queue had taken one with an earlier virtual deadline (kernel: pick_eevdf, entity_before).",
  },
  slice_protected: {
    words: "behind a protected slice",
    means:
      "No CPU was idle, and the task on its CPU was let run on although this one was eligible and had the earlier deadline (kernel: protect_slice, RUN_TO_PARITY).",
  },
  busy: {
    words: "all CPUs busy",
    means: "Another task of its class ran there and no CPU was idle (kernel: pick_next_task).",
  },
};

const WASTE_CAUSES: Readonly<Record<string, CauseWords>> = {
  ilb_kick_dropped: {
    words: "kick dropped",
    means:
      "A CPU requested idle balancing and nobody served it (kernel: nohz_balancer_kick, nohz_idle_balance).",
  },
  numa_placement: {
    words: "NUMA placement",
    means:
      "The idle CPU was on another node than the waiting task (kernel: task_numa_migrate, load_balance).",
  },
  balance_delay: {
    words: "balance delay",
    means: "The idle CPU was on the node of the waiting task (kernel: load_balance, newidle_balance).",
  },
  affinity: {
    words: "affinity, or not known",
    means: "The task may not run there, or nothing tells whether it may (kernel: can_migrate_task).",
  },
};

const ORDER = [...Object.keys(WAIT_CAUSES), ...Object.keys(WASTE_CAUSES)];

export function causeWords(cause: string): string {
  return (WAIT_CAUSES[cause] ?? WASTE_CAUSES[cause])?.words ?? cause.replaceAll("_", " ");
}

export function causeMeaning(cause: string): string {
  return (
    (WAIT_CAUSES[cause] ?? WASTE_CAUSES[cause])?.means ??
    "A cause that this page does not know yet; the server is newer."
  );
}

/** Names the colour of a cause; one for each, the same everywhere. */
export function causeLook(cause: string): string {
  return ORDER.includes(cause) ? `cause-${cause.replaceAll("_", "-")}` : "cause-other";
}

export function sumOf(causes: readonly CauseTime[]): number {
  return causes.reduce((sum, { ns }) => sum + ns, 0);
}

/** Each cause once, with the time of all lists. */
export function addCauses(...lists: readonly (readonly CauseTime[])[]): CauseTime[] {
  const sums = new Map<string, number>();
  for (const { cause, ns } of lists.flat()) sums.set(cause, (sums.get(cause) ?? 0) + ns);
  return [...sums].map(([cause, ns]) => ({ cause, ns }));
}

/** The longest first; of two as long the one that is looked for first. */
export function rankCauses<T extends CauseTime>(causes: readonly T[]): T[] {
  return causes.filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns || place(a) - place(b));
}

function place({ cause }: CauseTime): number {
  const at = ORDER.indexOf(cause);
  return at < 0 ? ORDER.length : at;
}

/** The cause that took longest, with its share: `all CPUs busy 83 %`. Empty without causes. */
export function mainCause(causes: readonly CauseTime[]): string {
  const [first] = rankCauses(causes);
  if (!first) return "";
  const share = Math.round((100 * first.ns) / sumOf(causes));
  return share === 100 ? causeWords(first.cause) : `${causeWords(first.cause)} ${share} %`;
}

export interface CausePart extends CauseTime {
  /** Of the whole, in thousandths; the parts of a bar add up to 1000. */
  readonly permille: number;
}

/**
 * The parts of a bar that is filled to its end. What rounding leaves over goes to the parts that it took most from; a part
 * that is there keeps at least one thousandth, so that it can be seen and pointed at.
 */
export function causeParts(causes: readonly CauseTime[]): CausePart[] {
  const ranked = rankCauses(causes);
  const whole = sumOf(ranked);
  if (whole === 0) return [];
  const parts = ranked.map((cause) => {
    const exact = (1000 * cause.ns) / whole;
    const permille = Math.max(1, Math.floor(exact));
    return { cause: cause.cause, ns: cause.ns, permille, left: exact - permille };
  });
  let rest = 1000 - parts.reduce((sum, { permille }) => sum + permille, 0);
  while (rest !== 0) {
    const step = Math.sign(rest);
    const able = parts.filter(({ permille }) => step > 0 || permille > 1);
    const most = able.reduce((best, part) => (step * part.left > step * best.left ? part : best));
    most.permille += step;
    most.left -= step;
    rest -= step;
  }
  return parts.map(({ cause, ns, permille }) => ({ cause, ns, permille }));
}

/**
 * Whether causes add up to what they explain, in words; null when they do. It must never be shown: it would be a fault of
 * the engine, and then the page says so instead of drawing a full bar.
 */
export function sumProblem(causes: readonly CauseTime[], whole: number): string | null {
  const left = whole - sumOf(causes);
  if (left === 0) return null;
  const amount = formatDuration(Math.abs(left));
  return left > 0 ? `${amount} are not explained.` : `The causes are ${amount} longer than the wait.`;
}
