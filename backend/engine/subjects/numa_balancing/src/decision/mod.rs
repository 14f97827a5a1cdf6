//! How the NUMA balancer decides, by kernel version (`kernel/sched/fair.c`; `docs/algorithms/numa_balancing.md`, N5-N9), and what
//! each of its attempts met.
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

/// An imbalance of so many tasks is left alone where one is allowed at all (`NUMA_IMBALANCE_MIN`).
pub const NUMA_IMBALANCE_MIN: i64 = 2;

/// Which tasks are fair ones: the log of states counts all.
pub(crate) const SCHED_CLASS: &str = "sched_class";
/// Average load, utilisation and runnable time of runqueues.
pub(crate) const PELT: &str = "pelt";
/// What a task adds to the load of its CPU.
pub(crate) const TASK_LOAD: &str = "task_h_load";
/// Which CPUs share a last-level cache.
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
    /// Its CPUs.
    pub weight: u32,
    /// Of these, those that were idle.
    pub idle_cpus: u32,
    /// Of these, those of which nothing is known.
    pub unknown_cpus: u32,
    /// What it was for the balancer; more than one where averages decide, none for kernels that do not classify.
    pub node_type: &'static [NodeType],
    /// How good that is: replayed where it has spare for certain, for tasks of other classes are counted as well.
    pub label: Label,
}

/// What the rules of one version say of a move to a free CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RulesAnswer")]
pub struct Answer {
    /// First version with these rules; see [`Rules::name`].
    pub rules: &'static str,
    /// Whether the traced kernel has them.
    pub recorded: bool,
    /// What they say.
    pub maymove: Maymove,
    /// The imbalance that they leave; 0 is allowed; `None` where they do not ask.
    pub imbalance: Option<i64>,
    /// `imb_numa_nr`, where they ask.
    pub imb_numa_nr: Option<i64>,
    /// What-if, unless the traced kernel has them.
    pub label: Label,
}

/// What an attempt met when it began.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Which of the attempts that were handed in.
    pub attempt: usize,
    /// When it began, ns of the reference clock.
    #[serde(with = "Moment")]
    pub start_ns: u64,
    /// Who.
    pub pid: i32,
    /// From which node; -1 when not known.
    pub src_nid: i32,
    /// The node that is explained: the one of the CPU that was chosen, else the preferred one; -1 when neither is known.
    pub dst_nid: i32,
    /// All nodes, in the machine's order.
    pub nodes: Vec<NodeAt>,
    /// The numbers of a move between the two; `None` unless both are known and differ.
    pub imbalance: Option<Imbalance>,
    /// What each version's rules say of it; empty without `imbalance`.
    pub answers: Vec<Answer>,
    /// Why it found no CPU; only for those that did not.
    pub no_cpu: Option<NoCpu>,
    /// Of a move into a node that would run at least 3 tasks more than the source: time that tasks waited on the destination
    /// in the next 100 ms beyond what those that waited before would have, task-ns.
    pub extra_wait_ns: Option<u64>,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<&'static str>,
}

/// What the attempts of a window met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanations {
    /// The traced kernel's rules.
    pub rules: Rules,
    /// Whether they are assumed, as its version is not known.
    pub assumed: bool,
    /// By attempt, in order.
    pub attempts: Vec<Explanation>,
    /// How good it is, of all attempts together.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}

// Why an attempt found no CPU.

/// Why `task_numa_find_cpu` found no CPU on the wanted node, as far as task counts tell. The numbers stand in the
/// [`Explanation`](Explanation) next to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoCpu {
    /// The node it was to go to is not known.
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
    /// The kernel asks the nodes' loads, which no event tells.
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
