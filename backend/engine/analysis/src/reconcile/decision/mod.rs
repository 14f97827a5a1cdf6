//! How the NUMA balancer decides, by kernel version (`kernel/sched/fair.c`; `docs/algorithms/numa_balancing.md`, N5-N9), and what
//! each of its attempts met.
//!
//! The rules are functions of numbers ([`RULES`], [`Imbalance`], [`compare`]); [`Explainer`] puts a recording's attempts beside
//! the log of states.

mod compare;
mod counts;
mod explain;
mod imbalance;
mod load;
mod node_type;
mod reason;
mod result;
mod rules;

pub use self::compare::{
    Best, Candidate, Compared, Cur, Search, SkipReason, Weights, compare, improvement,
    less_sixteenth,
};
pub(crate) use self::counts::{Counts, NodeCounts};
pub use self::explain::{Config, Explainer};
pub use self::imbalance::{Imbalance, Maymove, imb_numa_nr, imb_numa_nr_above, maymove};
pub use self::load::{Loads, load_too_imbalanced};
pub use self::node_type::{Average, NodeType, classify, possible_types};
pub use self::reason::NoCpu;
pub use self::result::{Answer, Explanation, Explanations, NodeAt};
pub use self::rules::{Allowance, Classifier, RULES, Rules, rules_of};

/// Below this improvement a swap is not worth its cost (`SMALLIMP`).
pub const SMALLIMP: i64 = 30;
/// An imbalance of so many tasks is left alone where one is allowed at all (`NUMA_IMBALANCE_MIN`).
pub const NUMA_IMBALANCE_MIN: i64 = 2;

/// Which tasks are fair ones: the log of states counts all.
pub(crate) const SCHED_CLASS: &str = "sched_class";
/// Average load, utilisation and runnable time of runqueues.
pub(crate) const PELT: &str = "pelt";
/// Which CPUs share a last-level cache.
pub(crate) const LLC_TOPOLOGY: &str = "llc_topology";
/// The traced kernel's version.
pub(crate) const KERNEL: &str = "kernel version";
