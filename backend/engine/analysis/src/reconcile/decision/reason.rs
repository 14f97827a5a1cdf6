//! Why an attempt found no CPU.

use schemars::JsonSchema;
use serde::Serialize;

use crate::reconcile::decision::counts::Counts;
use crate::reconcile::decision::imbalance::Maymove;

/// Why `task_numa_find_cpu` found no CPU on the node it was asked for, as far as task counts tell. The numbers stand in the
/// [`Explanation`](super::Explanation) beside it.
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
pub(super) fn no_cpu(src: &Counts, dst: &Counts, maymove: Maymove) -> NoCpu {
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
