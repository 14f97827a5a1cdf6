//! `NODE_IMBALANCE_PERSISTENT`: nodes were busy unevenly for long while one of them had next to nothing to do.

use numalens_core::provenance::Label;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry, MOST, distinct, worst_pids};
use numalens_subject::window::{lowered, times};

use crate::decision::{Allowance, Explanation, FOLLOW_NS};
use crate::findings as numa_balancing;
use crate::findings::NumaBalancingFacts;
use crate::per_node::Table;

/// Busiest less least busy node, percent points (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const POINTS: u64 = 20;
/// A node with a cell of at most this has next to nothing to do, percent (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const IDLE_PERCENT: u64 = 5;
/// Steps in a row (`docs/algorithms/numa_balancing.md`, N17).
pub(super) const STEPS: usize = 4;
/// Minimum length, ns: four steps of the report's table.
pub(super) const LEAST_NS: u64 = 20_000_000_000;

/// Returns whether nodes are uneven in a step, whatever the unrecorded activity of CPUs. By the cells as they are printed.
fn uneven(table: &Table, at: usize) -> bool {
    let cells = || table.nodes.iter().filter_map(|node| node.between.get(at));
    let least = cells().map(|cell| cell.1).min();
    let most = cells().map(|cell| cell.0).max();
    let (Some(least), Some(most)) = (least, most) else {
        return false;
    };
    most.saturating_sub(least) >= POINTS && least <= IDLE_PERCENT
}

pub(crate) const NODE_IMBALANCE_PERSISTENT: FindingEntry = FindingEntry {
    id: "NODE_IMBALANCE_PERSISTENT",
    title: "Nodes unevenly busy for a long time",
    meaning: "The nodes were unevenly busy for longer than balancing needs, so something keeps the tasks on their nodes.",
    kernel: "find_busiest_group",
    threshold: "20 points between nodes for at least 4 steps and 20 s while some cell is at most 5 %",
    cost: "waste (K8)",
    evidence: Evidence::NODES,
};

/// Returns a finding for each of the worst time ranges.
pub(super) fn imbalance(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let Some(table) = facts.per_node else {
        return Vec::new();
    };
    let stretches = stretches(table).into_iter();
    let mut found: Vec<Finding> = stretches
        .filter_map(|(first, end)| finding(facts, table, first, end))
        .collect();
    found.sort_by(|a, b| b.impact_ms.total_cmp(&a.impact_ms));
    found.truncate(MOST);
    found
}

/// Steps of a table in which nodes were uneven, without a break and long enough: the first, and the one after the last.
pub(crate) fn stretches(table: &Table) -> Vec<(usize, usize)> {
    let steps = table.nodes.first().map_or(0, |node| node.percent.len());
    let mut found = Vec::new();
    let mut begin = 0;
    for at in 0..=steps {
        if at < steps && uneven(table, at) {
            continue;
        }
        let count = at - begin;
        // The last step may be a short one.
        if count >= STEPS && table.step_ns.saturating_mul(count as u64) >= LEAST_NS {
            found.push((begin, at));
        }
        begin = at + 1;
    }
    found
}

/// The finding for the steps from `first` to before `end`.
fn finding(
    facts: &NumaBalancingFacts<'_>,
    table: &Table,
    first: usize,
    end: usize,
) -> Option<Finding> {
    let count = end.saturating_sub(first);
    let moment = |at: usize| {
        let offset = table.step_ns.saturating_mul(at as u64);
        table.t0_ns.saturating_add(offset).min(facts.to_ns)
    };
    let (from_ns, to_ns) = (moment(first), moment(end));
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
    let mean = |node: &crate::per_node::NodeRow| {
        let cells = node.percent.get(first..end).unwrap_or_default();
        let known = cells.iter().flatten();
        known.clone().sum::<u64>() as f64 / known.count().max(1) as f64
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
        nodes: distinct([idlest.nid as i32, busiest.nid as i32]),
        summary: format!(
            "Nodes were unevenly busy for {}, starting {}: node {} at {:.0} % on average and node {} at {:.0} %, with a gap of at least {POINTS} points in each step. CPUs were idle while tasks without a known affinity waited: {:.2} CPU-seconds.",
            numa_balancing::time(to_ns.saturating_sub(from_ns)),
            numa_balancing::at(facts, from_ns),
            busiest.nid,
            mean(busiest),
            idlest.nid,
            mean(idlest),
            lost_ns as f64 / 1e9,
        ),
        ..NODE_IMBALANCE_PERSISTENT.finding(Label::Observed, facts.from_ns, facts.to_ns)
    })
}

// `MOVE_INTO_BUSIER`: a task was moved into a node that ran more tasks than the one it left, as 5.7 to 5.10 allow.

pub(crate) const MOVE_INTO_BUSIER: FindingEntry = FindingEntry {
    id: "MOVE_INTO_BUSIER",
    title: "Moved to a busier node",
    meaning: "The move made the queue on the new node longer than on the old one, so its tasks waited more.",
    kernel: "adjust_numa_imbalance",
    threshold: "5.7 to 5.10: a move into a node that then runs more than 2 tasks above the source",
    cost: "extra waits there in the next 100 ms",
    evidence: Evidence::NUMA_BALANCING,
};

/// One finding for the window; only of kernels whose rule allows such moves whatever the destination runs.
pub(super) fn busier(facts: &NumaBalancingFacts<'_>) -> Vec<Finding> {
    let Some(explained) = facts.explained else {
        return Vec::new();
    };
    if facts.kernel.is_none() || explained.rules.allowance != Allowance::SourceAlmostIdle {
        return Vec::new();
    }
    let all: Vec<(&Explanation, u64)> = explained
        .attempts
        .iter()
        .filter_map(|one| Some((one, one.extra_wait_ns?)))
        .collect();
    let Some((first, _)) = all.first() else {
        return Vec::new();
    };
    let wait_ns = all.iter().map(|one| one.1).fold(0, u64::saturating_add);
    let (label, missing) = lowered(
        facts.attempts_source,
        &explained
            .missing
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    vec![Finding {
        label,
        missing,
        impact_ms: wait_ns as f64 / 1e6,
        nodes: distinct(all.iter().map(|one| one.0.dst_nid)),
        pids: worst_pids(all.iter().map(|(one, ns)| (one.pid, *ns)), MOST),
        summary: format!(
            "The NUMA balancer moved tasks {}, starting {}, to a node with at least 3 more tasks than the one they left. In the next 100 ms, tasks there waited {} longer.",
            times(all.len() as u64),
            numa_balancing::at(facts, first.start_ns),
            numa_balancing::time(wait_ns),
        ),
        ..MOVE_INTO_BUSIER.finding(Label::Observed, facts.from_ns, facts.to_ns)
    }
    .at(Occurrences::of(all.iter().map(|(one, ns)| {
        let until = one.start_ns.saturating_add(FOLLOW_NS).min(facts.to_ns);
        Occurrence::new(one.start_ns, until, *ns).of([one.pid])
    })))]
}
