//! The causes of waits, a row each.
//!
//! To add one: its row here, the rule that decides it, and a test. Causes are tried in the order of the rows; the first
//! that applies gets the nanosecond. Numbers are those of bundles and never change.

use numalens_core::causes;

causes! {
    /// Cause of a nanosecond of a wait. `{idle}` in a clause is replaced with the idle CPUs and their verb.
    Cause,
    WakeUp = 0 {
        id: "wake_up",
        title: "wakeup path",
        meaning: "The wakeup was requested, but the task was not on a runqueue yet.",
        clause: "until the wakeup put it on a runqueue",
        kernel: "try_to_wake_up to ttwu_do_activate",
        color: "light-dark(#78aee0, #c0d1fe)",
        inferred: false,
    }
    Unknown = 1 {
        id: "unknown",
        title: "unknown",
        meaning: "The activity of its CPU was not recorded, or that of other CPUs that might have been idle.",
        clause: "while its CPU, or others that might have been idle, were not recorded",
        kernel: "ring_buffer_consume reports the loss",
        color: "var(--hatched)",
        inferred: false,
    }
    Throttled = 2 {
        id: "throttled",
        title: "throttled",
        meaning: "A quota was used up: cpu.max of its cgroup or of one above, or the real-time or deadline budget of the task.",
        clause: "throttled, as the quota of its cgroup (cpu.max), or its real-time or deadline budget, was used up",
        kernel: "throttle_cfs_rq to unthrottle_cfs_rq, sched_rt_runtime_exceeded, dl_runtime_exceeded",
        color: "light-dark(#64025f, #fb98db)",
        inferred: false,
    }
    IdleExit = 3 {
        id: "idle_exit",
        title: "idle exit",
        meaning: "Its idle CPU had to leave idle, switch, or be interrupted for it; at most 5 ms of a wait.",
        clause: "while its CPU left idle",
        kernel: "cpuidle_idle_call, schedule_idle",
        color: "light-dark(#1669c3, #528fe6)",
        inferred: false,
    }
    IdleUnexplained = 13 {
        id: "idle_unexplained",
        title: "idle CPU, unexplained",
        meaning: "Its own CPU stayed idle beyond the 5 ms that an idle exit may take, and no event explains it; often an unsampled quota.",
        clause: "while its own CPU was idle, and no event explains it",
        kernel: "do_idle, throttle_cfs_rq",
        color: "light-dark(#1f287f, #5f74f0)",
        inferred: true,
    }
    Steal = 28 {
        id: "steal",
        title: "steal",
        meaning: "The host did not run its CPU; known where the host was recorded with its guest.",
        clause: "while the host did not run its CPU (steal)",
        kernel: "record_steal_time",
        color: "light-dark(#6d6f81, #a68793)",
        inferred: false,
    }
    HardwareNoise = 29 {
        id: "hardware_noise",
        title: "hardware noise",
        meaning: "Hardware, firmware or, in a guest, the host had its CPU; known where the osnoise tracer ran.",
        clause: "while hardware, firmware or, in a guest, the host had its CPU (hardware noise)",
        kernel: "run_osnoise",
        color: "light-dark(#33353a, #d4e5fe)",
        inferred: false,
    }
    Interrupt = 4 {
        id: "interrupt",
        title: "interrupt",
        meaning: "Its CPU served an interrupt.",
        clause: "while its CPU served interrupts",
        kernel: "handle_irq_event",
        color: "light-dark(#2c4b39, #49f2d4)",
        inferred: false,
    }
    Softirq = 5 {
        id: "softirq",
        title: "softirq",
        meaning: "Its CPU served a softirq.",
        clause: "while its CPU served softirqs",
        kernel: "handle_softirqs (before 6.9 __do_softirq)",
        color: "light-dark(#50acb1, #55caad)",
        inferred: false,
    }
    NewIdle = 24 {
        id: "newidle",
        title: "newly idle balancing",
        meaning: "Its CPU had run out of tasks and searched other CPUs before it took this one; known where sched_balance_newidle or sched_balance_rq was probed.",
        clause: "while its CPU, which had run out of tasks, first searched other CPUs (newly idle balancing)",
        kernel: "sched_balance_newidle (before 6.10 newidle_balance)",
        color: "light-dark(#2ca664, #d2cc88)",
        inferred: false,
    }
    NumaScan = 21 {
        id: "numa_scan",
        title: "NUMA scan",
        meaning: "The task on its CPU scanned its own memory for NUMA balancing; known where task_numa_work was probed.",
        clause: "while the task on its CPU scanned its memory for NUMA balancing (task_numa_work)",
        kernel: "task_numa_work",
        color: "light-dark(#5b5f8a, #8d97cc)",
        inferred: false,
    }
    ScxStalled = 23 {
        id: "scx_stalled",
        title: "stalled by its BPF scheduler",
        meaning: "Its BPF scheduler (sched_ext) did not run it for the whole timeout, so the watchdog disabled that scheduler.",
        clause: "stalled by its BPF scheduler (sched_ext), as the watchdog found",
        kernel: "check_rq_for_timeouts",
        color: "light-dark(#b70c5c, #e15a6c)",
        inferred: false,
    }
    ScxQueued = 22 {
        id: "scx_queued",
        title: "held by its BPF scheduler",
        meaning: "Its CPU, or another within its affinity, was idle, but its BPF scheduler (sched_ext) did not dispatch it.",
        clause: "while only its BPF scheduler (sched_ext) kept it from running",
        kernel: "do_enqueue_task, balance_one",
        color: "light-dark(#0080a5, #1ac8e0)",
        inferred: true,
    }
    Pinned = 6 {
        id: "pinned",
        title: "pinned",
        meaning: "Another task ran there, and the only idle CPUs were outside its affinity: mask, cpuset, or binding of a kernel thread. In a request also where such a CPU had a shorter queue.",
        clause: "while {idle} idle but outside its affinity",
        kernel: "can_migrate_task, cpus_ptr",
        color: "light-dark(#4e5a64, #97a4b3)",
        inferred: false,
    }
    ProbablyPinned = 12 {
        id: "probably_pinned",
        title: "probably pinned",
        meaning: "As pinned, but concluded: idle CPUs repeatedly declined to pull the task.",
        clause: "while {idle} idle but repeatedly declined to pull it (probably pinned elsewhere)",
        kernel: "can_migrate_task, newidle_balance, nohz_idle_balance",
        color: "light-dark(#708ead, #5b676b)",
        inferred: true,
    }
    PinnedBehindHigherClass = 14 {
        id: "pinned_behind_higher_class",
        title: "pinned, behind higher class",
        meaning: "As pinned, and the task that ran there is a real-time, deadline or stop task.",
        clause: "while a real-time, deadline or stop task had its CPU, and {idle} idle but outside its affinity",
        kernel: "can_migrate_task, __pick_next_task",
        color: "light-dark(#712561, #b24587)",
        inferred: false,
    }
    MigrationCost = 15 {
        id: "migration_cost",
        title: "cache hot",
        meaning: "Another task ran there and other CPUs were idle, but the task last ran less than 0.5 ms earlier, and balancing does not move such a task.",
        clause: "while CPUs were idle, but it was cache hot (it last ran less than 0.5 ms earlier)",
        kernel: "task_hot, sysctl_sched_migration_cost",
        color: "light-dark(#cf848a, #ef7f04)",
        inferred: false,
    }
    PendingBalance = 7 {
        id: "pending_balance",
        title: "load-balance delay",
        meaning: "Another task ran there, other CPUs were idle, and a balancing pass was raised and not finished.",
        clause: "while CPUs were idle, and a balancing pass was raised and not finished",
        kernel: "trigger_load_balance to run_rebalance_domains (6.10 sched_balance_softirq)",
        color: "light-dark(#6749a0, #a59bf6)",
        inferred: false,
    }
    KickDropped = 19 {
        id: "kick_dropped",
        title: "kick dropped",
        meaning: "Another task ran there, other CPUs were idle, and a kick that should have made one of them balance raised no SCHED softirq.",
        clause: "while CPUs were idle, and the kick that should have made one of them balance raised no SCHED softirq",
        kernel: "nohz_csd_func, nohz_balancer_kick",
        color: "light-dark(#543c81, #8a6cc0)",
        inferred: false,
    }
    PassedOverSameNode = 16 {
        id: "passed_over_same_node",
        title: "passed over, same node",
        meaning: "Another task ran there while a CPU of the same node was idle, whose balancing probably considered the task but did not pull it.",
        clause: "while a CPU of its node was idle, whose balancing probably considered it but did not pull it",
        kernel: "can_migrate_task, newidle_balance",
        color: "light-dark(#e19c38, #fadc8a)",
        inferred: true,
    }
    IdleSameNode = 8 {
        id: "idle_same_node",
        title: "idle CPU, same node",
        meaning: "Another task ran there while a CPU of the same node was idle, and no balancing pass was seen to consider the task.",
        clause: "while a CPU of its node was idle, and no balancing pass was seen to consider it",
        kernel: "select_idle_sibling; load_balance did not move it",
        color: "light-dark(#e36b03, #e09f5d)",
        inferred: false,
    }
    NumaKept = 18 {
        id: "numa_kept",
        title: "kept for NUMA",
        meaning: "Another task ran there while only CPUs of other nodes were idle, which probably left it because NUMA balancing scans its memory.",
        clause: "while only CPUs of other nodes were idle, and balancing probably left it near its memory",
        kernel: "migrate_degrades_locality",
        color: "light-dark(#26673c, #c1c106)",
        inferred: true,
    }
    ImbalanceAllowed = 20 {
        id: "imbalance_allowed",
        title: "allowed imbalance",
        meaning: "Another task ran there while only CPUs of other nodes were idle, which probably left it because the kernel allows a small imbalance between nodes.",
        clause: "while only CPUs of other nodes were idle, and balancing probably left it because the kernel allows a small imbalance between nodes",
        kernel: "calculate_imbalance, adjust_numa_imbalance",
        color: "light-dark(#7b7f77, #d0d54c)",
        inferred: true,
    }
    PassedOverOtherNode = 17 {
        id: "passed_over_other_node",
        title: "passed over, other node",
        meaning: "Another task ran there while only CPUs of other nodes were idle, whose balancing probably considered the task but did not pull it.",
        clause: "while only CPUs of other nodes were idle, whose balancing probably left it (imbalance_pct, or affinity that was not recorded)",
        kernel: "find_busiest_group, can_migrate_task",
        color: "light-dark(#9f6e4b, #c39588)",
        inferred: true,
    }
    IdleOtherNode = 9 {
        id: "idle_other_node",
        title: "idle CPU, other node",
        meaning: "Another task ran there while only CPUs of other nodes were idle, and no balancing pass was seen to consider the task.",
        clause: "while only CPUs of other nodes were idle, and no balancing pass was seen to consider it",
        kernel: "find_idlest_group; load_balance did not move it",
        color: "light-dark(#4c1202, #af7527)",
        inferred: false,
    }
    BehindHigherClass = 11 {
        id: "behind_higher_class",
        title: "behind higher class",
        meaning: "A real-time, deadline or stop task ran there, and no CPU was idle.",
        clause: "while a real-time, deadline or stop task had its CPU, and no CPU was idle",
        kernel: "__pick_next_task, rt_sched_class",
        color: "light-dark(#549b06, #e1e836)",
        inferred: false,
    }
    NotEligible = 25 {
        id: "not_eligible",
        title: "not eligible",
        meaning: "No CPU was idle, and the last pick from its queue left it because it had used more than its fair share; known where pick_eevdf was probed.",
        clause: "while no CPU was idle, and the scheduler left it because it had used more than its fair share (not eligible)",
        kernel: "pick_eevdf, vruntime_eligible (6.6)",
        color: "light-dark(#ed735f, #eca393)",
        inferred: false,
    }
    LaterDeadline = 26 {
        id: "later_deadline",
        title: "later deadline",
        meaning: "No CPU was idle, and the last pick from its queue took a task with an earlier virtual deadline; known where pick_eevdf was probed.",
        clause: "while no CPU was idle, and the scheduler picked a task with an earlier deadline",
        kernel: "pick_eevdf, entity_before (6.6)",
        color: "light-dark(#e19f8b, #fccdb6)",
        inferred: false,
    }
    SliceProtected = 27 {
        id: "slice_protected",
        title: "behind a protected slice",
        meaning: "No CPU was idle, and the running task kept its CPU although this one was eligible and had the earlier deadline; known where pick_eevdf was probed.",
        clause: "while no CPU was idle, and the task on its CPU ran on to the end of its protected slice, though this one had the earlier deadline",
        kernel: "protect_slice (before 6.17 RUN_TO_PARITY in pick_eevdf)",
        color: "light-dark(#7d140f, #bc4841)",
        inferred: false,
    }
    ShortBehindBuddy = 30 {
        id: "short_behind_buddy",
        title: "short slice behind a buddy",
        meaning: "No CPU was idle, and its wakeup did not preempt a task with a longer slice, although it was eligible and had the earlier deadline: the pick took a buddy; known where pick_eevdf was probed.",
        clause: "while no CPU was idle, and a task with a longer slice kept its CPU, as the pick at the wakeup took a buddy",
        kernel: "wakeup_preempt_fair, pick_eevdf: PICK_BUDDY (6.19, 7.0)",
        color: "light-dark(#6c87fa, #e50eaf)",
        inferred: false,
    }
    Busy = 10 {
        id: "busy",
        title: "all CPUs busy",
        meaning: "Another task of its class ran there, and no CPU was idle.",
        clause: "while no CPU was idle",
        kernel: "pick_next_task",
        color: "var(--cost)",
        inferred: false,
    }
}

