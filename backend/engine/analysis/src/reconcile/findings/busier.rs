//! `MOVE_INTO_BUSIER`: a task was moved into a node that ran more tasks than the one it left, as 5.7 to 5.10 allow.

use crate::findings::{Finding, MOST};
use crate::reconcile::decision::{Allowance, Explanation};
use crate::reconcile::findings::{ReconcileFacts, words};
use crate::window::lowered;

/// One finding for the window; only of kernels whose rule allows such moves whatever the destination runs.
pub(super) fn detect(facts: &ReconcileFacts<'_>) -> Vec<Finding> {
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
    let (Some((first, _)), Some((last, _))) = (all.first(), all.last()) else {
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
        from_ns: first.start_ns,
        to_ns: last.start_ns,
        impact_ms: wait_ns as f64 / 1e6,
        nodes: words::distinct(all.iter().map(|one| one.0.dst_nid)),
        pids: words::worst_pids(all.iter().map(|(one, ns)| (one.pid, *ns)), MOST),
        summary: format!(
            "The NUMA balancer moved tasks into a node with at least 3 tasks more than the one they left {} from {} on; tasks there \
             waited {} longer in the 100 ms after.",
            words::times(all.len()),
            words::at(facts, first.start_ns),
            words::time(wait_ns),
        ),
        ..words::finding("MOVE_INTO_BUSIER", facts)
    }]
}
