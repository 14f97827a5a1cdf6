//! Results.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_machine::utilisation::{Imbalance, Utilisation};
use schemars::JsonSchema;
use serde::Serialize;

/// Meaning of the cells, as a share of the node's CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "PerNodeReading")]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Time with any task on the CPU, as samplers of CPU time count it.
    Busy,
}

/// A node's row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BusyNode")]
pub struct NodeRow {
    /// The node.
    pub nid: u32,
    /// Cells in whole percents of the recorded time, halves rounded up; null where not recorded.
    pub percent: Vec<Option<u64>>,
    /// `AVR`: mean of the cells before they were rounded, rounded the same way; null when nothing is recorded.
    pub average: Option<u64>,
    /// See [`numalens_machine::utilisation::NodeTime::between`].
    #[serde(skip)]
    pub between: Vec<(u64, u64)>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PerNode")]
pub struct Table {
    /// Meaning of the cells.
    pub reading: Reading,
    /// Begin of the first step, ns of the reference clock.
    #[serde(with = "Moment")]
    pub t0_ns: u64,
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// A row per node.
    pub nodes: Vec<NodeRow>,
    /// Imbalance of the nodes in each step.
    pub imbalance: Vec<Imbalance>,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

impl Table {
    /// The table of utilisation from `t0_ns`, the start of its window.
    #[must_use]
    pub fn busy(utilisation: &Utilisation, t0_ns: u64) -> Self {
        Self {
            reading: Reading::Busy,
            t0_ns,
            step_ns: utilisation.step_ns,
            nodes: utilisation
                .nodes
                .iter()
                .map(|node| NodeRow {
                    nid: node.nid,
                    percent: node.percent.clone(),
                    average: node.average,
                    between: node.between.clone(),
                })
                .collect(),
            imbalance: utilisation.imbalance.clone(),
            label: utilisation.label,
            missing: utilisation.missing.clone(),
        }
    }
}
