//! Answer of a pressure query, in the shape of its JSON.

use std::collections::BTreeMap;

use numalens_core::json::{Available, Moment, Unavailable};
use numalens_core::listed;
use numalens_core::provenance::{Label, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::state;

/// Agreement of the kernel's averages with its totals.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureAverages")]
pub struct AveragesCheck {
    /// Updates of a line (three averages each) that were predicted.
    pub updates: usize,
    /// The largest distance of a printed average from its prediction.
    pub worst: f64,
    /// Updates that could not be predicted: the first of each line, and those across a gap of the samples.
    pub skipped: usize,
    /// Of `updates`, those with but one possible percentage.
    pub exact: usize,
    /// Replayed when the moments of all updates are known.
    pub label: Label,
    /// Missing inputs.
    pub missing: Vec<String>,
    /// Place of the worst difference: (ns, resource, line, avg10|avg60|avg300).
    #[serde(skip)]
    pub worst_at: Option<(u64, &'static str, &'static str, &'static str)>,
}

/// A resource's sampled and replayed growth between two samples.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureResidual")]
pub struct Residual {
    /// The first sample's read, ns.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// The last sample's read, ns.
    #[serde(with = "Moment")]
    pub to_ns: u64,
    /// Samples in the window.
    pub samples: usize,
    /// Growth of `some` (of `full` where there is no `some`) as printed, µs.
    pub sampled_some_us: u64,
    /// The same as replayed.
    pub replayed_some_us: u64,
    /// By how much the replay is above (or below) what was printed, percent of that.
    pub error_percent: f64,
    /// Tolerance, percent.
    pub tolerance_percent: f64,
    /// Outside the tolerance.
    pub within: bool,
    /// The sampled growth as a share of the time, percent.
    pub pressure_percent: f64,
    /// Growth of `full` as printed, µs; none where the kernel has no such line.
    pub sampled_full_us: Option<u64>,
    /// The same as replayed.
    pub replayed_full_us: Option<u64>,
    /// Tolerance of the loose check (`docs/algorithms/psi.md`, P10): 2 % or two jiffies per aggregation, whichever is more,
    /// µs.
    pub check_tolerance_us: u64,
    /// `some` and `full` are within that.
    pub check_within: bool,
}

/// Missing input if the worker's runs are modelled.
pub const WORKER_RUNS: &str = "runs of psi_avgs_work";

/// A value, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Or<T> {
    /// The value.
    Value(T),
    /// Not recorded.
    Unavailable(Unavailable),
}

impl<T> Or<T> {
    /// No value, for a reason.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable(Unavailable::new(reason))
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unavailable(_) => None,
        }
    }
}

