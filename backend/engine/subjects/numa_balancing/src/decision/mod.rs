//! Decisions of the NUMA balancer, by kernel version (`kernel/sched/fair.c`; `docs/algorithms/numa_balancing.md`, N5-N9), and
//! the state of the machine at each attempt.
//!
//! The rules are functions of numbers ([`RULES`], [`Imbalance`]); [`Explainer`] puts a recording's attempts next to
//! the log of states.

mod counts;
mod explain;
mod rules;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::counts::{Counts, NodeCounts};
pub(crate) use self::explain::FOLLOW_NS;
pub use self::explain::{Config, Explainer};
pub use self::rules::{
    Allowance, Average, Classifier, Imbalance, Maymove, NodeType, RULES, Rules, classify,
    imb_numa_nr, maymove, node_types, possible_types, rules_of,
};

/// Imbalance in tasks that is tolerated where any is (`NUMA_IMBALANCE_MIN`).
pub const NUMA_IMBALANCE_MIN: i64 = 2;

/// Scheduling class of tasks: the log of states counts all classes.
pub(crate) const SCHED_CLASS: &str = "sched_class";
/// Average load, utilisation and runnable time of runqueues.
pub(crate) const PELT: &str = "pelt";
/// Contribution of a task to the load of its CPU.
pub(crate) const TASK_LOAD: &str = "task_h_load";
/// CPUs that share a last-level cache.
pub(crate) const LLC_TOPOLOGY: &str = "llc_topology";
/// The traced kernel's version.
pub(crate) const KERNEL: &str = "kernel version";

// What comes out.

/// A node when an attempt began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeAt {
    /// The node.
    pub nid: i32,
    /// Runnable tasks of any class on its CPUs, those that run included.
    pub nr_running: u64,
    /// Number of its CPUs.
    pub weight: u32,
    /// Of these, those that were idle.
    pub idle_cpus: u32,
    /// Of these, those of which nothing is known.
    pub unknown_cpus: u32,
    /// Type of the node for the balancer; several where averages decide, none for kernels that do not classify.
    pub node_type: &'static [NodeType],
    /// Provenance: replayed if it certainly has spare capacity, as tasks of other classes are also counted.
    pub label: Label,
}

/// Verdict of one version's rules on a move to a free CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RulesAnswer")]
pub struct Answer {
    /// First version with these rules; see [`Rules::name`].
    pub rules: &'static str,
    /// True if the traced kernel has these rules.
    pub recorded: bool,
    /// Verdict.
    pub maymove: Maymove,
    /// The imbalance that they leave; 0 is allowed; `None` where they do not ask.
    pub imbalance: Option<i64>,
    /// `imb_numa_nr`, where they ask.
    pub imb_numa_nr: Option<i64>,
    /// Label: a what-if, except for the traced kernel's rules.
    pub label: Label,
}

/// State of the machine at the start of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Position among the passed attempts.
    pub attempt: usize,
    /// Start, ns of the reference clock.
    #[serde(with = "Moment")]
    pub start_ns: u64,
    /// Pid.
    pub pid: i32,
    /// From which node; -1 when not known.
    pub src_nid: i32,
    /// The node that is explained: the one of the CPU that was chosen, else the preferred one; -1 when neither is known.
    pub dst_nid: i32,
    /// All nodes, in the machine's order.
    pub nodes: Vec<NodeAt>,
    /// The numbers of a move between the two; `None` unless both are known and differ.
    pub imbalance: Option<Imbalance>,
    /// Verdicts of each version's rules; empty without `imbalance`.
    pub answers: Vec<Answer>,
    /// Reason for finding no CPU, if it found none.
    pub no_cpu: Option<NoCpu>,
    /// For a move into a node that would run at least 3 more tasks than the source: additional waiting on the destination in
    /// the next 100 ms, compared with the tasks that waited before, task-ns.
    pub extra_wait_ns: Option<u64>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<&'static str>,
}

/// State of the machine at the attempts of a window.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanations {
    /// The traced kernel's rules.
    pub rules: Rules,
    /// True if the rules are assumed because the version is not known.
    pub assumed: bool,
    /// By attempt, in order.
    pub attempts: Vec<Explanation>,
    /// Provenance of all attempts together.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

// Why an attempt found no CPU.

/// Reason for which `task_numa_find_cpu` found no CPU on the wanted node, according to task counts. The numbers are in the
/// [`Explanation`](Explanation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoCpu {
    /// The target node is not known.
    TargetUnknown,
    /// Nothing is known of some CPU of the two nodes.
    CpusUnknown,
    /// The node had more runnable tasks than CPUs: only swaps, or moves that even out the loads.
    DstOverloaded,
    /// The node had a task for each of its CPUs.
    DstFull,
    /// The node had room, but the imbalance after a move was too large: only swaps, and none gained enough.
    ImbalanceDenied,
    /// The node had room, but no CPU was idle.
    NoIdleCpu,
    /// The node had room, an idle CPU, and the imbalance was allowed: the task may not run there, another NUMA migration was
    /// under way to it, or it was not idle for the kernel.
    IdleCpuNotTaken,
    /// The kernel compares the nodes' loads, which no event shows.
    Load,
}

/// The reason from what the destination had.
fn no_cpu(src: &Counts, dst: &Counts, maymove: Maymove) -> NoCpu {
    if src.unknown > 0 || dst.unknown > 0 {
        return NoCpu::CpusUnknown;
    }
    match maymove {
        Maymove::LoadTest => NoCpu::Load,
        Maymove::Denied => NoCpu::ImbalanceDenied,
        Maymove::Allowed if dst.idle == 0 => NoCpu::NoIdleCpu,
        Maymove::Allowed => NoCpu::IdleCpuNotTaken,
        Maymove::Unknown if dst.excess() > 0 => NoCpu::DstOverloaded,
        Maymove::Unknown => NoCpu::DstFull,
    }
}
