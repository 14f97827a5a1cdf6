//! Facts and their labels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a value came about (`docs/algorithms/common.md`, K4).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Printed in an event or a sample.
    Observed,
    /// Follows from observed values by the kernel's rules, nothing missing.
    Replayed,
    /// Something was missing, approximated or assumed.
    Inferred,
    /// What the traced kernel would have computed under rules that it did not run.
    WhatIf,
}

/// Where a kind of fact comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceSource")]
pub struct Source {
    /// Name of the event, file or rule.
    pub name: String,
    /// How good it is.
    pub label: Label,
    /// What a better answer would need; empty unless inferred.
    pub missing: Vec<String>,
}

/// Version of a kernel: the rules of pressure depend on it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct KernelVersion {
    /// First number of the release.
    pub major: u16,
    /// Second number of the release.
    pub minor: u16,
}

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
