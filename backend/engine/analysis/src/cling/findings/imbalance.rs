//! `CLING_IMBALANCE`: tasks of a group queue on a full node while another node has idle CPUs.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;

use crate::cling::findings::{ClingFacts, Share, at, length, name, of_group, time, within};
use crate::findings::Finding;

/// A node that is busy for so much of its CPUs' time is full.
const FULL: f64 = 0.95;
/// One that is busy for so much at most has idle CPUs.
const ROOM: f64 = 0.80;
/// How long that must last.
const LEAST_NS: u64 = 1_000_000_000;

pub(super) fn detect(facts: &ClingFacts<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for ((full, idle), stretches) in pairs(facts) {
        for history in facts.histories {
            let queues = |&(from, to): &(u64, u64)| {
                facts.costs.wait_ns(history.group.number, full, from, to) > 0
            };
            let own: Vec<(u64, u64)> = stretches.iter().copied().filter(queues).collect();
            let (Some(first), Some(last)) = (own.first(), own.last()) else {
                continue;
            };
            let waste = |&(from, to): &(u64, u64)| facts.costs.waste_ns(full, idle, from, to);
            let wasted: Option<u64> = own.iter().map(waste).sum();
            let mut finding = of_group("CLING_IMBALANCE", facts, history);
            if wasted.is_none() {
                finding
                    .missing
                    .push("what idle CPUs could have run".to_owned());
                finding.label = finding.label.max(Label::Inferred);
            }
            let cost = wasted.map_or_else(String::new, |wasted| {
                format!(", which is {} of CPU time", time(wasted))
            });
            found.push(Finding {
                from_ns: first.0,
                to_ns: last.1,
                impact_ms: wasted.unwrap_or(0) as f64 / 1e6,
                nodes: vec![full, idle],
                summary: format!(
                    "Tasks of {} queued on node {full}, which was full, while CPUs of node {idle} stood idle for {} from {} on{cost}.",
                    name(history),
                    time(length(&own)),
                    at(facts, first.0),
                ),
                ..finding
            });
        }
    }
    found
}

/// Stretches of at least [`LEAST_NS`] in which one node is full and another is idle in part.
fn pairs(facts: &ClingFacts<'_>) -> BTreeMap<(i32, i32), Vec<(u64, u64)>> {
    let mut by_step: BTreeMap<(u64, u64), Vec<&Share>> = BTreeMap::new();
    for share in facts.costs.shares() {
        if let Some(part) = within(facts, share.from_ns, share.to_ns) {
            by_step.entry(part).or_default().push(share);
        }
    }
    let mut all: BTreeMap<(i32, i32), Vec<(u64, u64)>> = BTreeMap::new();
    for (step, shares) in by_step {
        for full in shares.iter().filter(|share| share.busy >= FULL) {
            for idle in shares.iter().filter(|share| share.busy <= ROOM) {
                let own = all.entry((full.nid, idle.nid)).or_default();
                match own.last_mut().filter(|last| last.1 == step.0) {
                    Some(last) => last.1 = step.1,
                    None => own.push(step),
                }
            }
        }
    }
    for list in all.values_mut() {
        list.retain(|stretch| stretch.1 - stretch.0 >= LEAST_NS);
    }
    all
}
