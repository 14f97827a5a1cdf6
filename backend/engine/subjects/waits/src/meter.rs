//! Collects waits and summarizes them.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use numalens_core::provenance::Source;
use numalens_core::tasks::TaskId;
use numalens_core::topology::Node;
use numalens_replay::waits::{Cause, CauseNs, WaitPart, WaitRow};
use numalens_subject::distribution::nearest_rank;
use numalens_subject::waits::Sort;
use numalens_subject::window::{Names, Places, SCHED_SWITCH, SCHED_WAKING, lowered};

use crate::groups::{Groups, Sums, add, antagonists};
use crate::{
    CauseSum, CgroupWaits, EdgeWaits, Latency, NodeWaits, Spread, TaskWaits, WaitsOfKind, WorstWait,
};

/// No list is longer than this, whatever is requested.
pub const MAX_LIMIT: usize = 1000;

/// Query.
#[derive(Debug, Clone)]
pub struct Config<'a> {
    /// The machine.
    pub nodes: &'a [Node],
    /// Pids of the tasks, by number: the idle task's waits are left out.
    pub pids: &'a [i32],
    /// True for tasks that make recordings, by number: their waits are listed after all others.
    pub own: &'a [bool],
    /// Source of the run states.
    pub source: Source,
    /// True if the recording has wakeup requests (`sched_waking`).
    pub requests: bool,
    /// True if cgroups are known.
    pub cgroups: bool,
    /// Length of lists; [`MAX_LIMIT`] at most.
    pub limit: usize,
}

/// All waits of one kind.
#[derive(Debug)]
struct Kind {
    waits: Vec<u64>,
    sum: u64,
    causes: [u64; Cause::COUNT],
    worst: Worst,
}

impl Kind {
    fn new(limit: usize) -> Self {
        Self {
            waits: Vec::new(),
            sum: 0,
            causes: [0; Cause::COUNT],
            worst: Worst::new(limit),
        }
    }

    #[inline]
    fn add(&mut self, part: &WaitPart<'_>, own: bool) {
        self.waits.push(part.ns());
        self.sum = self.sum.saturating_add(part.ns());
        add(&mut self.causes, part.causes);
        self.worst.add(part, own);
    }

    fn spread(&mut self) -> Spread {
        let count = self.waits.len();
        let max_ns = self.waits.iter().max().copied();
        let mut from = 0;
        let mut nth = |percent| {
            let at = (nearest_rank(count as u64, percent) - 1) as usize;
            // What is below the last percentile is in place already.
            let rest = self.waits.get_mut(from..).filter(|rest| !rest.is_empty())?;
            let (_, value, _) = rest.select_nth_unstable(at - from);
            let value = *value;
            from = at;
            Some(value)
        };
        Spread {
            p50_ns: nth(50),
            p90_ns: nth(90),
            p99_ns: nth(99),
            max_ns,
            error_percent: 0,
        }
    }
}

impl Kind {
    fn finish<E>(
        mut self,
        explain: &mut impl FnMut(Worst) -> Result<Vec<WorstWait>, E>,
    ) -> Result<WaitsOfKind, E> {
        Ok(WaitsOfKind {
            count: self.waits.len() as u64,
            wait_ns: self.sum,
            spread: self.spread(),
            causes: CauseSum::list(&self.causes),
            worst: explain(self.worst)?,
        })
    }
}

/// Adds up waits. A wait costs O(1); each takes 8 bytes, as the percentiles of all are exact.
#[derive(Debug)]
pub struct Meter<'a> {
    config: Config<'a>,
    places: Places,
    limit: usize,
    wakeups: Kind,
    preempted: Kind,
    new: Kind,
    unfinished: Kind,
    edges: EdgeWaits,
    groups: Groups,
}

impl<'a> Meter<'a> {
    /// Returns an empty meter.
    #[must_use]
    pub fn new(config: &Config<'a>) -> Self {
        let limit = config.limit.min(MAX_LIMIT);
        Self {
            config: config.clone(),
            places: Places::new(config.nodes),
            limit,
            wakeups: Kind::new(limit),
            preempted: Kind::new(limit),
            new: Kind::new(limit),
            unfinished: Kind::new(limit),
            edges: EdgeWaits::default(),
            groups: Groups::default(),
        }
    }

