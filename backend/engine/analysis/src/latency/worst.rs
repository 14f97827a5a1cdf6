//! The longest waits.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use numalens_replay::waits::{CauseNs, WaitRow};

/// A wait and its causes.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) wait: WaitRow,
    pub(super) causes: Vec<CauseNs>,
}

/// Longer is more, then earlier, then what makes the order complete.
type Rank = (u64, Reverse<u64>, Reverse<u32>, Reverse<u32>);

fn rank(wait: &WaitRow) -> Rank {
    (
        wait.end_ns.saturating_sub(wait.start_ns),
        Reverse(wait.start_ns),
        Reverse(wait.cpu),
        Reverse(wait.task),
    )
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        rank(&self.wait).cmp(&rank(&other.wait))
    }
}

/// Keeps the longest waits, at most `limit`.
#[derive(Debug)]
pub(super) struct Worst {
    limit: usize,
    heap: BinaryHeap<Reverse<Kept>>,
}

impl Worst {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            heap: BinaryHeap::with_capacity(limit),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, wait: &WaitRow, causes: &[CauseNs]) {
        let full = self.heap.len() >= self.limit;
        if full
            && self
                .heap
                .peek()
                .is_none_or(|least| rank(&least.0.wait) >= rank(wait))
        {
            return;
        }
        self.put(wait, causes, full);
    }

    #[cold]
    fn put(&mut self, wait: &WaitRow, causes: &[CauseNs], full: bool) {
        if full {
            self.heap.pop();
        }
        self.heap.push(Reverse(Kept {
            wait: *wait,
            causes: causes.to_vec(),
        }));
    }

    /// The longest first.
    pub(super) fn finish(self) -> Vec<Kept> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse(kept)| kept)
            .collect()
    }
}
