//! Results.

use numalens_core::json::Moment;
use numalens_core::tasks::TaskId;
use numalens_replay::migrations::How;
use schemars::JsonSchema;
use serde::Serialize;

use crate::metrics::locality::{Convergence, Locality};
use crate::metrics::samples::{MemoryEvidence, Quality};

/// Moves of tasks between nodes, today's form of the 2010 statistic "tasks migrated".
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeMoves {
    /// Number.
    pub count: u64,
    /// Per second of the window.
    pub per_s: f64,
    /// By what the task was then.
    pub by_how: Vec<(&'static str, u64)>,
    /// Times that a task turned out to be on another node than its last event says.
    pub unseen: u64,
    /// Migrations from or to CPUs of which no node is known.
    pub unplaced: u64,
    /// Provenance.
    #[serde(flatten)]
    pub quality: Quality,
}

/// Names of [`How`] by its number.
pub(super) const HOWS: [(&str, How); 4] = [
    ("unknown", How::Unknown),
    ("waking", How::Waking),
    ("runnable", How::Runnable),
    ("asleep", How::Asleep),
];

/// Dwells shorter than an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Shorter {
    /// The interval, ns.
    pub than_ns: u64,
    /// Number.
    pub count: u64,
    /// Share of all complete dwells; `None` of none.
    pub share: Option<f64>,
}

/// Time that ran on nodes that do not hold most of the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RemoteRun {
    /// ns on CPUs.
    pub ns: u64,
    /// Inputs that would improve the provenance; if neither run times nor memory are known, `ns` is 0.
    pub missing: Vec<String>,
}

/// Time that tasks stayed on a node: between two moves to other nodes. The times before a task's first such move and after
/// its last are incomplete and left out.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dwell {
    /// Complete dwells that end in the window.
    pub count: u64,
    /// Half of them are at most this long, ns.
    pub p50_ns: Option<u64>,
    /// 99 % are.
    pub p99_ns: Option<u64>,
    /// The longest.
    pub max_ns: Option<u64>,
    /// The sum of all, ns.
    pub sum_ns: u64,
    /// Dwells that a migration interval of 5, 30 and 300 s would not have allowed.
    pub violations: Vec<Shorter>,
    /// Dwells under a second.
    pub short: Shorter,
    /// Time on the wrong node in dwells under a second.
    pub short_remote: RemoteRun,
    /// Provenance.
    #[serde(flatten)]
    pub quality: Quality,
}

/// Pages that were migrated for a task that left soon after.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct JustTooLate {
    /// A: the task left sooner than this, ns.
    pub amortisation_ns: u64,
    /// Pages migrated on fault in the window.
    pub migrated_pages: u64,
    /// Of these, those that came too late.
    pub pages: u64,
    /// Share; `None` without migrations.
    pub share: Option<f64>,
    /// Pages whose task has not left when the recording ends, so that no decision is possible.
    pub undecided_pages: u64,
    /// Calls that migrated the late pages.
    pub batches: u64,
    /// Time of the calls with a recorded start, ns.
    pub migrate_ns: u64,
    /// Number of calls without a recorded start.
    pub untimed_batches: u64,
    /// Number of calls whose destination an event shows; for the others it is the node of the CPU.
    pub told_batches: u64,
    /// Provenance.
    #[serde(flatten)]
    pub quality: Quality,
}

/// A node's share.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodePages {
    /// The node.
    pub nid: u32,
    /// Pages that were migrated to it.
    pub pages: u64,
    /// Per second of the window.
    pub per_s: f64,
}

/// Pages migrated on fault, to the node where the task runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryFollowsCpu {
    /// Pages.
    pub pages: u64,
    /// Pages that could not be migrated.
    pub failed: u64,
    /// Calls.
    pub batches: u64,
    /// Pages per second of the window.
    pub per_s: f64,
    /// By the node that they came to.
    pub nodes: Vec<NodePages>,
    /// Provenance; the nodes are inferred, except if every event shows them.
    #[serde(flatten)]
    pub quality: Quality,
}

/// Moves of tasks to the node that holds most of their memory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CpuFollowsMemory {
    /// All moves between nodes in the window.
    pub moves: u64,
    /// Moves to the memory.
    pub following: u64,
    /// Moves without a known location of the memory.
    pub unknown: u64,
    /// `following / moves`; `None` when the memory of none is known.
    pub share: Option<f64>,
    /// Number of moves judged by each kind of sample.
    pub by: Vec<(MemoryEvidence, u64)>,
    /// Provenance.
    #[serde(flatten)]
    pub quality: Quality,
}