    /// Adds the part of a wait that lies in the window, whose causes add up to its length.
    #[inline]
    pub fn wait(&mut self, part: &WaitPart<'_>) {
        let wait = part.wait;
        if self.config.pids.get(wait.task as usize) == Some(&0) {
            return;
        }
        let (wait_ns, causes) = (part.ns(), part.causes);
        debug_assert_eq!(causes.iter().map(|cause| cause.ns).sum::<u64>(), wait_ns);
        self.edges.add(part);
        let own = self.config.own.get(wait.task as usize) == Some(&true);
        let preempted = match Sort::of(part) {
            Sort::Preempted => true,
            Sort::WokenUp => false,
            Sort::New => return self.new.add(part, own),
            Sort::Unfinished => return self.unfinished.add(part, own),
        };
        let sums = self
            .groups
            .at(wait.task, self.places.of(wait.cpu), wait.group);
        if preempted {
            self.preempted.add(part, own);
            if let Some(sums) = sums {
                sums.preempted(wait_ns, causes);
            }
        } else {
            self.wakeups.add(part, own);
            if let Some(sums) = sums {
                sums.wakeup(wait_ns, causes);
            }
        }
    }

    /// Returns the summary of the waits. `ran(wait, from, to)` returns the tasks that ran on the CPUs of the task's runqueues
    /// in a part of its wait, with their times, the longest first; it is called for the worst waits only. Times are ns of the
    /// reference clock.
    ///
    /// # Errors
    /// Those of `ran`.
    pub fn finish<N: Names, E>(
        mut self,
        names: &N,
        mut ran: impl FnMut(&WaitRow, u64, u64) -> Result<Vec<(TaskId, u64)>, E>,
    ) -> Result<Latency, E> {
        let mut missing = Vec::new();
        if !self.config.requests {
            missing.push(SCHED_WAKING);
        }
        let unknown = Cause::Unknown as usize;
        if self.wakeups.causes[unknown] != 0 || self.preempted.causes[unknown] != 0 {
            missing.push(SCHED_SWITCH);
        }
        let (label, missing) = lowered(&self.config.source, &missing);
        let spread = self.wakeups.spread();
        let (by_task, tasks) = self.by_task(names);
        let by_node = self.by_node();
        let by_cgroup = self.by_cgroup(names);
        let mut explain = |worst: Worst| -> Result<Vec<WorstWait>, E> {
            let kept = worst.finish().into_iter();
            kept.map(|kept| {
                let wait = &kept.wait;
                // Until it came to a queue, no task kept it from running.
                let wake_up = kept.causes.iter().find(|one| one.cause == Cause::WakeUp);
                let since = kept.from_ns + wake_up.map_or(0, |one| one.ns);
                let ran = ran(wait, since, kept.to_ns)?;
                let cgroup = self.config.cgroups.then(|| names.cgroup(wait.group));
                let nid = self.places.nid(wait.cpu);
                Ok(worst_wait(&kept, nid, cgroup, ran, names))
            })
            .collect()
        };
        Ok(Latency {
            wakeups: self.wakeups.waits.len() as u64,
            wait_ns: self.wakeups.sum,
            spread,
            worst: explain(self.wakeups.worst)?,
            preempted: self.preempted.finish(&mut explain)?,
            new: self.new.finish(&mut explain)?,
            unfinished: self.unfinished.finish(&mut explain)?,
            edges: self.edges,
            by_node,
            by_task,
            tasks,
            by_cgroup,
            causes: CauseSum::list(&self.wakeups.causes),
            label,
            missing,
        })
    }

    fn by_node(&self) -> Vec<NodeWaits> {
        let mut groups = self.groups.by_place();
        let nodes = (0..).zip(self.places.nodes());
        nodes
            .map(|(place, node)| {
                let sums = groups.remove(&place).unwrap_or_default();
                NodeWaits {
                    nid: node.nid,
                    count: sums.wakeups.count(),
                    spread: sums.spread(),
                    wait_ns: sums.wakeups.sum(),
                    causes: sums.cause_list(),
                    preempted: sums.preempted.count(),
                    preempted_ns: sums.preempted.sum(),
                    all: sums.spread_of_all(),
                    preempted_causes: sums.preempted_cause_list(),
                }
            })
            .collect()
    }

