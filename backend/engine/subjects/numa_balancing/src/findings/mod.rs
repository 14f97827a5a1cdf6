//! Findings about the NUMA balancer and the load balancer, from plain inputs (`docs/algorithms/numa_balancing.md`, N17).
//!
//! A detector is a function of [`NumaBalancingFacts`]; without its input, a detector finds nothing. Severities are set
//! by [`findings::rank`](numalens_subject::findings::rank).

pub(super) mod fight;
pub(super) mod imbalance;
pub(super) mod rates;
pub(super) mod stacking;

use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Source;
use numalens_core::topology::Node;
use numalens_replay::migrations::Migration;
use numalens_replay::numa::{Attempt, PageBatch};
use numalens_subject::detectors;
use numalens_subject::window::{into, time};

use crate::decision::Explanations;
use crate::per_node::Table;
use crate::vmstat::VmstatTable;

pub(crate) use self::imbalance::stretches;
pub use self::stacking::{Episode, Stacked, StackedNode, StackingWatch};

pub use self::rates::PAGE_CHURN;

/// Inputs of the detectors: all of one window.
#[derive(Debug, Clone, Copy)]
pub struct NumaBalancingFacts<'a> {
    /// The window, ns of the reference clock.
    pub from_ns: u64,
    /// End, ns.
    pub to_ns: u64,
    /// The traced kernel.
    pub kernel: Option<KernelVersion>,
    /// The machine.
    pub nodes: &'a [Node],
    /// The attempts that begin in the window, ascending.
    pub attempts: &'a [Attempt],
    /// Source of the attempts.
    pub attempts_source: &'a Source,
    /// State of the machine at the attempts.
    pub explained: Option<&'a Explanations>,
    /// Migrations of tasks in the window, ascending; `None` when not recorded.
    pub migrations: Option<&'a [Migration]>,
    /// Nodes with more tasks than CPUs, from a [`StackingWatch`].
    pub stacked: Option<&'a Stacked>,
    /// The per-node table of busy time.
    pub per_node: Option<&'a Table>,
    /// Waste in each of its steps, CPU-ns ([`waste::Series`](numalens_waste::Series) of the same window and step).
    pub waste_cpu_ns: Option<&'a [u64]>,
    /// The counters' rows.
    pub vmstat: Option<&'a VmstatTable>,
    /// Calls that migrated pages, that end in the window.
    pub batches: &'a [PageBatch],
}

// Pieces that the detectors share.

/// A moment, as seconds into the window.
fn at(facts: &NumaBalancingFacts<'_>, ts_ns: u64) -> String {
    into(facts.from_ns, ts_ns)
}

detectors! {
    NumaBalancingFacts<'_>;
    fight::NUMA_LB_FIGHT => fight::fight,
    imbalance::MOVE_INTO_BUSIER => imbalance::busier,
    imbalance::NODE_IMBALANCE_PERSISTENT => imbalance::imbalance,
    rates::STICK_RATE => rates::stick_rate,
    rates::SWAP_RACE => rates::swap_race,
    rates::PAGE_CHURN => rates::churn,
    stacking::NUMA_NODE_STACKING => stacking::stacking,
}
