//! What comes out.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::Serialize;

/// A node's row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UtilisationNode")]
pub struct NodeTime {
    /// The node.
    pub nid: u32,
    /// Share of its CPUs' time that was busy, in each step: whole percents, halves rounded up.
    pub percent: Vec<u64>,
    /// Mean of the cells before they were rounded, rounded the same way.
    pub average: u64,
    /// CPU-ns with a task, over the whole window.
    pub busy_ns: u64,
    /// CPU-ns with the idle task.
    pub idle_ns: u64,
    /// CPU-ns of which nothing is known.
    pub unknown_ns: u64,
}

/// A CPU's time over the whole window, ns. The three add up to the window's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UtilisationCpu")]
pub struct CpuTime {
    /// The CPU.
    pub cpu: u32,
    /// Its node.
    pub nid: u32,
    /// With a task.
    pub busy_ns: u64,
    /// With the idle task.
    pub idle_ns: u64,
    /// Nothing is known.
    pub unknown_ns: u64,
}

/// How unevenly the nodes were busy in one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ImbalanceStep")]
pub struct Imbalance {
    /// Begin of the step.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Busiest node less the least busy one, percent points.
    pub max_min: f64,
    /// Population standard deviation over the nodes, percent points.
    pub stdev: f64,
    /// Sum of the squares of the nodes' shares in all busy time: 1 / nodes when even, 1 when all is on one node; `None` when
    /// nothing ran.
    pub hhi: Option<f64>,
}

/// Tasks that wait on a node's CPUs, over time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "DepthNode")]
pub struct NodeDepth {
    /// The node.
    pub nid: u32,
    /// Mean over each step's time.
    pub mean: Vec<f64>,
    /// Most that ever waited for more than an instant in each step.
    pub max: Vec<u32>,
}

/// The depth of runqueues: tasks that are runnable and not on a CPU.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Depth {
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// By node.
    pub nodes: Vec<NodeDepth>,
}

/// How busy the machine was in a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Utilisation {
    /// Length of the table's steps, ns.
    pub step_ns: u64,
    /// The table: a row per node, a cell per step.
    pub nodes: Vec<NodeTime>,
    /// By CPU, ascending.
    pub cpus: Vec<CpuTime>,
    /// By step of the table.
    pub imbalance: Vec<Imbalance>,
    /// Waiting tasks.
    pub depth: Depth,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}