    fn by_task(&self, names: &impl Names) -> (Vec<TaskWaits>, usize) {
        let groups = self.groups.by_task();
        let all = groups.len();
        let tasks = self.longest(groups).into_iter().map(|(task, sums)| {
            let (pid, comm) = names.task(task);
            TaskWaits {
                task,
                pid,
                comm: comm.to_owned(),
                count: sums.wakeups.count(),
                spread: sums.spread(),
                wait_ns: sums.wakeups.sum(),
                causes: sums.cause_list(),
                preempted: sums.preempted.count(),
                preempted_ns: sums.preempted.sum(),
                all: sums.spread_of_all(),
                preempted_causes: sums.preempted_cause_list(),
            }
        });
        (tasks.collect(), all)
    }

    fn by_cgroup(&self, names: &impl Names) -> Vec<CgroupWaits> {
        if !self.config.cgroups {
            return Vec::new();
        }
        let groups = self.longest(self.groups.by_group()).into_iter();
        groups
            .map(|(group, sums)| CgroupWaits {
                cgroup: names.cgroup(group).to_owned(),
                count: sums.wakeups.count(),
                spread: sums.spread(),
                wait_ns: sums.wakeups.sum(),
                causes: sums.cause_list(),
                preempted: sums.preempted.count(),
                preempted_ns: sums.preempted.sum(),
                all: sums.spread_of_all(),
                preempted_causes: sums.preempted_cause_list(),
            })
            .collect()
    }

    /// The groups that waited longest, wake-ups and preemptions together.
    fn longest(&self, groups: BTreeMap<u32, Sums>) -> Vec<(u32, Sums)> {
        let mut order: Vec<(u32, Sums)> = groups.into_iter().collect();
        order.sort_by_key(|(key, sums)| (Reverse(sums.all_ns()), *key));
        order.truncate(self.limit);
        order
    }
}

pub(super) fn worst_wait(
    kept: &Kept,
    nid: Option<u32>,
    cgroup: Option<&str>,
    ran: Vec<(TaskId, u64)>,
    names: &impl Names,
) -> WorstWait {
    let wait = &kept.wait;
    let (pid, comm) = names.task(wait.task);
    let (antagonists, others) = antagonists(ran, names);
    WorstWait {
        pid,
        comm: comm.to_owned(),
        task: wait.task,
        waking_ns: wait.start_ns,
        switch_in_ns: wait.end_ns,
        wait_ns: kept.to_ns.saturating_sub(kept.from_ns),
        cpu: wait.cpu,
        from_cpu: wait.from_cpu,
        nid,
        waker_pid: (wait.waker_pid >= 0).then_some(wait.waker_pid),
        prio: wait.prio,
        cgroup: cgroup.map(str::to_owned),
        causes: kept
            .causes
            .iter()
            .map(|cause| CauseSum {
                cause: cause.cause.name(),
                ns: cause.ns,
            })
            .collect(),
        antagonists,
        others,
    }
}

// The longest waits.

/// The part of a wait in the window, and its causes.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) wait: WaitRow,
    pub(super) from_ns: u64,
    pub(super) to_ns: u64,
    pub(super) causes: Vec<CauseNs>,
    /// True for a wait of the recorder.
    own: bool,
}

impl Kept {
    pub(super) fn of(part: &WaitPart<'_>, own: bool) -> Self {
        Self {
            wait: *part.wait,
            from_ns: part.from_ns,
            to_ns: part.to_ns,
            causes: part.causes.to_vec(),
            own,
        }
    }

    fn rank(&self) -> Rank {
        rank(&self.wait, (self.from_ns, self.to_ns), self.own)
    }
}

/// A wait of the recorder is least, then longer is more, then earlier, then what makes the order complete.
type Rank = (Reverse<bool>, u64, Reverse<u64>, Reverse<u32>, Reverse<u32>);

fn rank(wait: &WaitRow, (from_ns, to_ns): (u64, u64), own: bool) -> Rank {
    (
        Reverse(own),
        to_ns.saturating_sub(from_ns),
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
        self.rank().cmp(&other.rank())
    }
}

/// Keeps the longest waits, at most `limit`; those of the recorder only where others leave room.
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
    pub(super) fn add(&mut self, part: &WaitPart<'_>, own: bool) {
        let full = self.heap.len() >= self.limit;
        let rank = rank(part.wait, (part.from_ns, part.to_ns), own);
        if full && self.heap.peek().is_none_or(|least| least.0.rank() >= rank) {
            return;
        }
        self.put(Kept::of(part, own), full);
    }

    #[cold]
    fn put(&mut self, kept: Kept, full: bool) {
        if full {
            self.heap.pop();
        }
        self.heap.push(Reverse(kept));
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
