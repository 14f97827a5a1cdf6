//! What comes out.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::decision::imbalance::{Imbalance, Maymove};
use crate::reconcile::decision::node_type::NodeType;
use crate::reconcile::decision::reason::NoCpu;
use crate::reconcile::decision::rules::Rules;

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
    /// How good that is: replayed where one type alone is possible.
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
