//! Events that the replay follows.

use super::probe::probed;

/// Meaning of a table's rows for the replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `sched_switch`.
    Switch,
    /// `sched_waking`.
    Waking,
    /// `sched_wakeup`.
    Wakeup,
    /// `sched_wakeup_new`.
    WakeupNew,
    /// `sched_migrate_task`.
    Migrate,
    /// `sched_process_free`.
    Free,
    /// `sched_process_fork`.
    Fork,
    /// `sched_process_exit`.
    Exit,
    /// `cgroup_attach_task`.
    CgroupAttach,
    /// The task that the event interrupted or that called (`common_pid`) enters a memory stall.
    StallEnter,
    /// End of a memory stall.
    StallLeave,
    /// `irq_handler_entry`.
    IrqEntry,
    /// `irq_handler_exit`.
    IrqExit,
    /// `softirq_entry`.
    SoftirqEntry,
    /// `softirq_exit`.
    SoftirqExit,
    /// `softirq_raise`.
    SoftirqRaise,
    /// A probe of `task_numa_work` (`kernel/sched/fair.c`, 3.13): the task of the row begins to scan its memory.
    NumaScanEntry,
    /// A probe of its return.
    NumaScanReturn,
    /// A probe of `sched_balance_newidle` (before 6.10 `newidle_balance`): the CPU has nothing to run and looks for tasks of others.
    NewIdleEntry,
    /// A probe of its return.
    NewIdleReturn,
    /// A probe of `sched_balance_rq` (before 6.10 `load_balance`): tasks are looked for in one domain. Rows of newly idle CPUs count.
    BalanceEntry,
    /// A probe of its return.
    BalanceReturn,
    /// A probe of `__enqueue_entity` (`kernel/sched/fair.c`): an entity becomes one to be picked.
    Entity,
    /// A probe of the return of `pick_eevdf` (6.6): an entity is picked.
    Pick,
    /// Start of a time in which the kernel does not have its CPU. The kernel has no event for it: others report it.
    TakenBegin,
    /// The kernel has it again.
    TakenEnd,
}

impl Kind {
    /// The kind of an event type; `None` when the replay does not follow it. Tables about memory stalls depend on the other
    /// recorded events, so they have no fixed names.
    #[must_use]
    pub fn of(system: &str, event: &str) -> Option<Self> {
        Some(match (system, event) {
            ("sched", "sched_switch") => Self::Switch,
            ("sched", "sched_waking") => Self::Waking,
            ("sched", "sched_wakeup") => Self::Wakeup,
            ("sched", "sched_wakeup_new") => Self::WakeupNew,
            ("sched", "sched_migrate_task") => Self::Migrate,
            ("sched", "sched_process_free") => Self::Free,
            ("sched", "sched_process_fork") => Self::Fork,
            ("sched", "sched_process_exit") => Self::Exit,
            ("cgroup", "cgroup_attach_task") => Self::CgroupAttach,
            ("irq", "irq_handler_entry") => Self::IrqEntry,
            ("irq", "irq_handler_exit") => Self::IrqExit,
            ("irq", "softirq_entry") => Self::SoftirqEntry,
            ("irq", "softirq_exit") => Self::SoftirqExit,
            ("irq", "softirq_raise") => Self::SoftirqRaise,
            _ => match probed(event) {
                ("task_numa_work", false) => Self::NumaScanEntry,
                ("task_numa_work", true) => Self::NumaScanReturn,
                ("sched_balance_newidle" | "newidle_balance", false) => Self::NewIdleEntry,
                ("sched_balance_newidle" | "newidle_balance", true) => Self::NewIdleReturn,
                ("sched_balance_rq" | "load_balance", false) => Self::BalanceEntry,
                ("sched_balance_rq" | "load_balance", true) => Self::BalanceReturn,
                ("__enqueue_entity", false) => Self::Entity,
                ("pick_eevdf" | "__pick_eevdf", true) => Self::Pick,
                _ => return None,
            },
        })
    }

    /// Columns that the rows of any kind may need, besides the common ones.
    pub const COLUMNS: [&'static str; 43] = [
        "ts_ns",
        "cpu",
        "seq",
        "buffer",
        "common_pid",
        "common_flags",
        "prev_comm",
        "prev_pid",
        "prev_prio",
        "prev_state",
        "next_comm",
        "next_pid",
        "next_prio",
        "comm",
        "pid",
        "target_cpu",
        "success",
        "orig_cpu",
        "dest_cpu",
        "parent_pid",
        "child_pid",
        "dst_root",
        "dst_path",
        "vec",
        "idle",
        "arg_cpu",
        "cfs_rq",
        "entity",
        "parent",
        "group",
        "vruntime",
        "deadline",
        "weight",
        "zero",
        "sum",
        "load",
        "shift",
        "slice",
        "current",
        "current_on_rq",
        "current_vruntime",
        "current_deadline",
        "current_weight",
    ];
}
