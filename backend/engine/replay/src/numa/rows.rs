//! One row each: an attempt, a batch of migrated pages; and the words of the cling kernel's lines.

use numalens_core::json::Moment;
use numalens_core::listed;
use schemars::JsonSchema;
use serde::Serialize;

listed! {
    /// End of an attempt of `task_numa_migrate`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
    #[schemars(rename = "AttemptVerdict")]
    #[serde(rename_all = "snake_case")]
    #[repr(u8)]
    pub enum Verdict {
        /// Unknown: the recording ends, has a gap, or lacks the decisive event.
        Unknown = 0,
        /// Moved to a CPU (`migrate_task_to` returned 0).
        Moved = 1,
        /// Swapped with another task (`migrate_swap` returned 0).
        Swapped = 2,
        /// No CPU was found (`best_cpu == -1`, `-EAGAIN`).
        NoCpu = 3,
        /// The move was tried and failed: `sched_move_numa`, then `sched_stick_numa` without a partner.
        MoveFailed = 4,
        /// The move was refused before it was traced (affinity, `-EINVAL` of `migrate_task_to`).
        MoveRefused = 5,
        /// The swap was tried but the tasks had moved: `sched_swap_numa`, then `sched_stick_numa`.
        SwapRaced = 6,
        /// The swap was refused before it was traced.
        SwapRefused = 7,
        /// No NUMA domain (`-EINVAL`); visible only to a probe on the function's return.
        NoDomain = 8,
    }
}

impl Verdict {
    /// Returns whether the kernel counts it as failed; `None` when not known.
    #[must_use]
    pub fn failed(self) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Moved | Self::Swapped => Some(false),
            _ => Some(true),
        }
    }
}

listed! {
    /// Source of the attempt's target node.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
    #[schemars(rename = "AttemptTarget")]
    #[serde(rename_all = "snake_case")]
    #[repr(u8)]
    pub enum TargetFrom {
        /// Not known.
        Unknown = 0,
        /// A probe on the entry of `task_numa_migrate` printed the preferred node.
        Entry = 1,
        /// The machine has two nodes, and a task does not attempt to reach the node that it is on.
        TwoNodes = 2,
        /// The last `sched_setnuma` of the task, by a probe or a line of the cling kernel.
        Setnuma = 3,
        /// A sample of the task's `numa_preferred_nid`.
        Sample = 4,
        /// The destination of this attempt; second-choice nodes make that wrong at times on more than two nodes.
        Destination = 5,
        /// The destination of the task's attempt before this one.
        LastDestination = 6,
    }
}

/// The other task of a swap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Partner {
    /// Pid of the task.
    pub pid: i32,
    /// Process of the task.
    pub tgid: i32,
    /// Numa group of the task; 0 for none.
    pub ngid: i32,
}

/// An attempt of the NUMA balancer to bring a task to its preferred node (`task_numa_migrate`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AttemptRow")]
pub struct Attempt {
    /// Time of its first event, ns of the reference clock; ascends from row to row.
    #[serde(with = "Moment")]
    pub start_ns: u64,
    /// Time of the event of its end (the kernel accounts it then or later), ns; at least `start_ns`.
    #[serde(with = "Moment")]
    pub end_ns: u64,
    /// CPU of its first event.
    pub cpu: u32,
    /// Pid of the task.
    pub pid: i32,
    /// Process of the task; 0 when unknown.
    pub tgid: i32,
    /// Numa group as printed: the founder's pid, 0 for none; -1 when no event printed it.
    pub ngid: i32,
    /// CPU of the task; -1 when unknown.
    pub src_cpu: i32,
    /// Node of that CPU; -1 when unknown.
    pub src_nid: i32,
    /// The CPU that was chosen; -1 for none.
    pub dst_cpu: i32,
    /// Node of the target CPU; -1 for none.
    pub dst_nid: i32,
    /// The task it was to swap with.
    pub partner: Option<Partner>,
    /// End of the attempt.
    pub verdict: Verdict,
    /// The preferred node when it began; -1 when unknown.
    pub target_nid: i32,
    /// Source of the target.
    pub target_from: TargetFrom,
    /// Return value of `task_numa_migrate`, if probed.
    pub ret: Option<i32>,
}

/// One call that migrated pages (`mm_migrate_pages`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageBatch {
    /// Start of the call (`mm_migrate_pages_start` of the same task); `None` when not recorded.
    pub start_ns: Option<u64>,
    /// End of the call, ns of the reference clock; ascends from row to row.
    pub end_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// The task that did it.
    pub pid: i32,
    /// Base pages migrated.
    pub succeeded: u64,
    /// Pages that could not be migrated.
    pub failed: u64,
    /// Number of the reason, by the names in the event's own `print fmt`; see [`crate::numa`].
    pub reason: u8,
    /// Number of the mode: 0 `MIGRATE_ASYNC`, 1 `MIGRATE_SYNC_LIGHT`, 2 `MIGRATE_SYNC`.
    pub mode: u8,
    /// Source and target node of the pages if an event has them (`mm_migrate_misplaced_pages`); otherwise -1.
    pub src_nid: i32,
    /// See `src_nid`.
    pub dst_nid: i32,
}

listed! {
    /// Place where the cling kernel checked whether a task clings.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Site {
        /// `select_task_rq_fair`.
        Wake = 0 => "wake",
        /// `migrate_degrades_locality`.
        LoadBalance = 1 => "lb",
        /// `task_numa_compare`.
        Swap = 2 => "swap",
    }
}

listed! {
    /// Reason for which a task joined or left a group.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[repr(u8)]
    pub enum GroupChange {
        /// The cgroup's group.
        TaskGroup = 0 => "tg",
        /// From one cgroup's group to another.
        Switch = 1 => "switch",
        /// A group formed by faults.
        Classic = 2 => "classic",
        /// The group was given up.
        Evacuate = 3 => "evacuate",
        /// The task ended.
        Exit = 4 => "exit",
        /// The task executed another program.
        Exec = 5 => "exec",
    }
}
