//! Pieces that the detectors share.

use numalens_core::provenance::Label;

use crate::findings::Finding;
use crate::findings::words::into;
pub(super) use crate::findings::words::time;
use crate::reconcile::findings::ReconcileFacts;

/// A finding without cost or place yet.
pub(super) fn finding(id: &'static str, facts: &ReconcileFacts<'_>) -> Finding {
    Finding::of(id, Label::Observed, facts.from_ns, facts.to_ns)
}

/// A moment, as seconds into the window.
pub(super) fn at(facts: &ReconcileFacts<'_>, ts_ns: u64) -> String {
    into(facts.from_ns, ts_ns)
}

/// "1 time", "2 times".
pub(super) fn times(count: usize) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}

/// Each once, in the order of the numbers.
pub(super) fn distinct(numbers: impl IntoIterator<Item = i32>) -> Vec<i32> {
    let mut numbers: Vec<i32> = numbers.into_iter().collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The pids with the most of something, the worst first, so many at most.
pub(super) fn worst_pids(amounts: impl IntoIterator<Item = (i32, u64)>, most: usize) -> Vec<i32> {
    let mut sums: std::collections::BTreeMap<i32, u64> = std::collections::BTreeMap::new();
    for (pid, amount) in amounts {
        let sum = sums.entry(pid).or_default();
        *sum = sum.saturating_add(amount);
    }
    let mut pids: Vec<(i32, u64)> = sums.into_iter().collect();
    pids.sort_by_key(|&(pid, sum)| (std::cmp::Reverse(sum), pid));
    pids.truncate(most);
    pids.into_iter().map(|(pid, _)| pid).collect()
}
