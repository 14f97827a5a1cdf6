//! `CLING_BUSY_NODE`: migrations to a node failed so often that a group gave it up for a while.

use crate::cling::findings::{ClingFacts, at, length, name, of_group, time, within};
use crate::findings::Finding;

/// Periods of the timer from which on one stretch counts as long.
const LONG: u64 = 3;

pub(super) fn detect(facts: &ClingFacts<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for history in facts.histories {
        let all = history.busy(facts.degrees);
        for node in &history.nodes {
            let own = all.iter().filter(|busy| busy.nid == node.nid);
            let stretches: Vec<(u64, u64)> = own
                .filter_map(|busy| within(facts, busy.from_ns, busy.to_ns))
                .collect();
            let (Some(first), Some(last)) = (stretches.first(), stretches.last()) else {
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
                    ", once for {} or {:.1} timers: the group does not settle",
                    time(longest),
                    longest as f64 / facts.period_ns.max(1) as f64
                )
            } else {
                String::new()
            };
            let times = match stretches.len() {
                1 => at(facts, first.0),
                many => format!("{many} times from {} on", at(facts, first.0)),
            };
            found.push(Finding {
                from_ns: first.0,
                to_ns: last.1,
                impact_ms: waited as f64 / 1e6,
                nodes: vec![node.nid],
                summary: format!(
                    "Migrations to node {} failed too often for {}, {times}: the node was busy for {}{long}. Tasks of the group \
                     waited there for {} meanwhile.",
                    node.nid,
                    name(history),
                    time(length(&stretches)),
                    time(waited),
                ),
                ..of_group("CLING_BUSY_NODE", facts, history)
            });
        }
    }
    found
}
