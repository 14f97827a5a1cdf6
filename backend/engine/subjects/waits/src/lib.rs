//! Waits of tasks for a CPU, and their causes.
//!
//! A wake-up's wait goes from the request (`sched_waking`) to the switch-in; a preempted task's from losing its CPU to
//! getting one again. The two are distinguished. Percentiles are nearest-rank ones.

mod decisions;
pub mod findings;
mod groups;
mod heat;
mod meter;
mod options;
pub(crate) mod queues;
pub mod sections;
mod story;
mod waited;
mod weights;
mod windows;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, WaitPart};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::decisions::decisions;
pub use self::heat::{BUCKETS, Cell, HeatConfig, HeatMeter, HeatWaits, WaitHeat, bucket_of};
pub use self::meter::{Config, MAX_LIMIT, Meter};
pub use self::sections::SUBJECT;
pub use self::story::{
    CriticalPath, Hop, IdleCpu, IdleNode, IdlePiece, Move, PathLogs, PathPart, PathStep, PathWaker,
    Runner, Segment, Stop, Story, StoryLogs, StoryOf, Stretch, critical_path, story,
};
pub use self::waited::{OfflineCpu, Waited};
pub use self::windows::{
    BINS_PER_DECADE, Histogram, WaitWindow, WaitWindows, WindowsConfig, WindowsMeter, wait_bins,
};

// What comes out.

/// Percentiles of waits, ns; `None` without values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitNumbers")]
pub struct Spread {
    /// Half of the waits are at most this long.
    pub p50_ns: Option<u64>,
    /// 90 % are.
    pub p90_ns: Option<u64>,
    /// 99 % are.
    pub p99_ns: Option<u64>,
    /// The longest, exactly.
    pub max_ns: Option<u64>,
    /// Maximum excess of the percentiles over the true ones, percent; 0 when exact.
    pub error_percent: u8,
}

/// Time that waits spent on a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CauseTime")]
pub struct CauseSum {
    /// The cause.
    pub cause: &'static str,
    /// ns.
    pub ns: u64,
}

impl CauseSum {
    /// The causes that there are, in order.
    pub(crate) fn list(sums: &[u64; Cause::COUNT]) -> Vec<Self> {
        Cause::ALL
            .iter()
            .zip(sums)
            .filter(|(_, ns)| **ns != 0)
            .map(|(cause, &ns)| Self {
                cause: cause.name(),
                ns,
            })
            .collect()
    }
}

/// A task that ran on a wait's CPU during it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Antagonist {
    /// Row of the table of tasks.
    pub task: TaskId,
    /// Pid.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Run time during the wait, ns.
    pub ns: u64,
}

/// Tasks that also ran but are too many to be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OtherTasks")]
pub struct Others {
    /// Number of tasks.
    pub tasks: usize,
    /// Total run time, ns.
    pub ns: u64,
}

/// A long wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Wait")]
pub struct WorstWait {
    /// Pid of the waiting task.
    pub pid: i32,
    /// Name.
    pub comm: String,
    /// Row of the table of tasks.
    pub task: TaskId,
    /// Start of the wait: the request, or the preemption.
    #[serde(with = "Moment")]
    pub waking_ns: u64,
    /// End of the wait.
    #[serde(with = "Moment")]
    pub switch_in_ns: u64,
    /// `switch_in_ns - waking_ns`, less what lies outside of the window.
    pub wait_ns: u64,
    /// CPU on which it ran.
    pub cpu: u32,
    /// CPU on which it became runnable.
    pub from_cpu: u32,
    /// The node of `cpu`.
    pub nid: Option<u32>,
    /// Task on the waking CPU.
    pub waker_pid: Option<i32>,
    /// Priority, as the kernel counts.
    pub prio: i32,
    /// Cgroup, if cgroups are known.
    pub cgroup: Option<String>,
    /// Causes of the wait; they add up to it.
    pub causes: Vec<CauseSum>,
    /// Tasks that ran on the CPUs of its runqueues during the wait, the longest first.
    pub antagonists: Vec<Antagonist>,
    /// Other such tasks.
    pub others: Option<Others>,
}

