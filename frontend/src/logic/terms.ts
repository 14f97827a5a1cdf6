/** One line for each word of the field that the page uses, with the kernel function it comes from. */

export const TERMS = {
  observed:
    "Taken from recorded events as they stand: sched_switch tells who leaves and who comes (kernel: __schedule).",
  replayed:
    "Follows from recorded events by the kernel's own rules: who is runnable where, from sched_switch, sched_wakeup and sched_migrate_task (kernel: __schedule, ttwu_do_activate, set_task_cpu).",
  pressure:
    "Pressure stall information: time in which tasks waited for a resource, counted by the kernel (kernel: psi_group_change).",
  some: "Time in which at least one task stalled on the resource (kernel: PSI_CPU_SOME, PSI_MEM_SOME, PSI_IO_SOME).",
  full: "Time in which every task that was not idle stalled on the resource (kernel: PSI_CPU_FULL, PSI_MEM_FULL, PSI_IO_FULL).",
  prio: "Kernel priority as sched_switch prints it: 100 to 139 are nice -20 to 19, below 100 is real time (kernel: struct task_struct, prio).",
  state:
    "What the task was doing when it left the CPU: prev_state of sched_switch (kernel: __trace_sched_switch_state).",
  waker: "The task that was running where sched_waking fired (kernel: try_to_wake_up).",
  waking:
    "From sched_waking to the sched_switch that put the task on a CPU (kernel: try_to_wake_up to __schedule).",
  wakeup:
    "From sched_wakeup, when the task came onto a run queue, to the sched_switch that put it on a CPU (kernel: ttwu_do_activate to __schedule).",
  preempted:
    "From the sched_switch that took the CPU away while the task could still run, to the one that gave it a CPU again (kernel: __schedule).",
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