/// A resource's replayed totals in the window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureTotal")]
pub struct Totals {
    /// Available.
    #[serde(skip_serializing_if = "Available::is_implied")]
    pub available: Available,
    /// µs in which some task was delayed; none where the resource has no such line.
    pub some_us: Option<u64>,
    /// µs in which all were; none where the kernel has no such line.
    pub full_us: Option<u64>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// The resources of the machine or a cgroup.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureTotals")]
pub struct Resources {
    /// Waiting for a CPU.
    pub cpu: Or<Totals>,
    /// Memory stalls.
    pub memory: Or<Totals>,
    /// Waiting for I/O.
    pub io: Or<Totals>,
    /// Interrupt time.
    pub irq: Or<Totals>,
}

/// The machine's pressure for one resource at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressurePoint")]
pub struct SeriesPoint {
    /// Time, ns.
    #[serde(with = "Moment")]
    pub t_ns: u64,
    /// As a percentage with two places, like the file.
    pub some_avg10: f64,
    /// See `some_avg10`.
    pub some_avg60: f64,
    /// See `some_avg10`.
    pub some_avg300: f64,
    /// None where the kernel has no such line.
    pub full_avg10: Option<f64>,
    /// See `full_avg10`.
    pub full_avg60: Option<f64>,
    /// See `full_avg10`.
    pub full_avg300: Option<f64>,
    /// µs since the window's start.
    pub some_total_us: u64,
    /// See `some_total_us` and `full_avg10`.
    pub full_total_us: Option<u64>,
}

/// The machine's pressure over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureSeries")]
pub struct Series {
    /// Points of `cpu`.
    pub cpu: Vec<SeriesPoint>,
    /// Points of `memory`; none without evidence.
    pub memory: Vec<SeriesPoint>,
    /// Points of `io`; none without evidence.
    pub io: Vec<SeriesPoint>,
    /// Provenance of the averages: they depend on the time before the window.
    pub label: Option<Label>,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// Clocks of the CPUs of a node, added up.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureNode")]
pub struct Node {
    /// The node; -1 when not known.
    pub nid: i32,
    /// CPU time with a task waiting for the CPU, ns.
    pub cpu_some_ns: u64,
    /// CPU time with tasks runnable and none running, ns.
    pub cpu_full_ns: u64,
    /// CPU time with anything to do or to wait for, ns.
    pub nonidle_ns: u64,
    /// Unknown CPU time, ns; in none of the others.
    pub unknown_ns: u64,
}

/// Residuals by resource.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PressureResiduals")]
pub struct Residuals {
    /// Of `cpu`.
    pub cpu: Option<Residual>,
    /// Of `memory`.
    pub memory: Option<Residual>,
    /// Of `io`.
    pub io: Option<Residual>,
}

/// Pressure in a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Pressure")]
pub struct Psi {
    /// Family of the rules that were applied.
    pub rules: String,
    /// Source of the rules.
    pub rules_source: Source,
    /// Jiffies per second.
    pub hz: u32,
    /// Source of HZ.
    pub hz_source: Source,
    /// Source of the worker's aggregation times.
    pub worker_source: Source,
    /// The machine.
    pub system: Resources,
    /// The cgroups by path.
    pub cgroups: Or<BTreeMap<String, Resources>>,
    /// The machine over time.
    pub series: Series,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The machine's totals against what was printed; none without samples.
    pub residual: Option<Residuals>,
    /// The same for cgroups.
    pub cgroup_residual: BTreeMap<String, Residuals>,
    /// Averages predicted from the printed totals against those printed; none without samples.
    pub averages: Option<AveragesCheck>,
    /// Stall that aggregations threw away because no CPU had been busy for a jiffy, µs: some of cpu, memory and io.
    pub lost_us: LostStall,
}

/// Stall that was lost to reads in quick succession, µs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostStall {
    /// Of `cpu` `some`.
    pub cpu: u64,
    /// Of `memory` `some`.
    pub memory: u64,
    /// Of `io` `some`.
    pub io: u64,
}

// What the kernel printed, as the caller hands it in.

listed! {
    /// A resource that has a pressure file. The order is that in which the sampler reads the files.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Resource {
        /// `cpu`.
        Cpu => "cpu",
        /// `memory`.
        Memory => "memory",
        /// `io`.
        Io => "io",
        /// `irq`.
        Irq => "irq",
    }
}

impl Resource {
    /// Numbers of its states in [`state`]: `some` (irq has none) and `full`.
    #[must_use]
    pub fn states(self) -> (Option<usize>, usize) {
        match self {
            Self::Cpu => (Some(state::CPU_SOME), state::CPU_FULL),
            Self::Memory => (Some(state::MEM_SOME), state::MEM_FULL),
            Self::Io => (Some(state::IO_SOME), state::IO_FULL),
            Self::Irq => (None, state::IRQ_FULL),
        }
    }
}

/// One line of a pressure file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// avg10, avg60 and avg300 in hundredths: 12.34 is 1234.
    pub avg: [u32; 3],
    /// `total`, µs.
    pub total_us: u64,
}

/// One sample of one pressure file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Time before the sample, ns of the reference clock. Files of a group that are sampled together have one `t_ns`.
    pub t_ns: u64,
    /// Time after all of them, if the sampler recorded it.
    pub end_ns: Option<u64>,
    /// `t_ns` is an estimate: the sampler read other files between its stamp and this one.
    pub estimated: bool,
    /// The line `some`.
    pub some: Option<Line>,
    /// The line `full`.
    pub full: Option<Line>,
}

impl Sample {
    /// End of the sample, or its start if the end is not recorded.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end_ns.unwrap_or(self.t_ns).max(self.t_ns)
    }

    /// Time at which the `index`th file was read (from 0). The sampler takes a timestamp, marks the trace and then reads one
    /// file after the other, each faster than the one before. Probes of `psi_show` saw the reads of a recorded 6.1 at halves
    /// of the remaining time (0.5, 0.75, 0.875; medians 0.50, 0.78, 0.86). The exact time matters because reads within a
    /// jiffy lose time.
    #[must_use]
    pub fn read_at(&self, index: usize) -> u64 {
        let end = self.end();
        end - ((end - self.t_ns) >> (index + 1).min(63))
    }
}

/// The samples of one file, by time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampleSeries {
    /// Path of the cgroup; none for the machine.
    pub cgroup: Option<String>,
    /// File.
    pub resource: Resource,
    /// Samples, ascending.
    pub samples: Vec<Sample>,
}