/// Waits of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitsOfAKind")]
pub struct WaitsOfKind {
    /// Number.
    pub count: u64,
    /// Sum, ns.
    pub wait_ns: u64,
    /// Exact percentiles.
    #[serde(flatten)]
    pub spread: Spread,
    /// Causes of these waits.
    pub causes: Vec<CauseSum>,
    /// The longest ones, those of the recorder last.
    pub worst: Vec<WorstWait>,
}

/// Waits that cross an edge of the window. Only the part inside the window counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EdgeWaits {
    /// Waits that began before the window.
    pub begun_before: u64,
    /// Waits that continued past its end.
    pub open_at_end: u64,
    /// Length of their parts inside, ns.
    pub wait_ns: u64,
}

impl EdgeWaits {
    #[inline]
    fn add(&mut self, part: &WaitPart<'_>) {
        let (before, after) = (part.begun_before(), part.open_at_end());
        if before || after {
            self.begun_before += u64::from(before);
            self.open_at_end += u64::from(after);
            self.wait_ns = self.wait_ns.saturating_add(part.ns());
        }
    }
}

macro_rules! group {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
        pub struct $name {
            $($(#[$doc])* pub $field: $ty,)+
            /// Number of wakeups.
            pub count: u64,
            /// Percentiles.
            #[serde(flatten)]
            pub spread: Spread,
            /// The sum of their waits, ns.
            pub wait_ns: u64,
            /// Causes of the waits.
            pub causes: Vec<CauseSum>,
            /// Waits after a preemption, which are in none of the numbers above.
            pub preempted: u64,
            /// Sum of waits after preemptions, ns.
            pub preempted_ns: u64,
            /// Causes of waits after preemptions.
            pub preempted_causes: Vec<CauseSum>,
            /// Percentiles of wake-ups and waits after a preemption together.
            pub all: Spread,
        }
    };
}

group! {
    /// The waits that ended on a node.
    NodeWaits {
        /// The node.
        nid: u32,
    }
}

group! {
    /// The waits of a task.
    TaskWaits {
        /// Row of the table of tasks.
        task: TaskId,
        /// Pid.
        pid: i32,
        /// Name.
        comm: String,
    }
}

group! {
    /// The waits of a cgroup's own tasks.
    CgroupWaits {
        /// Path of the cgroup.
        cgroup: String,
    }
}

/// Waits of tasks in a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Latency {
    /// Wake-ups whose wait ended in the window.
    pub wakeups: u64,
    /// The sum of their waits, ns.
    pub wait_ns: u64,
    /// Exact percentiles.
    #[serde(flatten)]
    pub spread: Spread,
    /// The longest, longest first; of those that are as long, the earliest first. Those of the recorder come last.
    pub worst: Vec<WorstWait>,
    /// Waits that began with a preemption.
    pub preempted: WaitsOfKind,
    /// Waits of new tasks for their first turn.
    pub new: WaitsOfKind,
    /// Waits that had not ended when the window or the recording did, or whose start or end is not known because events were
    /// lost. Their length is a minimum.
    pub unfinished: WaitsOfKind,
    /// Waits that cross the window's edges; they are among those above, with their parts inside.
    pub edges: EdgeWaits,
    /// By node, in the machine's order.
    pub by_node: Vec<NodeWaits>,
    /// By task, those that waited longest in sum first; at most as many as requested.
    pub by_task: Vec<TaskWaits>,
    /// Number of tasks that waited.
    pub tasks: usize,
    /// By cgroup, in the same order, as many; none when cgroups are not known.
    pub by_cgroup: Vec<CgroupWaits>,
    /// Causes of the waits after wakeups.
    pub causes: Vec<CauseSum>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}