/// A process whose tasks go to the memory while its memory goes to the tasks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fighter {
    /// The process.
    pub tgid: i32,
    /// Windows in which it fought.
    pub windows: u64,
    /// Windows in which it moved at all, tasks or pages.
    pub active: u64,
    /// Pages that went against its tasks, in these windows, between the same two nodes.
    pub pages: u64,
    /// Moves of its tasks in them.
    pub moves: u64,
    /// Time that it ran off its memory in them.
    pub remote: RemoteRun,
}

/// Windows of 10 s in which a process has both: tasks moved from one node to another where the memory is, and pages moved
/// the other way.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Fight {
    /// Windows, from the start of the query; the last may be shorter.
    pub windows: u64,
    /// Windows in which some process fights itself.
    pub fighting: u64,
    /// `fighting / windows`; `None` without windows, or when the location of memory is not known.
    pub index: Option<f64>,
    /// The same if every move of unknown memory went to it.
    pub at_most: Option<f64>,
    /// The worst processes; by the rule of `at_most` when the location of memory is not known.
    pub processes: Vec<Fighter>,
    /// Provenance.
    #[serde(flatten)]
    pub quality: Quality,
}

/// Durations of calls that migrate pages, by reason.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Durations {
    /// The reason's name; empty when not known.
    pub reason: String,
    /// Calls that ended in the window.
    pub batches: u64,
    /// Of these, those whose begin is recorded: the times are theirs.
    pub timed: u64,
    /// Base pages migrated.
    pub pages: u64,
    /// Pages that could not be.
    pub failed: u64,
    /// Time in all, ns.
    pub sum_ns: u64,
    /// Half took at most this long, ns.
    pub p50_ns: Option<u64>,
    /// 99 % did.
    pub p99_ns: Option<u64>,
    /// The longest.
    pub max_ns: Option<u64>,
    /// Maximum excess of the percentiles over the true ones, percent.
    pub error_percent: u8,
}

/// A task that moved between nodes, or whose pages did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MovedTask")]
pub struct TaskRow {
    /// The task.
    pub pid: i32,
    /// Process, or the pid itself if that is not known.
    pub tgid: i32,
    /// Number; `None` for a task that never changed its CPU.
    pub task: Option<TaskId>,
    /// Moves between nodes.
    pub moves: u64,
    /// Complete dwells under a second.
    pub short_dwells: u64,
    /// Time on each node, whether it ran or not, ns; together the window's length.
    pub by_node: Vec<(u32, u64)>,
    /// Pages migrated on fault for it.
    pub pages: u64,
    /// Of these, those that came too late.
    pub just_too_late_pages: u64,
    /// Time it spent migrating them, ns.
    pub migrate_ns: u64,
    /// Time that it ran, ns, if that is known.
    pub run_ns: Option<u64>,
}

/// Tasks, the worst first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MovedTasks")]
pub struct TaskRows {
    /// Number.
    pub count: u64,
    /// Tasks that moved most and those whose pages took most time.
    pub rows: Vec<TaskRow>,
}

/// Counts for each step of the window. Rates are these counts by a step's length; the last step may be shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MoveSeries")]
pub struct Series {
    /// Length of a step, ns.
    pub step_ns: u64,
    /// Moves of tasks between nodes.
    pub moves: Vec<u64>,
    /// Pages migrated on fault.
    pub pages: Vec<u64>,
    /// Pages migrated for any reason.
    pub all_pages: Vec<u64>,
    /// Pages migrated on fault that came too late, in the step in which they came.
    pub just_too_late: Vec<u64>,
    /// Pages migrated on fault by the node that they came to, in the order of `memory_follows_cpu.nodes`.
    pub by_node: Vec<Vec<u64>>,
}

/// Metrics of a window: memory that follows CPUs, and CPUs that follow memory.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "MigrationMetrics")]
pub struct Metrics {
    /// The window, ns of the reference clock.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Moves of tasks between nodes.
    pub moves: NodeMoves,
    /// Dwells of tasks.
    pub dwell: Dwell,
    /// Pages that came too late.
    pub just_too_late: JustTooLate,
    /// Pages that followed tasks.
    pub memory_follows_cpu: MemoryFollowsCpu,
    /// Tasks that followed pages.
    pub cpu_follows_memory: CpuFollowsMemory,
    /// Pages and tasks that followed each other at once.
    pub fight: Fight,
    /// Locality of memory.
    pub locality: Locality,
    /// Time at which placement was settled.
    pub convergence: Convergence,
    /// Time of the calls that migrate pages; observed if their start is recorded.
    pub durations: Vec<Durations>,
    /// Tasks.
    pub tasks: TaskRows,
    /// Over time.
    pub series: Series,
}
