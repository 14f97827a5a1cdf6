//! What comes out.

use numalens_core::json::Moment;
use numalens_core::provenance::{Label, Source};
use numalens_core::topology::Node;
use numalens_replay::states::StateRow;
use numalens_replay::timeline::SliceRef;
use schemars::JsonSchema;
use serde::Serialize;

use crate::numa_balancing::decision::NodeCounts;
use crate::utilisation::{self, Imbalance, Row, Utilisation};
use crate::window::{Places, SCHED_SWITCH, Steps, lowered};

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
    fn of(
        reading: Reading,
        nodes: &[Node],
        steps: &Steps,
        amounts: &[Vec<u64>],
        (label, missing): (Label, Vec<String>),
    ) -> Self {
        let cells = utilisation::cells(steps);
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
            imbalance: utilisation::imbalance(&rows, steps, cells),
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

/// Length of a step in the report, ns.
pub const STEP_NS: u64 = 5_000_000_000;

// Runnable tasks.

/// Adds up runnable tasks over state rows of the machine: first each CPU's state at the window's begin, then the changes.
#[derive(Debug)]
pub struct LoadMeter {
    nodes: Vec<Node>,
    counts: NodeCounts,
    /// Until when each node is added up.
    since: Vec<u64>,
    steps: Steps,
    amounts: Vec<Vec<u64>>,
    to_ns: u64,
    blind: bool,
    source: Source,
}

impl LoadMeter {
    /// An empty one for the window from `from_ns` (the table's `t0_ns`) to `to_ns`, in steps of `step_ns`; see [`STEP_NS`](STEP_NS).
    #[must_use]
    pub fn new(
        nodes: &[Node],
        from_ns: u64,
        to_ns: u64,
        step_ns: Option<u64>,
        source: Source,
    ) -> Self {
        let to_ns = to_ns.max(from_ns);
        let steps = utilisation::steps(from_ns, to_ns, step_ns, nodes.len());
        Self {
            nodes: nodes.to_vec(),
            counts: NodeCounts::new(nodes),
            since: vec![from_ns; nodes.len()],
            amounts: vec![vec![0; steps.count()]; nodes.len()],
            steps,
            to_ns,
            blind: false,
            source,
        }
    }

    /// Takes in a row. Rows of cgroups, and of CPUs that are on no node, are left out.
    #[inline]
    pub fn row(&mut self, row: &StateRow) {
        let Some(change) = self.counts.change(row) else {
            return;
        };
        self.settle(change.place, row.ts_ns.min(self.to_ns));
        self.counts.apply(&change);
    }

    fn settle(&mut self, place: usize, ts_ns: u64) {
        let (Some(node), Some(since), Some(amounts)) = (
            self.counts.nodes().get(place),
            self.since.get_mut(place),
            self.amounts.get_mut(place),
        ) else {
            return;
        };
        if ts_ns <= *since {
            return;
        }
        self.blind |= node.unknown > 0;
        spread(&self.steps, amounts, *since, ts_ns, node.nr_running);
        *since = ts_ns;
    }

    /// The table.
    #[must_use]
    pub fn finish(mut self) -> Table {
        for place in 0..self.nodes.len() {
            self.settle(place, self.to_ns);
        }
        let missing: &[&str] = if self.blind { &[SCHED_SWITCH] } else { &[] };
        Table::of(
            Reading::Load,
            &self.nodes,
            &self.steps,
            &self.amounts,
            lowered(&self.source, missing),
        )
    }
}

// Only a workload's tasks.

/// When the first of a workload's tasks was switched in: the begin of its table. `slices` are its tasks' stays on CPUs.
#[must_use]
pub fn workload_begin(slices: impl IntoIterator<Item = SliceRef>) -> Option<u64> {
    slices.into_iter().map(|slice| slice.start_ns).min()
}

/// Adds up the stays on CPUs of a workload's tasks, in any order.
#[derive(Debug)]
pub struct WorkloadMeter {
    places: Places,
    steps: Steps,
    amounts: Vec<Vec<u64>>,
    source: Source,
}

impl WorkloadMeter {
    /// An empty one for the window from `from_ns` (the table's `t0_ns`) to `to_ns`, in steps of `step_ns`; see [`STEP_NS`](STEP_NS).
    #[must_use]
    pub fn new(
        nodes: &[Node],
        from_ns: u64,
        to_ns: u64,
        step_ns: Option<u64>,
        source: Source,
    ) -> Self {
        let steps = utilisation::steps(from_ns, to_ns, step_ns, nodes.len());
        Self {
            places: Places::new(nodes),
            amounts: vec![vec![0; steps.count()]; nodes.len()],
            steps,
            source,
        }
    }

    /// Takes in a stay. What lies outside of the window, or on CPUs of no node, is left out.
    pub fn slice(&mut self, slice: &SliceRef) {
        let place = self.places.of(slice.cpu) as usize;
        let Some(amounts) = self.amounts.get_mut(place) else {
            return;
        };
        spread(&self.steps, amounts, slice.start_ns, slice.end_ns, 1);
    }

    /// The table.
    #[must_use]
    pub fn finish(self) -> Table {
        Table::of(
            Reading::Workload,
            self.places.nodes(),
            &self.steps,
            &self.amounts,
            lowered(&self.source, &[]),
        )
    }
}

/// Adds `rate` to the steps from one moment to another.
fn spread(steps: &Steps, amounts: &mut [u64], from_ns: u64, to_ns: u64, rate: u64) {
    let mut at = steps.at(from_ns);
    let mut from_ns = from_ns.max(steps.start(0));
    while let Some(amount) = amounts.get_mut(at) {
        let until = to_ns.min(steps.end(at));
        let Some(ns) = until.checked_sub(from_ns).filter(|&ns| ns > 0) else {
            return;
        };
        *amount = amount.saturating_add(ns.saturating_mul(rate));
        (from_ns, at) = (until, at + 1);
    }
}
