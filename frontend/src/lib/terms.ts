import { formatAbs, formatDuration, formatTime } from "./format.ts";
import type { AbsNs } from "./time.ts";

/** One line for each word of the field that the page uses, with the kernel function it comes from. */

export const TERMS = {
  observed: "Read directly from recorded events (sched_switch: previous and next task; kernel: __schedule).",
  replayed:
    "Derived from recorded events by the kernel's own rules: which task is runnable on which CPU, from sched_switch, sched_wakeup and sched_migrate_task (kernel: __schedule, ttwu_do_activate, set_task_cpu).",
  inferred: "A replay with missing or assumed inputs, which are named.",
  "what-if": "Result of rules that the traced kernel did not use, applied to the recorded events.",
  pressure:
    "Pressure stall information: time in which tasks waited for a resource, counted by the kernel (kernel: psi_group_change).",
  some: "Time in which at least one task stalled on the resource (kernel: PSI_CPU_SOME, PSI_MEM_SOME, PSI_IO_SOME).",
  full: "Time in which all non-idle tasks stalled on the resource (kernel: PSI_CPU_FULL, PSI_MEM_FULL, PSI_IO_FULL).",
  prio: "Kernel priority as sched_switch prints it: 100 to 139 are nice -20 to 19, below 100 is real time (kernel: struct task_struct, prio).",
  state:
    "What the task was doing when it left the CPU: prev_state of sched_switch (kernel: __trace_sched_switch_state).",
  waker: "The task that was running where sched_waking fired (kernel: try_to_wake_up).",
  waking:
    "From sched_waking, or from sched_wakeup where the request is not recorded, to the sched_switch that put the task on a CPU (kernel: try_to_wake_up to __schedule).",
  wakeup:
    "From sched_wakeup, when the task came onto a runqueue, to the sched_switch that put it on a CPU (kernel: ttwu_do_activate to __schedule).",
  preempted:
    "From the sched_switch that took the CPU away while the task was still runnable, to the one that gave it a CPU again (kernel: __schedule).",
  percentile: "Nearest-rank percentile: this share of the window's waits is at most this long.",
  cause:
    "What its CPU and the other CPUs did while the task waited; each nanosecond has one cause, the first that applies (kernel: try_to_wake_up to __schedule).",
  new: "From sched_wakeup_new to the sched_switch that put the new task on a CPU for the first time (kernel: wake_up_new_task to __schedule).",
  resumed:
    "From lost events during the wait; the time before is another wait (kernel: ring_buffer_consume reports lost events).",
  unfinished:
    "Waits whose start or end is not recorded or not in the window: the recording ended, events were lost, or the task exited before it ran. Each is at least this long (kernel: ring_buffer_consume reports lost events).",
  antagonist:
    "Tasks that ran on the CPUs where the task was queued during its wait, from sched_switch and sched_migrate_task (kernel: pick_next_task).",
  wakeChain:
    "The task that was running where sched_waking fired, then its own waker, and so on, as long as each was asleep while the next waited for it (kernel: try_to_wake_up).",
  criticalPath:
    "From the end of a wait back to the waker, what the waker did since its own wakeup, and so on to the start of the sleep, without gaps (kernel: try_to_wake_up to __schedule).",
  queuedOn:
    "CPU on whose runqueue the task was, from sched_wakeup's target and sched_migrate_task (kernel: ttwu_queue, set_task_cpu).",
  idleMeanwhile:
    "CPUs that ran their idle loop while the task waited. Whether its affinity includes them is known only from samples, or from balancing that passed it over (kernel: select_idle_sibling, load_balance, cpus_ptr).",
  sampled:
    "The kernel's own count: the last total in the window minus the first, from the pressure files (kernel: psi_show).",
  tolerance:
    "Possible error of the replay against the kernel's count: wider with missing events or little stall time.",
  hz: "Jiffies per second: the sum over CPUs weights time in whole jiffies (kernel: collect_percpu_times).",
  lostStall:
    "Stall time lost in the sum over CPUs: a CPU that was busy for less than a jiffy since the last update has no weight (kernel: collect_percpu_times).",
  averages:
    "Running averages computed from the sampled totals by the kernel's fixed-point arithmetic (kernel: calc_avgs, calc_load).",
  utilisation:
    "Share of the node's CPU time in which a task ran (idle loop excluded), from sched_switch (kernel: __schedule).",
  imbalance:
    "Percentage-point gap between the busiest and the idlest node in a step (kernel: load_balance evens it out).",
  waste:
    "Idle CPU time while tasks waited: the smaller of the numbers of idle CPUs and waiting tasks, summed over time (kernel: load_balance could have moved one).",
  affine: "The part in which the idle CPU was within the waiting task's affinity (kernel: cpus_ptr).",
  depth: "Runnable tasks waiting on the node's runqueues (running ones excluded; kernel: rq->nr_running).",
  residency:
    "Time on the CPUs of each node, and how often the next slice was on another node (kernel: set_task_cpu).",
  attempt:
    "Attempt to bring a task to the node with most of its memory, by a move or a swap (kernel: task_numa_migrate).",
  degree:
    "Above this share of failed migrations a group's busiest node is busy, and its tasks may leave it (kernel: busy_node, numa_balancing_cling_degree).",
  busyNode:
    "The group's busiest node, while the share of failed attempts to reach it exceeds the degree; tasks do not cling to it (kernel: busy_node).",
  cling:
    "Decision whether a task stays on its preferred node despite a wakeup, a load balance or a swap (kernel: select_task_rq_fair, migrate_degrades_locality, task_numa_compare).",
  exactness:
    "Counters and decisions printed by the kernel, compared with those replayed from the same attempts and timers.",
  fromEvents:
    "Share of the printed values that the replay also derives without them: from scheduler events alone, as on a kernel that prints nothing, or with probes and samples of cpu.numa_group as well.",
  placement:
    "CPU time of tasks by their numa group at that time (kernel: task_numa_group_id, ngid in NUMA balancing events), and the nodes of their CPUs and pages.",
  justTooLate:
    "Pages migrated for a task that left the node too soon for the copy to pay off (kernel: migrate_misplaced_page).",
  fight: "Windows of 10 s in which tasks moved to their memory while the memory moved the other way.",
  dwell: "Time between two moves of a task to another node (kernel: set_task_cpu).",
  cpuFollows: "Moves of tasks to the node that holds most of their memory (kernel: task_numa_placement).",
  interval: "What-if: moves that would have been refused if a task had to stay on a node for this long.",
  conserved: "Two counts of the same pages; their difference is the residual (kernel: count_vm_numa_events).",
  equivalents:
    "Counters of the auto-migration patches of 2010, and the events or counters that replace them today.",
  automig: "Eleven counters of the migrate-on-fault and auto-migration patches, and their invariants.",
  load: "Sampled loads, with the source of the data and the latency (kernel: union perf_mem_data_src, perf_sample_weight). Loads faster than the sampling threshold (ldlat) are not included.",
  memoryMove:
    "A task sampled on one node and then on another: its loads before, and in the first and second half of its time there. Memory followed if at least half of the pages used on both nodes moved along, by physical address. Without physical addresses, memory followed if the share of remote loads fell by half.",
  notKnown: "Time without a known task: events were lost or had not started (kernel: ring_buffer_consume).",
} as const;

