import { formatAbs, formatDuration, formatTime } from "./format.ts";
import type { AbsNs } from "./time.ts";

/** One line for each word of the field that the page uses, with the kernel function it comes from. */

export const TERMS = {
  observed:
    "Taken from recorded events as they stand: sched_switch tells who leaves and who comes (kernel: __schedule).",
  replayed:
    "Follows from recorded events by the kernel's own rules: who is runnable where, from sched_switch, sched_wakeup and sched_migrate_task (kernel: __schedule, ttwu_do_activate, set_task_cpu).",
  inferred: "A replay that lacks something, or for which something had to be assumed: it says what.",
  "what-if":
    "What rules would have given that the traced kernel did not run; the events are the recorded ones.",
  pressure:
    "Pressure stall information: time in which tasks waited for a resource, counted by the kernel (kernel: psi_group_change).",
  some: "Time in which at least one task stalled on the resource (kernel: PSI_CPU_SOME, PSI_MEM_SOME, PSI_IO_SOME).",
  full: "Time in which every task that was not idle stalled on the resource (kernel: PSI_CPU_FULL, PSI_MEM_FULL, PSI_IO_FULL).",
  prio: "Kernel priority as sched_switch prints it: 100 to 139 are nice -20 to 19, below 100 is real time (kernel: struct task_struct, prio).",
  state:
    "What the task was doing when it left the CPU: prev_state of sched_switch (kernel: __trace_sched_switch_state).",
  waker: "The task that was running where sched_waking fired (kernel: try_to_wake_up).",
  waking:
    "From sched_waking, or from sched_wakeup where the request is not recorded, to the sched_switch that put the task on a CPU (kernel: try_to_wake_up to __schedule).",
  wakeup:
    "From sched_wakeup, when the task came onto a run queue, to the sched_switch that put it on a CPU (kernel: ttwu_do_activate to __schedule).",
  preempted:
    "From the sched_switch that took the CPU away while the task could still run, to the one that gave it a CPU again (kernel: __schedule).",
  percentile: "Nearest rank: the wait that this share of all waits in the window does not exceed.",
  cause:
    "What the CPU and the others did while the task waited; each nanosecond has one cause, the first that applies (kernel: try_to_wake_up to __schedule).",
  new: "From sched_wakeup_new to the sched_switch that put the new task on a CPU for the first time (kernel: wake_up_new_task to __schedule).",
  resumed:
    "Since events were lost while the task waited; what came before is another wait (kernel: ring_buffer_consume reports lost events).",
  unfinished:
    "Waits whose end or begin is not recorded or not in the window: the recording ended, events were lost, or the task was gone before it ran; each is at least so long (kernel: ring_buffer_consume reports lost events).",
  antagonist:
    "Who ran on the CPUs on whose runqueues the task was while it waited, from sched_switch and sched_migrate_task (kernel: pick_next_task).",
  wakeChain:
    "Who was running where sched_waking fired, then who had woken that one, as long as each was asleep while the next waited for it (kernel: try_to_wake_up).",
  criticalPath:
    "From the end of a wait back over who woke the task, what that one did since it was awake itself, and so on to the begin of the sleep: the steps adjoin (kernel: try_to_wake_up to __schedule).",
  queuedOn:
    "The CPU on whose queue the task stood, from sched_wakeup's target and sched_migrate_task (kernel: ttwu_queue, set_task_cpu).",
  idleMeanwhile:
    "CPUs that ran their idle loop while the task waited; whether it may run there is known only where something recorded or its being passed over tells (kernel: select_idle_sibling, load_balance, cpus_ptr).",
  sampled:
    "The kernel's own count: the last total of the window less the first, from the pressure files (kernel: psi_show).",
  tolerance:
    "How far the replay may be off the kernel's count: wider where events are missing or little stalled.",
  hz: "Jiffies per second: time is weighed in whole jiffies when CPUs are added up (kernel: collect_percpu_times).",
  lostStall:
    "Stall time that adding up loses: a CPU that was not idle for a whole jiffy since the last time has no weight (kernel: collect_percpu_times).",
  averages:
    "The running averages that follow from the sampled totals by the kernel's fixed-point arithmetic (kernel: calc_avgs, calc_load).",
  utilisation:
    "Share of the node's CPU time in which a task ran, idle loop apart, from sched_switch (kernel: __schedule).",
  imbalance:
    "Points of per cent between the busiest and the idlest node of a step (kernel: load_balance evens it out).",
  waste:
    "CPU time that stood idle while tasks waited: the smaller of idle CPUs and waiting tasks, over time (kernel: load_balance could have moved one).",
  affine: "The part of it in which the waiting task was allowed on the idle CPU (kernel: cpus_ptr).",
  depth: "Runnable tasks that wait on the node's runqueues, the running ones apart (kernel: rq->nr_running).",
  residency:
    "Time on the CPUs of each node, and how often the next slice was on another node (kernel: set_task_cpu).",
  attempt:
    "A try to bring a task to the node that most of its memory is on, by a move or a swap (kernel: task_numa_migrate).",
  degree:
    "Above this share of failed migrations a group's busiest node is busy, and its tasks may leave it (kernel: busy_node, numa_balancing_cling_degree).",
  busyNode:
    "The group's busiest node while more of the attempts to reach it failed than the degree allows; its tasks do not cling to it (kernel: busy_node).",
  cling:
    "Whether a task stays on its preferred node against a wake-up, a load balance or a swap (kernel: select_task_rq_fair, migrate_degrades_locality, task_numa_compare).",
  exactness:
    "What the kernel printed of its counters and decisions next to what the replay makes of the same attempts and timers.",
  fromEvents:
    "How much of what was printed follows without it: from scheduler events alone, as on a kernel that prints nothing, or with probes and readings of cpu.numa_group next to them.",
  placement:
    "CPU time of tasks by the numa group that they were in then, as attempts of the NUMA balancer print it (kernel: task_numa_group_id, ngid), and the nodes of their CPUs and pages.",
  justTooLate:
    "Pages migrated for a task that left the node before the copying had paid off (kernel: migrate_misplaced_page).",
  fight: "Windows of 10 s in which tasks went to where their memory was while the memory went the other way.",
  dwell: "Time between two moves of a task to another node (kernel: set_task_cpu).",
  cpuFollows: "Moves of tasks to the node that holds most of their memory (kernel: task_numa_placement).",
  interval:
    "What if a task had to stay on a node for this long before it may go to another: which moves would have been refused.",
  conserved:
    "Two ways to count the same pages; what lies between them is the residual (kernel: count_vm_numa_events).",
  equivalents:
    "What the counters of the auto-migration patches reported in 2010, and which event or counter reports it today.",
  automig: "Eleven counters of the migrate-on-fault and auto-migration patches, and the laws that they keep.",
  load: "One in so many loads, with where it found its data and how long that took (kernel: union perf_mem_data_src, perf_sample_weight); those that are faster than the sampling's threshold (ldlat) are not among them.",
  memoryMove:
    "A task that was sampled on one node and then on another: its loads before, in the first half of its time there and in the second. Memory followed when at least half of the pages that it used on both nodes came along, by their physical addresses; where these are not recorded, when the share of remote loads fell by half.",
  notKnown:
    "Time of which nobody can say who ran: events were lost or had not begun (kernel: ring_buffer_consume).",
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

/** `S, sleeping`; states that the table does not know stand as the kernel printed them. */
export function describeState(state: string): string {
  const word = STATES[state];
  return word === undefined ? state : `${state}, ${word}`;
}

// What the page says where a section has no answer.

export type SectionWord =
  | "findings"
  | "latency"
  | "pressure"
  | "nodes"
  | "cgroups"
  | "attempts"
  | "cling"
  | "ilb"
  | "memory"
  | "vmstat"
  | "schedstat"
  | "domain_balancing"
  | "sched_ext"
  | "distances"
  | "memory_samples"
  | "stacks"
  | "hardware";

const RECORD: Readonly<Record<SectionWord, string>> = {
  findings:
    "Findings need who ran and who waited: record sched_switch, sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task.",
  latency:
    "Waits need wake-ups and switches: record sched_switch, sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task.",
  pressure:
    "The replay of pressure needs sched_switch, sched_wakeup, sched_wakeup_new and sched_migrate_task; samples of /proc/pressure next to them are what it is checked by.",
  cgroups: "Who was in which cgroup stands in cgroup_attach_task and /proc/PID/cgroup.",
  attempts:
    "Attempts of the NUMA balancer stand in sched_move_numa, sched_swap_numa and sched_stick_numa; crossings need sched_migrate_task.",
  cling:
    "Cling needs sched_move_numa, sched_swap_numa and sched_stick_numa; where the kernel has it, its cpu.numa_group files, too.",
  ilb: "Idle balancing needs sched_switch, cpu_idle, tick_stop and softirq_raise, softirq_entry; a probe on nohz_balancer_kick tells who kicked.",
  memory:
    "Memory and tasks that follow each other need mm_migrate_pages, mm_migrate_pages_start and sched_migrate_task.",
  schedstat:
    "The counters are samples of /proc/schedstat, at least two in the window, of a kernel with kernel.sched_schedstats=1.",
  distances:
    "Distances need sched_migrate_task, sched_waking and sched_switch, and a topology with caches: lscpu -p, or copies of sysfs.",
  domain_balancing:
    "What balancing cost stands in probes of sched_balance_newidle and sched_balance_rq: numalens record --probe ilb.",
  memory_samples:
    "Where loads found their data is sampled by perf mem record -a --phys-data or perf c2c record -a, on a machine with PEBS, IBS or SPE; samples of SPE are made by perf inject --itrace first. With -e sched:sched_migrate_task -e migrate:mm_migrate_pages it stands beside what the kernel did.",
  sched_ext:
    "BPF schedulers show in the events sched_ext_dump, sched_ext_event and sched_ext_exit and in samples of /sys/kernel/sched_ext, which kernels have since 6.12 (CONFIG_SCHED_CLASS_EXT).",
  stacks:
    "Stacks need perf record -a -g, or trace-cmd record -T; a file of /proc/kallsyms, read as root, names the kernel's functions of a perf.data.",
  hardware:
    "Frequencies, idle states and interrupts stand in cpu_frequency, cpu_idle, irq_handler_entry, irq_handler_exit, softirq_entry and softirq_exit; hardware noise and late timers in what the tracers osnoise and timerlat write; steal in samples of /proc/stat, or, to the moment, in the trace of the host beside that of its guest (trace-cmd record -A).",
  vmstat: "The counters are samples of /proc/vmstat, at least two in the window.",
  nodes: "The use of CPUs needs sched_switch; who waited needs sched_wakeup and sched_migrate_task, too.",
};

/** What numalens record does not take by itself. */
const TAKEN_APART: ReadonlySet<SectionWord> = new Set([
  "stacks",
  "hardware",
  "domain_balancing",
  "memory_samples",
]);

export function howToRecord(section: SectionWord): string {
  return TAKEN_APART.has(section) ? RECORD[section] : `${RECORD[section]} numalens record takes them all.`;
}

/** A reason of the engine, which stands within a sentence there, as one of its own; names of events stay as they are. */
export function asSentence(reason: string): string {
  const begun = reason.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** Why a section has nothing, and how to have it. */
export function absentText(section: SectionWord, reason: string): string {
  return `${asSentence(reason)} ${howToRecord(section)}`;
}

/** `12.004 – 13.2 s, 1.196 s long`: the window that an answer speaks for. */
export function windowText(window: { readonly from: AbsNs; readonly to: AbsNs }): string {
  return `${formatAbs(window.from, 3)} – ${formatTime(window.to, 3)}, ${formatDuration(window.to - window.from)}`;
}

/** What an inferred value lacks, behind its label; empty for all others. */
export function missingText(missing: readonly string[]): string {
  return missing.length === 0 ? "" : `lacks ${missing.map((name) => LACKING[name] ?? name).join(", ")}`;
}

const LACKING: Readonly<Record<string, string>> = {
  lost_events: "the lost events",
  cpus_allowed: "what CPUs each task may run on",
  "cpu.stat": "samples of cpu.stat",
};

/** Where knowledge comes from, and what it lacks. */
export function labelText(
  part: { readonly label: string; readonly missing: readonly string[] } | null,
): string {
  return part === null
    ? ""
    : [part.label, missingText(part.missing)].filter((text) => text !== "").join(", ");
}

/**
 * Observed stands in an event; replayed follows from events by the kernel's own rules; inferred is a replay that lacks
 * something, which the note names; what-if is what rules would have given that the traced kernel did not run.
 */
export type Label = "observed" | "replayed" | "inferred" | "what-if";

/** A name that this page does not know yet stands as it came. */
export function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return words[name] ?? name.replaceAll("_", " ");
}

export function nodeText(nid: number): string {
  return nid < 0 ? "?" : String(nid);
}
