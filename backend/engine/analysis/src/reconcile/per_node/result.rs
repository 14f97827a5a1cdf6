//! What comes out.

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_core::topology::Node;
use schemars::JsonSchema;
use serde::Serialize;

use crate::utilisation::table::{self, Row};
use crate::utilisation::{Imbalance, Utilisation};
use crate::window::Steps;

/// What the cells count, as a share of the node's CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "PerNodeReading")]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Time with any task on the CPU. What samplers of CPU time tell.
    Busy,
    /// Time with a task of the workload on the CPU.
    Workload,
    /// Runnable tasks, those on CPUs included: above 100 where tasks wait.
    Load,
}

/// A node's row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "BusyNode")]
pub struct NodeRow {
    /// The node.
    pub nid: u32,
    /// Its cells, whole percents, halves rounded up.
    pub percent: Vec<u64>,
    /// `AVR`: mean of the cells before they were rounded, rounded the same way.
    pub average: u64,
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
                })
                .collect(),
            imbalance: utilisation.imbalance.clone(),
            label: utilisation.label,
            missing: utilisation.missing.clone(),
        }
    }

    /// The table of CPU-ns per node and step.
    pub(super) fn of(
        reading: Reading,
        nodes: &[Node],
        steps: &Steps,
        amounts: &[Vec<u64>],
        (label, missing): (Label, Vec<String>),
    ) -> Self {
        let cells = table::cells(steps);
        let rows: Vec<Row> = nodes
            .iter()
            .zip(amounts)
            .map(|(node, amounts)| Row {
                busy: amounts.get(..cells).unwrap_or(amounts),
                steps,
                cpus: node.cpus.len() as u64,
            })
            .collect();
        Self {
            reading,
            t0_ns: steps.start(0),
            step_ns: steps.step_ns(),
            imbalance: table::imbalance(&rows, steps, cells),
            nodes: nodes
                .iter()
                .zip(&rows)
                .map(|(node, row)| NodeRow {
                    nid: node.nid,
                    percent: row.percent(),
                    average: row.average(),
                })
                .collect(),
            label,
            missing,
        }
    }
}
