//! One wait.

use numalens_core::listed;
use numalens_core::tasks::TaskId;

use super::catalogue::Cause;

listed! {
    /// Start of a wait.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum WaitFrom {
        /// Since `sched_waking`: its wakeup was requested.
        Waking => "waking",
        /// Since `sched_wakeup`, the request itself not being recorded.
        Wakeup => "wakeup",
        /// Since it lost its CPU and stayed runnable; `sched_yield` is not distinguished from a preemption.
        Preempted => "preempted",
        /// Since `sched_wakeup_new`: it is new (`wake_up_new_task`, `kernel/sched/core.c`).
        New => "new",
        /// Since lost events during the wait: the task may have run in between, and the time before is another wait.
        Resumed => "resumed",
    }
}

listed! {
    /// End of a wait.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum WaitEnd {
        /// The task got a CPU.
        Ran => "ran",
        /// The recording ended: the wait is at least this long.
        Recording => "recording_end",
        /// Events were lost: the wait is at least this long, or the task ran unseen.
        Lost => "lost_events",
        /// The task was gone (`sched_process_free`), or another came with its pid.
        Gone => "gone",
    }
}

/// Longest idle-exit latency charged to a wait, ns. No idle state of a machine has a longer exit latency
/// (`cpuidle_state.exit_latency_ns`, `include/linux/cpuidle.h`: tens to hundreds of µs); the rest is for slow guests.
pub const IDLE_EXIT_NS: u64 = 5_000_000;

/// Time for which a task counts as cache hot after it has run (`task_hot`; `sysctl_sched_migration_cost`,
/// `kernel/sched/fair.c`), ns.
pub const MIGRATION_COST_NS: u64 = 500_000;

/// Time of a wait with one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CauseNs {
    /// The cause.
    pub cause: Cause,
    /// Length, ns; never 0.
    pub ns: u64,
}

/// A wait. Its causes add up to `end_ns - start_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WaitRow {
    /// Start, ns of the reference clock.
    pub start_ns: u64,
    /// End: the switch-in, or see [`WaitEnd`].
    pub end_ns: u64,
    /// Waiting task: row of the table of tasks.
    pub task: TaskId,
    /// Priority at the end, as the kernel counts; -1 when not recorded.
    pub prio: i32,
    /// CPU on which it ran, or waited last.
    pub cpu: u32,
    /// CPU on which it first became runnable; `cpu` when not recorded.
    pub from_cpu: u32,
    /// Kind of start.
    pub from: WaitFrom,
    /// Kind of end.
    pub end: WaitEnd,
    /// Task on the waking CPU; -1 when unknown or without a waking task.
    pub waker_pid: i32,
    /// Cgroup, by number; 0 for the root or when not known.
    pub group: u32,
}

/// The part of a wait that lies in a window.
#[derive(Debug, Clone, Copy)]
pub struct WaitPart<'a> {
    /// The whole wait.
    pub wait: &'a WaitRow,
    /// Start of the part, ns.
    pub from_ns: u64,
    /// End of the part, ns.
    pub to_ns: u64,
    /// Causes of the part; they add up to it.
    pub causes: &'a [CauseNs],
}

impl<'a> WaitPart<'a> {
    /// All of a wait.
    #[must_use]
    pub fn whole(wait: &'a WaitRow, causes: &'a [CauseNs]) -> Self {
        Self {
            wait,
            from_ns: wait.start_ns,
            to_ns: wait.end_ns,
            causes,
        }
    }

    /// The part of a wait inside a window; `causes` are still those of the whole wait.
    #[must_use]
    pub fn inside(wait: &'a WaitRow, window: (u64, u64), causes: &'a [CauseNs]) -> Self {
        Self {
            wait,
            from_ns: wait.start_ns.max(window.0),
            to_ns: wait.end_ns.min(window.1),
            causes,
        }
    }

    /// Length, ns.
    #[must_use]
    pub fn ns(&self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }

    /// Returns whether the wait began before the window.
    #[must_use]
    pub fn begun_before(&self) -> bool {
        self.wait.start_ns < self.from_ns
    }

    /// Returns whether the wait continues past the window's end.
    #[must_use]
    pub fn open_at_end(&self) -> bool {
        self.wait.end_ns > self.to_ns
    }
}