impl Cause {
    /// Number of causes.
    pub const COUNT: usize = Self::IN_ORDER.len();

    /// All, in the order of their numbers.
    pub const ALL: [Self; Self::COUNT] = {
        let mut all = Self::IN_ORDER;
        let mut at = 0;
        while at < Self::COUNT {
            let cause = Self::IN_ORDER[at];
            all[cause as usize] = cause;
            at += 1;
        }
        all
    };

    /// Returns whether it is a conclusion: no event shows it.
    #[must_use]
    pub fn is_inferred(self) -> bool {
        self.entry().inferred
    }

    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().id
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Cause;

    #[test]
    fn numbers_are_places_in_all() {
        for (number, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, number);
        }
    }

    #[test]
    fn rows_are_distinct_and_in_sentences() {
        let entries = Cause::ALL.map(Cause::entry);
        for entry in entries {
            assert!(entry.meaning.ends_with('.'), "{}", entry.id);
        }
        let ids: BTreeSet<_> = entries.iter().map(|entry| entry.id).collect();
        let titles: BTreeSet<_> = entries.iter().map(|entry| entry.title).collect();
        let colors: BTreeSet<_> = entries.iter().map(|entry| entry.color).collect();
        for column in [ids, titles, colors] {
            assert_eq!(column.len(), Cause::COUNT);
        }
        for cause in Cause::ALL {
            // Clauses are joined by semicolons after a colon.
            assert!(
                !cause
                    .clause()
                    .replace("{idle}", "")
                    .contains(['{', ':', ';'])
            );
        }
    }
}
