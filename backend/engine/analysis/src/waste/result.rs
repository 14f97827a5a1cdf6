//! What comes out.

use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

/// Why a CPU was idle beside a waiting task. [`ALL`](Self::ALL) is the order in which causes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WasteCause {
    /// Only CPUs of other nodes were idle.
    NumaPlacement,
    /// A CPU of the node where the task waits was idle.
    BalanceDelay,
    /// What is left for tasks that are bound to the CPU where they wait.
    Affinity,
}

impl WasteCause {
    /// All causes, in their order.
    pub const ALL: [Self; 3] = [Self::NumaPlacement, Self::BalanceDelay, Self::Affinity];
}

/// CPU-ns that have a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WasteCauseTime")]
pub struct CauseAmount {
    /// The cause.
    pub cause: WasteCause,
    /// CPU-ns.
    pub ns: u64,
}

impl CauseAmount {
    /// A list of all causes from amounts in the order of [`WasteCause::ALL`].
    pub(super) fn list(amounts: [u64; WasteCause::ALL.len()]) -> Vec<Self> {
        WasteCause::ALL
            .into_iter()
            .zip(amounts)
            .map(|(cause, ns)| Self { cause, ns })
            .collect()
    }
}

/// What a node's waiting tasks missed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "WasteNode")]
pub struct NodeWaste {
    /// The node.
    pub nid: u32,
    /// CPU-seconds.
    pub cpu_seconds: f64,
    /// CPU-ns: the sum of the causes.
    pub cpu_ns: u64,
    /// Every cause, in order.
    pub causes: Vec<CauseAmount>,
}

/// Waste over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WasteSeries")]
pub struct Series {
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// CPU-ns of the machine in each step.
    pub cpu_ns: Vec<u64>,
}

/// Idle CPUs beside waiting tasks in a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Waste {
    /// CPU-seconds.
    pub cpu_seconds: f64,
    /// CPU-ns: the sum over the nodes, and over the causes.
    pub cpu_ns: u64,
    /// Each node's part, by where tasks waited.
    pub per_node: Vec<NodeWaste>,
    /// Every cause, in order.
    pub causes: Vec<CauseAmount>,
    /// The same without tasks that are bound to their CPU; `None` when it is not known which are.
    pub affine_cpu_seconds: Option<f64>,
    /// Over time.
    pub series: Series,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}

/// CPU-ns as CPU-seconds.
pub(super) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
