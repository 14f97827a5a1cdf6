//! Nodes that are as good as busy and are not recognised: `PREF_FAIL_STORM` and `STALE_BUSIEST`.

use crate::cling::findings::{ClingFacts, at, length, name, of_group, stretches, time};
use crate::cling::group::{Group, WEIGHT};
use crate::cling::history::History;
use crate::findings::Finding;

/// Failures of which at least so much must show, of [`WEIGHT`] each.
const FAILURES: u64 = 2 * WEIGHT;

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
        Some(Finding {
            from_ns: first.0,
            to_ns: all.last()?.1,
            impact_ms: length(&all) as f64 / 1e6,
            nodes: vec![nid],
            summary: format!(
                "Most migrations of {} to node {nid} failed and its tasks went on preferring it for {} from {} on: {other}.",
                name(history),
                time(length(&all)),
                at(facts, first.0),
            ),
            ..of_group("PREF_FAIL_STORM", facts, history)
        })
    })
}

/// `busiest_nid` names a node without any failures while another one has some.
pub(super) fn stale_busiest(facts: &ClingFacts<'_>) -> Vec<Finding> {
    each_node(facts, |history, nid| {
        let holds = |group: &Group, _: u32| {
            let stale = group.busiest_nid >= 0 && group.stat(group.busiest_nid).f == 0;
            stale && group.stat(nid).f >= WEIGHT && group.busiest_nid != nid
        };
        let all = stretches(facts, history, &holds);
        let first = all.first()?;
        Some(Finding {
            from_ns: first.0,
            to_ns: all.last()?.1,
            impact_ms: length(&all) as f64 / 1e6,
            nodes: vec![nid],
            summary: format!(
                "Node {nid} could not become busy for {} for {} from {} on: node {} was the busiest still, without any failures.",
                name(history),
                time(length(&all)),
                at(facts, first.0),
                history.busiest_at(first.0),
            ),
            ..of_group("STALE_BUSIEST", facts, history)
        })
    })
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
