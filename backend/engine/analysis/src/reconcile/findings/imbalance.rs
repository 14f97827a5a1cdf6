//! `NODE_IMBALANCE_PERSISTENT`: nodes were busy unevenly for long while one of them had next to nothing to do.

use crate::findings::{Finding, MOST};
use crate::reconcile::findings::{ReconcileFacts, words};
use crate::reconcile::per_node::Table;

/// Busiest less least busy node, percent points (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const POINTS: u64 = 20;
/// A node with a cell of at most this has next to nothing to do, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const IDLE_PERCENT: u64 = 5;
/// Steps in a row (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const STEPS: usize = 4;
/// Their length at least, ns: four steps of the report's table.
pub(super) const LEAST_NS: u64 = 20_000_000_000;

/// Whether nodes are uneven in a step. By the cells as they are printed.
fn uneven(table: &Table, at: usize) -> bool {
    let cells = || table.nodes.iter().filter_map(|node| node.percent.get(at));
    let (Some(&least), Some(&most)) = (cells().min(), cells().max()) else {
        return false;
    };
    most - least >= POINTS && least <= IDLE_PERCENT
}

/// A finding for each stretch, the worst ones.
pub(super) fn detect(facts: &ReconcileFacts<'_>) -> Vec<Finding> {
    let Some(table) = facts.per_node else {
        return Vec::new();
    };
    let steps = table.nodes.first().map_or(0, |node| node.percent.len());
    let mut found = Vec::new();
    let mut begin = 0;
    for at in 0..=steps {
        if at < steps && uneven(table, at) {
            continue;
        }
        found.extend(stretch(facts, table, begin, at));
        begin = at + 1;
    }
    found.sort_by(|a, b| b.impact_ms.total_cmp(&a.impact_ms));
    found.truncate(MOST);
    found
}

/// The finding for the steps from `first` to before `end`, if they are enough.
fn stretch(facts: &ReconcileFacts<'_>, table: &Table, first: usize, end: usize) -> Option<Finding> {
    let count = end.saturating_sub(first);
    let moment = |at: usize| {
        let offset = table.step_ns.saturating_mul(at as u64);
        table.t0_ns.saturating_add(offset).min(facts.to_ns)
    };
    let (from_ns, to_ns) = (moment(first), moment(end));
    // The last step may be a short one.
    if count < STEPS || table.step_ns.saturating_mul(count as u64) < LEAST_NS {
        return None;
    }
    let mut missing = table.missing.clone();
    let waste = facts.waste_cpu_ns.unwrap_or(&[]);
    if facts.waste_cpu_ns.is_none() {
        missing.push("waste".to_owned());
    }
    let lost_ns = waste
        .iter()
        .skip(first)
        .take(count)
        .fold(0, |sum: u64, &ns| sum.saturating_add(ns));
    let mean = |node: &crate::reconcile::per_node::NodeRow| {
        let cells = node.percent.get(first..end).unwrap_or_default();
        cells.iter().sum::<u64>() as f64 / count as f64
    };
    let by_mean = |a: &&_, b: &&_| mean(a).total_cmp(&mean(b));
    let (idlest, busiest) = (
        table.nodes.iter().min_by(by_mean)?,
        table.nodes.iter().max_by(by_mean)?,
    );
    Some(Finding {
        label: table.label,
        missing,
        from_ns,
        to_ns,
        impact_ms: lost_ns as f64 / 1e6,
        nodes: words::distinct([idlest.nid as i32, busiest.nid as i32]),
        summary: format!(
            "Nodes were busy unevenly for {} from {} on: node {} to {:.0} % on average and node {} to {:.0} %, at least {POINTS} \
             points apart in each step; CPUs stood idle beside waiting tasks for {:.2} CPU-seconds.",
            words::time(to_ns.saturating_sub(from_ns)),
            words::at(facts, from_ns),
            busiest.nid,
            mean(busiest),
            idlest.nid,
            mean(idlest),
            lost_ns as f64 / 1e9,
        ),
        ..words::finding("NODE_IMBALANCE_PERSISTENT", facts)
    })
}
