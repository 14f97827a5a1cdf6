//! What comes out.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_machine::utilisation::{Imbalance, Utilisation};
use schemars::JsonSchema;
use serde::Serialize;

/// What the cells count, as a share of the node's CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "PerNodeReading")]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Time with any task on the CPU. What samplers of CPU time tell.
    Busy,
}

/// A node's row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BusyNode")]
pub struct NodeRow {
    /// The node.
    pub nid: u32,
    /// Its cells, whole percents of the recorded time, halves rounded up; null where nothing is recorded.
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
    /// What it counts.
    pub reading: Reading,
    /// Begin of the first step, ns of the reference clock.
    #[serde(with = "Moment")]
    pub t0_ns: u64,
    /// Length of a step, ns; the last one may be shorter.
    pub step_ns: u64,
    /// A row per node.
    pub nodes: Vec<NodeRow>,
    /// How uneven the nodes are in each step.
    pub imbalance: Vec<Imbalance>,
    /// How good it is.
    pub label: Label,
    /// What would make it better.
    pub missing: Vec<String>,
}

impl Table {
    /// The table that utilisation has from `t0_ns`, the begin of its window.
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
