//! Clusters of waits: intervals in which at least one task waited for the same cause without a break.

use std::cmp::Reverse;

use numalens_core::tasks::TaskId;
use numalens_subject::findings::occurrence::KEPT;

/// Waits that overlap or adjoin, directly or by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    /// Task-ns.
    pub(super) ns: u64,
    /// Tasks and their times, ascending.
    pub(super) tasks: Vec<(TaskId, u64)>,
    /// CPUs, ascending.
    pub(super) cpus: Vec<u32>,
}

impl Cluster {
    /// Cluster of one wait: interval, task with its time, and CPU.
    fn new((from_ns, to_ns): (u64, u64), of: (TaskId, u64), cpu: u32) -> Self {
        Self {
            from_ns,
            to_ns,
            ns: of.1,
            tasks: vec![of],
            cpus: vec![cpu],
        }
    }

    /// As [`Self::new`], reusing the memory of an old cluster.
    fn renew(&mut self, (from_ns, to_ns): (u64, u64), of: (TaskId, u64), cpu: u32) {
        (self.from_ns, self.to_ns, self.ns) = (from_ns, to_ns, of.1);
        self.tasks.clear();
        self.tasks.push(of);
        self.cpus.clear();
        self.cpus.push(cpu);
    }

    /// One more wait, which ends no later than the others.
    fn add(&mut self, from_ns: u64, (task, ns): (TaskId, u64), cpu: u32) {
        self.from_ns = self.from_ns.min(from_ns);
        self.ns = self.ns.saturating_add(ns);
        match self.tasks.binary_search_by_key(&task, |one| one.0) {
            Ok(at) => self.tasks[at].1 = self.tasks[at].1.saturating_add(ns),
            Err(at) => self.tasks.insert(at, (task, ns)),
        }
        if let Err(at) = self.cpus.binary_search(&cpu) {
            self.cpus.insert(at, cpu);
        }
    }
}

/// Joins waits that arrive by their ends, the latest first. A cluster that begins after the end of a wait is joined by no
/// later one, so one cluster at a time is open.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    open: Option<Cluster>,
    /// The worst of those that are whole, and some more.
    closed: Vec<Cluster>,
    /// Minimum cost for the list of the worst, task-ns.
    least_ns: u64,
    count: u64,
}

impl Clusters {
    /// Adds the next wait: interval, task with its time (task-ns), and CPU.
    pub(super) fn wait(&mut self, interval: (u64, u64), of: (TaskId, u64), cpu: u32) {
        match &mut self.open {
            Some(open) if interval.1 >= open.from_ns => open.add(interval.0, of, cpu),
            Some(open) if open.ns < self.least_ns => {
                open.renew(interval, of, cpu);
                self.count += 1;
            }
            _ => {
                self.close();
                self.open = Some(Cluster::new(interval, of, cpu));
            }
        }
    }

    /// Closes the open cluster: nothing joins it any more.
    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        self.count += 1;
        self.closed.push(open);
        if self.closed.len() >= 2 * KEPT {
            self.keep_worst();
            self.least_ns = self.closed.last().map_or(0, |last| last.ns);
        }
    }

    fn keep_worst(&mut self) {
        self.closed
            .sort_unstable_by_key(|cluster| (Reverse(cluster.ns), cluster.from_ns));
        self.closed.truncate(KEPT);
    }

    /// Takes in those of another claim; among clusters of both that overlap, one is left.
    pub(super) fn join(&mut self, other: Self) {
        let (own, others) = (std::mem::take(self).finish(), other.finish());
        self.count = own.0 + others.0;
        let mut all: Vec<Cluster> = own.1.into_iter().chain(others.1).collect();
        all.sort_by_key(|cluster| (Reverse(cluster.to_ns), cluster.from_ns));
        for cluster in all {
            match self.closed.last_mut() {
                Some(last) if cluster.to_ns >= last.from_ns => {
                    for &of in &cluster.tasks {
                        last.add(cluster.from_ns, of, cluster.cpus[0]);
                    }
                    for &cpu in &cluster.cpus {
                        last.add(cluster.from_ns, (cluster.tasks[0].0, 0), cpu);
                    }
                    self.count -= 1;
                }
                _ => self.closed.push(cluster),
            }
        }
    }

    /// Returns the number of clusters, and the worst ones.
    pub(super) fn finish(mut self) -> (u64, Vec<Cluster>) {
        self.close();
        self.keep_worst();
        (self.count, self.closed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::cmp::Reverse;

    use super::{Cluster, Clusters, KEPT};

    /// Begin, end, task.
    type Wait = (u64, u64, u32);

    /// By the beginnings, each wait joins the cluster before it or none.
    fn by_beginning(waits: &[Wait]) -> Vec<Cluster> {
        let mut waits = waits.to_vec();
        waits.sort_unstable();
        let mut all: Vec<Cluster> = Vec::new();
        for (from_ns, to_ns, task) in waits {
            let (interval, of) = ((from_ns, to_ns), (task, to_ns - from_ns));
            match all.last_mut().filter(|last| from_ns <= last.to_ns) {
                Some(last) => {
                    last.add(from_ns, of, task % 4);
                    last.to_ns = last.to_ns.max(to_ns);
                }
                None => all.push(Cluster::new(interval, of, task % 4)),
            }
        }
        all
    }

    proptest! {
        #[test]
        fn the_order_of_ends_gives_the_same_clusters(
            waits in vec((0..10_000u64, 1..300u64, 0..8u32), 0..120),
        ) {
            let mut waits: Vec<Wait> = waits
                .into_iter()
                .map(|(from, length, task)| (from, from + length, task))
                .collect();
            waits.sort_by_key(|wait| Reverse(wait.1));
            let mut clusters = Clusters::default();
            for &(from, to, task) in &waits {
                clusters.wait((from, to), (task, to - from), task % 4);
            }
            let (count, mut found) = clusters.finish();
            found.sort_by_key(|cluster| cluster.from_ns);
            let sum: u64 = waits.iter().map(|wait| wait.1 - wait.0).sum();
            prop_assert_eq!(found.iter().map(|cluster| cluster.ns).sum::<u64>(), sum);
            prop_assert_eq!(count, found.len() as u64);
            prop_assert_eq!(found, by_beginning(&waits));
        }
    }

    #[test]
    fn of_very_many_the_worst_are_kept_and_all_are_counted() {
        let mut clusters = Clusters::default();
        let many = 100 * KEPT as u64;
        for at in (0..many).rev() {
            let length = 1 + at % 7;
            clusters.wait((at * 1000, at * 1000 + length), (0, length), 0);
            assert!(clusters.closed.len() <= 2 * KEPT);
        }
        let (count, worst) = clusters.finish();
        assert_eq!((count, worst.len()), (many, KEPT));
        // Of those that cost the same, the earliest.
        let earliest: Vec<u64> = (0..KEPT as u64).map(|at| (7 * at + 6) * 1000).collect();
        assert!(worst.iter().all(|cluster| cluster.ns == 7));
        assert!(worst.iter().map(|cluster| cluster.from_ns).eq(earliest));
    }
}
