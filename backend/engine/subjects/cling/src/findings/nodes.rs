//! `CLING_IMBALANCE`: tasks of a group queue on a full node while another node has idle CPUs.

use std::collections::BTreeMap;

use numalens_core::provenance::Label;
use numalens_subject::findings::occurrence::{Occurrence, Occurrences};
use numalens_subject::findings::{Evidence, Finding, FindingEntry};

use crate::findings::{
    ClingFacts, Share, at, length, name, of_group, recorded, stretches, time, within,
};
use crate::group::{Group, WEIGHT};
use crate::history::History;

/// A node that is busy for so much of its CPUs' time is full.
const FULL: f64 = 0.95;
/// One that is busy for so much at most has idle CPUs.
const ROOM: f64 = 0.80;
/// Minimum length.
const LEAST_NS: u64 = 1_000_000_000;

pub(crate) const CLING_IMBALANCE: FindingEntry = FindingEntry {
    id: "CLING_IMBALANCE",
    title: "Cling imbalance",
    meaning: "Tasks stayed queued on a full node while another had idle CPUs: the degree is high enough to keep them there.",
    kernel: "migrate_degrades_locality",
    threshold: "a node is at least 95 % busy, another at most 80 %, for 1 s, and the group's tasks wait on the full one",
    cost: "waste (K8) between the two",
    evidence: Evidence::CLING,
};

pub(super) fn imbalance(facts: &ClingFacts<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for ((full, idle), stretches) in pairs(facts) {
        for history in facts.histories {
            let queues = |&(from, to): &(u64, u64)| {
                facts.costs.wait_ns(history.group.number, full, from, to) > 0
            };
            let own: Vec<(u64, u64)> = stretches.iter().copied().filter(queues).collect();
            let Some(first) = own.first() else {
                continue;
            };
            let waste = |&(from, to): &(u64, u64)| facts.costs.waste_ns(full, idle, from, to);
            let wasted: Option<u64> = own.iter().map(waste).sum();
            let mut finding = of_group(&CLING_IMBALANCE, facts, history);
            if wasted.is_none() {
                finding
                    .missing
                    .push("what idle CPUs could have run".to_owned());
                finding.label = finding.label.max(Label::Inferred);
            }
            let cost = wasted.map_or_else(String::new, |wasted| {
                format!(", {} of CPU time", time(wasted))
            });
            let occurrences = places(&own, |part| waste(part).unwrap_or(0));
            let finding = Finding {
                impact_ms: wasted.unwrap_or(0) as f64 / 1e6,
                nodes: vec![full, idle],
                summary: format!(
                    "Tasks of {} queued on node {full}, which was full, while CPUs of node {idle} were idle for {}{cost}, starting {}.",
                    name(history),
                    time(length(&own)),
                    at(facts, first.0),
                ),
                ..finding
            };
            found.push(finding.at(occurrences));
        }
    }
    found
}

