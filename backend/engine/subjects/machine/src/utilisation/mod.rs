//! Utilisation of nodes and CPUs, and the CPUs of each task.

mod meter;
mod residency;

use numalens_core::json::Moment;
use numalens_core::provenance::Label;
use numalens_subject::window::Steps;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::meter::{Config, Meter};
pub use self::residency::{NodeRun, Residencies, Residency, TaskResidency, merged};

/// A node's row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "UtilisationNode")]
pub struct NodeTime {
    /// The node.
    pub nid: u32,
    /// Share of the recorded time of its CPUs that was busy, in each step: whole percents, halves rounded up; null in a
    /// step of which nothing is recorded.
    pub percent: Vec<Option<u64>>,
    /// The same over all cells; null when nothing is recorded.
    pub average: Option<u64>,
    /// The least and the most that each cell may be, whatever the CPUs did in time that is not recorded.
    #[serde(skip)]
    pub between: Vec<(u64, u64)>,
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
    /// Node.
    pub nid: u32,
    /// With a task.
    pub busy_ns: u64,
    /// With the idle task.
    pub idle_ns: u64,
    /// Nothing is known.
    pub unknown_ns: u64,
}

/// Imbalance of the nodes in one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ImbalanceStep")]
pub struct Imbalance {
    /// Begin of the step.
    #[serde(with = "Moment")]
    pub from_ns: u64,
    /// Busiest node less the least busy one, percent points; `None` when nothing is recorded of a node.
    pub max_min: Option<f64>,
    /// Population standard deviation over the nodes, percent points; likewise.
    pub stdev: Option<f64>,
    /// Sum of the squares of the nodes' shares in all busy time: 1 / nodes when even, 1 when all is on one node; `None` when
    /// nothing ran, or nothing is recorded of a node.
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

/// Load of the machine in a window.
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
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

// The arithmetic of the per-node table.

const SECOND: u64 = 1_000_000_000;

/// The usual step, and the shortest window that has it: two steps.
const STEP: u64 = 5 * SECOND;
const USUAL: u64 = 2 * STEP;

/// Steps in shorter windows, at most; 5 at least, as lengths are 1, 2 or 5 times a power of ten.
const FEW: u64 = 10;

/// The steps of a table of so many rows: those requested, else 5 s, else 5 to 10 in the window.
pub(crate) fn steps(from_ns: u64, to_ns: u64, step_ns: Option<u64>, rows: usize) -> Steps {
    match step_ns {
        Some(step) => Steps::of_table(from_ns, to_ns, step, rows),
        None if to_ns.saturating_sub(from_ns) >= USUAL => {
            Steps::of_table(from_ns, to_ns, STEP, rows)
        }
        None => Steps::round(from_ns, to_ns, FEW),
    }
}

/// Number of steps with cells in the table: a short last one is left out, except if it is the only one.
pub(crate) fn cells(steps: &Steps) -> usize {
    let count = steps.count();
    let Some(last) = count.checked_sub(1) else {
        return 0;
    };
    let short = steps.end(last) - steps.start(last) < steps.step_ns().min(SECOND);
    count - usize::from(short && count > 1)
}

/// `numerator / denominator` rounded, halves up; 0 of nothing.
fn half_up(numerator: u128, denominator: u128) -> u64 {
    // Of an odd denominator there is no half to round up.
    (numerator + denominator / 2)
        .checked_div(denominator)
        .unwrap_or(0) as u64
}

/// A node's cells: busy CPU-ns, CPU-ns of which nothing is known, and length of each step.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    pub(crate) busy: &'a [u64],
    pub(crate) unknown: &'a [u64],
    pub(crate) steps: &'a Steps,
    pub(crate) cpus: u64,
}

impl Row<'_> {
    /// CPU time of a cell, ns.
    fn wall(&self, at: usize) -> u64 {
        (self.steps.end(at) - self.steps.start(at)).saturating_mul(self.cpus)
    }

    /// Known time of the cell.
    fn known(&self, at: usize) -> u64 {
        let unknown = self.unknown.get(at).copied().unwrap_or(0);
        self.wall(at).saturating_sub(unknown)
    }

    /// A cell in percent; `None` when nothing is known.
    fn cell(&self, at: usize) -> Option<f64> {
        let known = self.known(at);
        let busy = self.busy.get(at).copied().unwrap_or(0);
        (known > 0).then(|| 100.0 * busy as f64 / known as f64)
    }

    /// The cells in whole percents.
    pub(crate) fn percent(&self) -> Vec<Option<u64>> {
        let cells = self.busy.iter().enumerate();
        cells
            .map(|(at, &busy)| share(u128::from(busy), u128::from(self.known(at))))
            .collect()
    }

    /// See [`NodeTime::between`].
    pub(crate) fn between(&self) -> Vec<(u64, u64)> {
        let cells = self.busy.iter().enumerate();
        let of = |busy: u64, wall: u64| share(u128::from(busy), u128::from(wall)).unwrap_or(0);
        cells
            .map(|(at, &busy)| {
                let wall = self.wall(at);
                let most = busy.saturating_add(wall - self.known(at)).min(wall);
                (of(busy, wall), of(most, wall))
            })
            .collect()
    }

    /// All cells together in whole percents, each weighted with its known time.
    pub(crate) fn average(&self) -> Option<u64> {
        let busy: u128 = self.busy.iter().map(|&busy| u128::from(busy)).sum();
        let known: u128 = (0..self.busy.len())
            .map(|at| u128::from(self.known(at)))
            .sum();
        share(busy, known)
    }
}

/// A part in whole percents of a time; `None` of no time.
fn share(part: u128, time: u128) -> Option<u64> {
    (time > 0).then(|| half_up(100 * part, time))
}

/// Imbalance of the nodes in each step.
pub(crate) fn imbalance(rows: &[Row], steps: &Steps, cells: usize) -> Vec<Imbalance> {
    let nodes = rows.len().max(1) as f64;
    (0..cells)
        .map(|at| {
            let percents: Option<Vec<f64>> = rows.iter().map(|row| row.cell(at)).collect();
            let mean = |percents: &[f64]| percents.iter().sum::<f64>() / nodes;
            let variance = |percents: &[f64]| {
                let mean = mean(percents);
                percents.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / nodes
            };
            let max_min = |percents: &Vec<f64>| {
                let most = percents.iter().copied().fold(0.0, f64::max);
                most - percents.iter().copied().fold(most, f64::min)
            };
            let busy = || rows.iter().filter_map(|row| row.busy.get(at));
            let all = busy().map(|&ns| ns as f64).sum::<f64>();
            Imbalance {
                from_ns: steps.start(at),
                max_min: percents.as_ref().map(max_min),
                stdev: percents.as_ref().map(|percents| variance(percents).sqrt()),
                hhi: (all > 0.0 && percents.is_some())
                    .then(|| busy().map(|&ns| (ns as f64 / all).powi(2)).sum()),
            }
        })
        .collect()
}
