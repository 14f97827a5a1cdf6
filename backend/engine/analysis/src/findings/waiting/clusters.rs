//! Clusters of waits: the intervals in which somebody waited for one thing without a break.

use std::cmp::Reverse;

use numalens_core::tasks::TaskId;

use crate::findings::occurrence::KEPT;

/// Tasks and CPUs that the clusters which later waits may still join have in all, at most.
const MOST_OPEN: usize = 1 << 17;

/// Items of a cluster that need no memory of their own.
const FEW: usize = 4;

/// Ascending items. Most clusters are of few waits, and there are very many of them.
#[derive(Debug, Clone)]
pub(super) enum Items<T> {
    Few { len: usize, items: [T; FEW] },
    Many(Vec<T>),
}

impl<T: Copy> Items<T> {
    fn one(item: T) -> Self {
        Self::Few {
            len: 1,
            items: [item; FEW],
        }
    }

    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            Self::Few { len, items } => &items[..*len],
            Self::Many(many) => many,
        }
    }

    fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            Self::Few { len, items } => &mut items[..*len],
            Self::Many(many) => many,
        }
    }

    fn insert(&mut self, at: usize, item: T) {
        match self {
            Self::Few { len, items } if *len < FEW => {
                items.copy_within(at..*len, at + 1);
                items[at] = item;
                *len += 1;
            }
            Self::Few { items, .. } => {
                let mut many = Vec::with_capacity(2 * FEW);
                many.extend_from_slice(items);
                many.insert(at, item);
                *self = Self::Many(many);
            }
            Self::Many(many) => many.insert(at, item),
        }
    }
}

impl<T: Copy + PartialEq> PartialEq for Items<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Copy + Eq> Eq for Items<T> {}

/// Waits that overlap or adjoin, directly or by others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cluster {
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    /// Task-ns.
    pub(super) ns: u64,
    /// Who waited for how much of it, ascending.
    pub(super) tasks: Items<(TaskId, u64)>,
    /// Where, ascending.
    pub(super) cpus: Items<u32>,
}

impl Cluster {
    /// Of one wait: when, who waited for how much of it, and where.
    fn new((from_ns, to_ns): (u64, u64), of: (TaskId, u64), cpu: u32) -> Self {
        Self {
            from_ns,
            to_ns,
            ns: of.1,
            tasks: Items::one(of),
            cpus: Items::one(cpu),
        }
    }

    fn size(&self) -> usize {
        self.tasks.as_slice().len() + self.cpus.as_slice().len()
    }

    /// One more wait.
    fn add(&mut self, (from_ns, to_ns): (u64, u64), (task, ns): (TaskId, u64), cpu: u32) {
        self.from_ns = self.from_ns.min(from_ns);
        self.to_ns = self.to_ns.max(to_ns);
        self.ns = self.ns.saturating_add(ns);
        self.add_task(task, ns);
        self.add_cpu(cpu);
    }

    fn add_task(&mut self, task: TaskId, ns: u64) {
        let tasks = self.tasks.as_mut_slice();
        match tasks.binary_search_by_key(&task, |one| one.0) {
            Ok(at) => tasks[at].1 = tasks[at].1.saturating_add(ns),
            Err(at) => self.tasks.insert(at, (task, ns)),
        }
    }

    fn add_cpu(&mut self, cpu: u32) {
        if let Err(at) = self.cpus.as_slice().binary_search(&cpu) {
            self.cpus.insert(at, cpu);
        }
    }

    /// Both as one.
    fn join(self, other: Self) -> Self {
        let (mut joined, few) = if self.size() < other.size() {
            (other, self)
        } else {
            (self, other)
        };
        joined.from_ns = joined.from_ns.min(few.from_ns);
        joined.to_ns = joined.to_ns.max(few.to_ns);
        joined.ns = joined.ns.saturating_add(few.ns);
        for &(task, ns) in few.tasks.as_slice() {
            joined.add_task(task, ns);
        }
        for &cpu in few.cpus.as_slice() {
            joined.add_cpu(cpu);
        }
        joined
    }
}

/// Joins waits that come by their ends.
///
/// A wait may begin before any number of clusters. Those that it could still join are kept until their tasks and CPUs are more than
/// [`MOST_OPEN`]; then the earlier half is closed, and a wait that began before its end joins nothing of it.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// Apart, by time.
    open: Vec<Cluster>,
    /// Tasks and CPUs of those.
    size: usize,
    closed: Vec<Cluster>,
    count: u64,
}

impl Clusters {
    /// The next wait: when, who waited for how much of it (task-ns), and where.
    pub(super) fn wait(&mut self, interval: (u64, u64), of: (TaskId, u64), cpu: u32) {
        let mut joined: Option<Cluster> = None;
        while let Some(last) = self.open.pop_if(|last| interval.0 <= last.to_ns) {
            self.size -= last.size();
            joined = Some(match joined {
                Some(joined) => last.join(joined),
                None => last,
            });
        }
        let joined = match joined {
            Some(mut joined) => {
                joined.add(interval, of, cpu);
                joined
            }
            None => Cluster::new(interval, of, cpu),
        };
        self.size += joined.size();
        self.open.push(joined);
        if self.size > MOST_OPEN && self.open.len() > 1 {
            self.close(self.open.len() / 2);
        }
    }

    /// Nothing joins the first `count` any more.
    fn close(&mut self, count: usize) {
        self.count += count as u64;
        // What is less than the worst that are kept is not even sorted.
        let least = self.closed.get(KEPT - 1).map_or(0, |last| last.ns);
        let closed = self.open.drain(..count);
        self.closed
            .extend(closed.filter(|cluster| cluster.ns >= least));
        self.size = self.open.iter().map(Cluster::size).sum();
        if self.closed.len() > 2 * KEPT {
            let mut costs: Vec<u64> = self.closed.iter().map(|cluster| cluster.ns).collect();
            let (_, &mut least, _) = costs.select_nth_unstable_by_key(KEPT - 1, |&ns| Reverse(ns));
            self.closed.retain(|cluster| cluster.ns >= least);
        }
        self.closed
            .sort_by_key(|cluster| (Reverse(cluster.ns), cluster.from_ns));
        self.closed.truncate(KEPT);
    }

    /// How many there are, and the worst.
    pub(super) fn finish(mut self) -> (u64, Vec<Cluster>) {
        self.close(self.open.len());
        (self.count, self.closed)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::{Cluster, Clusters, KEPT, MOST_OPEN};

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
                Some(last) => last.add(interval, of, task % 4),
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
            waits.sort_by_key(|wait| wait.1);
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
        let many = 3 * MOST_OPEN as u64;
        for at in 0..many {
            let length = 1 + at % 7;
            clusters.wait((at * 1000, at * 1000 + length), (0, length), 0);
            assert!(clusters.open.len() <= MOST_OPEN);
        }
        let (count, worst) = clusters.finish();
        assert_eq!((count, worst.len()), (many, KEPT));
        assert!(worst.iter().all(|cluster| cluster.ns == 7));
    }
}
