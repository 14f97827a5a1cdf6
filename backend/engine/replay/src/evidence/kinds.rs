//! Types of the evidence as stored in a bundle.

use super::SchedExt;
use numalens_core::kernel_version::KernelVersion;
use numalens_core::provenance::Source;
use serde::{Deserialize, Serialize};

/// Basis of a bundle's replay; part of the bundle's manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The traced kernel, if recorded.
    pub kernel: Option<KernelVersion>,
    /// Jiffies per second.
    pub hz: u32,
    /// Source of `hz`.
    pub hz_source: Source,
    /// Quality of the run states: switches, wakeups and migrations.
    pub run_state: Source,
    /// Source of `in_iowait`; `None` when not recorded.
    pub iowait: Option<Source>,
    /// Block device of nine tenths of the time of requests, as major and minor number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_device: Option<String>,
    /// Source of memory stalls; `None` when not recorded.
    pub memstall: Option<Source>,
    /// Source of interrupt time; `None` when not recorded.
    pub irq: Option<Source>,
    /// Source of the tasks' cgroups; `None` when not recorded.
    pub cgroups: Option<Source>,
    /// Source of the aggregations by the kernel's worker; `None` when only the reads are known.
    pub worker: Option<Source>,
    /// Spans in which CPUs were offline, from `cpuhp` events, by CPU and time.
    pub offline: Vec<CpuSpan>,
    /// Facts about `sched_ext`; `None` when not recorded.
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

/// Reason for which the kernel aggregated pressure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstantKind {
    /// A process read a pressure file.
    Read,
    /// The worker that updates the averages (`psi_avgs_work`; `psi_update_work` in 4.20).
    Worker,
}

/// A moment at which the kernel aggregated the pressure of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instant {
    /// Time, ns of the reference clock.
    pub ts_ns: u64,
    /// [`MACHINE`](crate::states::MACHINE) or a cgroup's number.
    pub group: u32,
    /// Reason of the aggregation.
    pub kind: InstantKind,
}
