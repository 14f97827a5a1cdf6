//! What a bundle holds of the evidence.

use super::SchedExt;
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Source;
use serde::{Deserialize, Serialize};

/// What a bundle's replay stands on; part of the bundle's manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The traced kernel, when a recording tells it.
    pub kernel: Option<KernelVersion>,
    /// Jiffies per second.
    pub hz: u32,
    /// How `hz` is known.
    pub hz_source: Source,
    /// Whether who was runnable where is known: switches, wake-ups and migrations.
    pub run_state: Source,
    /// Which sleeps were `in_iowait`; `None` when nothing tells.
    pub iowait: Option<Source>,
    /// Which tasks were in memory stalls when; `None` when nothing tells.
    pub memstall: Option<Source>,
    /// Interrupt time; `None` when nothing tells.
    pub irq: Option<Source>,
    /// Which task was in which cgroup; `None` when nothing tells.
    pub cgroups: Option<Source>,
    /// When the kernel's worker aggregated; `None` when only the reads are known.
    pub worker: Option<Source>,
    /// When CPUs were offline, as `cpuhp` events say, by CPU and time.
    pub offline: Vec<CpuSpan>,
    /// What was recorded of `sched_ext`; `None` when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sched_ext: Option<SchedExt>,
}

/// A time of a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuSpan {
    /// The CPU.
    pub cpu: u32,
    /// From when, ns of the reference clock; 0 when it was so before the recording began.
    pub from_ns: u64,
    /// Until when; `None` when no end is recorded.
    pub to_ns: Option<u64>,
}

/// What made the kernel aggregate pressure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstantKind {
    /// Somebody read a pressure file.
    Read,
    /// The worker that updates the averages (`psi_avgs_work`; `psi_update_work` in 4.20).
    Worker,
}

/// A moment at which the kernel aggregated the pressure of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instant {
    /// When, ns of the reference clock.
    pub ts_ns: u64,
    /// [`MACHINE`](crate::states::MACHINE) or a cgroup's number.
    pub group: u32,
    /// What made it.
    pub kind: InstantKind,
}