const STATES: Readonly<Record<string, string>> = {
  R: "runnable",
  "R+": "preempted",
  S: "sleeping",
  D: "uninterruptible sleep",
  T: "stopped",
  t: "traced",
  X: "dead",
  Z: "zombie",
  P: "parked",
  I: "idle",
};

/** `S, sleeping`; states that are not in the table appear as the kernel printed them. */
export function describeState(state: string): string {
  const word = STATES[state];
  return word === undefined ? state : `${state}, ${word}`;
}

// What the page says where a section has no answer.

const RECORD = {
  findings:
    "Findings need run and wait times: record sched_switch, sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task.",
  latency:
    "Waits need wakeups and switches: record sched_switch, sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task.",
  pressure:
    "The replay of pressure needs sched_switch, sched_wakeup, sched_wakeup_new and sched_migrate_task; samples of /proc/pressure serve to check it.",
  cgroups: "Cgroups of tasks come from cgroup_attach_task and /proc/PID/cgroup.",
  attempts:
    "NUMA balancing attempts come from sched_move_numa, sched_swap_numa and sched_stick_numa; node changes need sched_migrate_task.",
  cling:
    "Cling needs sched_move_numa, sched_swap_numa and sched_stick_numa, and the cpu.numa_group files where the kernel has them.",
  ilb: "Idle balancing needs sched_switch, cpu_idle, tick_stop and softirq_raise, softirq_entry; a probe on nohz_balancer_kick shows the kicking CPU.",
  memory: "Page migration needs mm_migrate_pages, mm_migrate_pages_start and sched_migrate_task.",
  vmstat: "The counters need at least two samples of /proc/vmstat in the window.",
  nodes: "CPU usage needs sched_switch; waits also need sched_wakeup and sched_migrate_task.",
} as const;

export type SectionWord = keyof typeof RECORD;

/** A section by name, with how to record its inputs, unless `RECORD` has that of several subjects. */
export type Recordable =
  | { readonly section: SectionWord; readonly record?: undefined }
  | { readonly section: string; readonly record: string };

export function howToRecord(section: SectionWord): string {
  return takenByDefault(RECORD[section]);
}

/** The inputs are among those that numalens record takes by default. */
export function takenByDefault(inputs: string): string {
  return `${inputs} numalens record includes all of them.`;
}

/**
 * A reason of the engine, which is part of a sentence there, as a separate sentence; names of events stay
 * unchanged.
 */
export function asSentence(reason: string): string {
  const begun = reason.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** Reason for an empty section, and how to record its inputs. */
export function absentText(section: SectionWord, reason: string): string {
  return `${asSentence(reason)} ${howToRecord(section)}`;
}

/** `12.004 – 13.2 s, 1.196 s long`: the window that an answer speaks for. */
export function windowText(window: { readonly from: AbsNs; readonly to: AbsNs }): string {
  return `${formatAbs(window.from, 3)} – ${formatTime(window.to, 3)}, ${formatDuration(window.to - window.from)}`;
}

/** Missing inputs of an inferred value, after its label; empty for all others. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 0 ? "" : `lacks ${missing.map((name) => LACKING[name] ?? name).join(", ")}`;
}

const LACKING: Readonly<Record<string, string>> = {
  lost_events: "the lost events",
  cpus_allowed: "the affinity of each task",
  "cpu.stat": "samples of cpu.stat",
};

/** Provenance of a value, and its missing inputs. */
export function labelText(
  part: { readonly label: string; readonly missing: readonly string[] } | null,
): string {
  return part === null
    ? ""
    : [part.label, missingText(part.missing)].filter((text) => text !== "").join(", ");
}

/**
 * Provenance: observed is in an event; replayed follows from events by the kernel's own rules. Inferred is a
 * replay with missing inputs, which the note names. What-if is the result of rules that the traced kernel did not
 * use.
 */
export type Label = "observed" | "replayed" | "inferred" | "what-if";

/** A name that is unknown to this page stays unchanged. */
export function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return words[name] ?? name.replaceAll("_", " ");
}

export function nodeText(nid: number): string {
  return nid < 0 ? "?" : String(nid);
}
