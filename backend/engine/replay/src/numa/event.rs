//! One event of the NUMA balancers.

use super::{ClingLine, Partner};

/// Set of fields in `sched_stick_numa`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum StickFormat {
    /// Fields of `sched_move_numa` (3.14 to 5.6): only attempts that had found a CPU are recorded.
    Seven,
    /// Fields of `sched_swap_numa` (since 5.7): attempts that found no CPU are recorded as well.
    Ten,
}

/// Fields of `sched_move_numa`, `sched_swap_numa` and `sched_stick_numa`. `pid` is the task that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Pid of the task.
    pub pid: i32,
    /// Process of the task; 0 when not printed.
    pub tgid: i32,
    /// Numa group of the task; 0 for none, -1 when not printed.
    pub ngid: i32,
    /// CPU of the task; -1 when not printed.
    pub src_cpu: i32,
    /// Node of that CPU; -1 when not printed.
    pub src_nid: i32,
    /// The CPU that was chosen; -1 for none.
    pub dst_cpu: i32,
    /// Node of the target CPU; -1 for none.
    pub dst_nid: i32,
    /// The task it is to change places with.
    pub partner: Option<Partner>,
}

/// An event of the NUMA balancers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumaEvent {
    /// `sched_move_numa`: about to be moved.
    Move(Candidate),
    /// `sched_swap_numa`: about to change places.
    Swap(Candidate),
    /// `sched_stick_numa`: stays.
    Stick(Candidate, StickFormat),
    /// `task_numa_migrate` begins.
    Entry {
        /// Pid.
        pid: i32,
        /// Preferred node, if the probe prints it.
        nid: Option<i32>,
    },
    /// `task_numa_migrate` returns.
    Return {
        /// Pid.
        pid: i32,
        /// Return value, if the probe prints it.
        ret: Option<i32>,
    },
    /// A line of the cling kernel, or a probe with the same information.
    Line {
        /// Task on the CPU; -1 when not recorded.
        current: i32,
        /// Content of the line.
        line: ClingLine,
        /// A probe recorded it.
        probe: bool,
    },
    /// `sched_skip_vma_numa`.
    SkippedVma,
    /// Events of this CPU are missing from here on.
    Lost {
        /// Until when, ns.
        until_ns: u64,
    },
}