/// Time ranges of at least [`LEAST_NS`] in which one node is full and another is partly idle.
fn pairs(facts: &ClingFacts<'_>) -> BTreeMap<(i32, i32), Vec<(u64, u64)>> {
    let mut by_step: BTreeMap<(u64, u64), Vec<&Share>> = BTreeMap::new();
    for share in facts.costs.shares() {
        if let Some(part) = within(facts, share.from_ns, share.to_ns) {
            by_step.entry(part).or_default().push(share);
        }
    }
    let mut all: BTreeMap<(i32, i32), Vec<(u64, u64)>> = BTreeMap::new();
    for (step, shares) in by_step {
        for full in shares.iter().filter(|share| share.busy.0 >= FULL) {
            for idle in shares.iter().filter(|share| share.busy.1 <= ROOM) {
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

// `CLING_BUSY_NODE`: migrations to a node failed so often that a group gave it up for a while.

/// Number of timer periods from which a time range counts as long.
const LONG: u64 = 3;

pub(crate) const CLING_BUSY_NODE: FindingEntry = FindingEntry {
    id: "CLING_BUSY_NODE",
    title: "Busy node releases its tasks",
    meaning: "While a node is busy for a group, its tasks are no longer kept on it: wakeups and balancing may move them elsewhere.",
    kernel: "busy_node",
    threshold: "a node was busy for a group; it \"does not settle\" after 3 timer periods",
    cost: "waits of the group's tasks on that node during this time",
    evidence: Evidence::CLING,
};

pub(super) fn busy_node(facts: &ClingFacts<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for history in facts.histories {
        let all = history.busy(facts.degrees);
        for node in &history.nodes {
            let own = all.iter().filter(|busy| busy.nid == node.nid);
            let stretches: Vec<(u64, u64)> = own
                .filter_map(|busy| within(facts, busy.from_ns, busy.to_ns))
                .collect();
            let stretches = recorded(facts, stretches);
            let Some(first) = stretches.first() else {
                continue;
            };
            let wait = |&(from, to): &(u64, u64)| {
                facts
                    .costs
                    .wait_ns(history.group.number, node.nid, from, to)
            };
            let waited: u64 = stretches.iter().map(wait).sum();
            let longest = stretches.iter().map(|stretch| stretch.1 - stretch.0).max();
            let longest = longest.unwrap_or(0);
            let long = if longest >= facts.period_ns.saturating_mul(LONG) {
                format!(
                    " It was so once for {} ({:.1} timer periods), so the group does not settle.",
                    time(longest),
                    longest as f64 / facts.period_ns.max(1) as f64
                )
            } else {
                String::new()
            };
            let times = match stretches.len() {
                1 => at(facts, first.0),
                many => format!("{many} times, the first {}", at(facts, first.0)),
            };
            let finding = Finding {
                impact_ms: waited as f64 / 1e6,
                nodes: vec![node.nid],
                summary: format!(
                    "Too many migrations of {} to node {} failed ({times}): the node was busy for {}.{long} Tasks of the group waited there for {} during this time.",
                    name(history),
                    node.nid,
                    time(length(&stretches)),
                    time(waited),
                ),
                ..of_group(&CLING_BUSY_NODE, facts, history)
            };
            found.push(finding.at(places(&stretches, wait)));
        }
    }
    found
}

// Nodes that are as good as busy and are not recognised: `PREF_FAIL_STORM` and `STALE_BUSIEST`.

/// Failures of which at least so much must show, of [`WEIGHT`] each.
const FAILURES: u64 = 2 * WEIGHT;

pub(crate) const PREF_FAIL_STORM: FindingEntry = FindingEntry {
    id: "PREF_FAIL_STORM",
    title: "Repeated failures to reach the preferred node",
    meaning: "Only the busiest node is compared with the degree: tasks continue to prefer another node with failures until the timer halves the counters.",
    kernel: "busy_node",
    threshold: "F >= 2048 && Q > degree on a node that is not busiest_nid",
    cost: "that time",
    evidence: Evidence::CLING,
};

/// Tasks keep preferring a node to which most migrations fail, because another one is `busiest_nid`.
pub(super) fn pref_fail_storm(facts: &ClingFacts<'_>) -> Vec<Finding> {
    each_node(facts, |history, nid| {
        let holds = |group: &Group, degree: u32| {
            let stat = group.stat(nid);
            stat.f >= FAILURES && stat.q > u64::from(degree) && group.busiest_nid != nid
        };
        let all = stretches(facts, history, &holds);
        let first = all.first()?;
        let busiest = history.busiest_at(first.0);
        let other = if busiest < 0 {
            "no timer has run since".to_owned()
        } else {
            format!("node {busiest} counted as the busiest")
        };
        let finding = Finding {
            impact_ms: length(&all) as f64 / 1e6,
            nodes: vec![nid],
            summary: format!(
                "Most migrations of {} to node {nid} failed and its tasks continued to prefer it for {}, starting {}: {other}.",
                name(history),
                time(length(&all)),
                at(facts, first.0),
            ),
            ..of_group(&PREF_FAIL_STORM, facts, history)
        };
        Some(finding.at(places(&all, |part| part.1 - part.0)))
    })
}

pub(crate) const STALE_BUSIEST: FindingEntry = FindingEntry {
    id: "STALE_BUSIEST",
    title: "Busiest node out of date",
    meaning: "The busiest node is chosen again only when an attempt fails; until then one without failures hides those with many.",
    kernel: "cling_timer_func",
    threshold: "busiest_nid has F = 0 while another node has F >= 1024",
    cost: "that time",
    evidence: Evidence::CLING,
};

/// `busiest_nid` names a node without any failures while another one has some.
pub(super) fn stale_busiest(facts: &ClingFacts<'_>) -> Vec<Finding> {
    each_node(facts, |history, nid| {
        let holds = |group: &Group, _: u32| {
            let stale = group.busiest_nid >= 0 && group.stat(group.busiest_nid).f == 0;
            stale && group.stat(nid).f >= WEIGHT && group.busiest_nid != nid
        };
        let all = stretches(facts, history, &holds);
        let first = all.first()?;
        let finding = Finding {
            impact_ms: length(&all) as f64 / 1e6,
            nodes: vec![nid],
            summary: format!(
                "For {}, starting {}, node {nid} could not become busy for {}: node {} still counted as the busiest, without any failures.",
                time(length(&all)),
                at(facts, first.0),
                name(history),
                history.busiest_at(first.0),
            ),
            ..of_group(&STALE_BUSIEST, facts, history)
        };
        Some(finding.at(places(&all, |part| part.1 - part.0)))
    })
}

/// Intervals and what each cost, ns.
fn places(all: &[(u64, u64)], cost: impl Fn(&(u64, u64)) -> u64) -> Occurrences {
    Occurrences::of(
        all.iter()
            .map(|part| Occurrence::new(part.0, part.1, cost(part))),
    )
}

fn each_node(
    facts: &ClingFacts<'_>,
    detect: impl Fn(&History, i32) -> Option<Finding>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for history in facts.histories {
        for node in &history.nodes {
            found.extend(detect(history, node.nid));
        }
    }
    found
}
