//! What a query of pressure answers, in the shape in which it is written as JSON.

use std::collections::BTreeMap;

use numalens_core::json::{Available, Moment, Unavailable};
use numalens_core::provenance::{Label, Source};
use schemars::JsonSchema;
use serde::Serialize;

use crate::psi::check::{AveragesCheck, Residual};

/// What is missing where the worker's runs are modelled.
pub const WORKER_RUNS: &str = "runs of psi_avgs_work";

/// A value, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Or<T> {
    /// The value.
    Value(T),
    /// Nothing tells.
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
    /// It is there.
    #[serde(skip_serializing_if = "Available::is_implied")]
    pub available: Available,
    /// µs in which some task was delayed; none where the resource has no such line.
    pub some_us: Option<u64>,
    /// µs in which all were; none where the kernel has no such line.
    pub full_us: Option<u64>,
    /// How good that is.
    pub label: Label,
    /// What a better answer would need.
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
    /// When, ns.
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
    /// How good the averages are: they lean on what was before the window.
    pub label: Option<Label>,
    /// What a better answer would need.
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
    /// CPU time of which nobody knows, ns; in none of the others.
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
    /// Why these.
    pub rules_source: Source,
    /// Jiffies per second.
    pub hz: u32,
    /// How that is known.
    pub hz_source: Source,
    /// How the moments of aggregation by the worker are known.
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
