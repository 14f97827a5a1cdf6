//! What comes at its time from elsewhere than the events.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::inputs::{First, Inputs};
use crate::states::Groups;

/// What happens at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// The task is seen in the cgroup.
    Member { pid: i32, group: u32 },
    /// The cgroup is throttled from here on, or not any more.
    Throttle { group: u32, on: bool },
    /// A CPU begins to record with somebody on it.
    First(Box<First>),
    /// The sleep that began at `slept` becomes an iowait.
    Iowait { pid: i32, slept: u64 },
}

/// The moments to come.
#[derive(Debug)]
pub(super) struct Timed {
    /// Known beforehand, the next one last.
    known: Vec<(u64, Due)>,
    /// Iowaits that begin a little after their sleep: when, the task and when the sleep began.
    iowaits: BinaryHeap<Reverse<(u64, i32, u64)>>,
    next: u64,
    /// In which cgroups the tasks were seen when.
    members: HashMap<i32, Vec<(u64, u32)>>,
}

impl Timed {
    /// Puts the inputs in order; the paths of cgroups get their numbers.
    pub(super) fn new(inputs: &mut Inputs, groups: &mut Groups) -> Self {
        let mut known = Vec::new();
        let mut members: HashMap<i32, Vec<(u64, u32)>> = HashMap::new();
        for member in inputs.members.drain(..) {
            let group = groups.number(&member.path);
            let pid = member.pid;
            members
                .entry(pid)
                .or_default()
                .push((member.from_ns, group));
            known.push((member.from_ns, Due::Member { pid, group }));
        }
        for seen in members.values_mut() {
            seen.sort_by_key(|seen| seen.0);
        }
        for span in inputs.throttled.drain(..) {
            let group = groups.number(&span.path);
            if span.from_ns < span.to_ns {
                known.push((span.from_ns, Due::Throttle { group, on: true }));
                known.push((span.to_ns, Due::Throttle { group, on: false }));
            }
        }
        let firsts = inputs.firsts.drain(..);
        known.extend(firsts.map(|first| (first.from_ns, Due::First(Box::new(first)))));
        known.sort_by_key(|due| due.0);
        known.reverse();
        let mut timed = Self {
            known,
            iowaits: BinaryHeap::new(),
            next: 0,
            members,
        };
        timed.look();
        timed
    }

    fn look(&mut self) {
        let known = self.known.last().map_or(u64::MAX, |due| due.0);
        let iowait = self.iowaits.peek().map_or(u64::MAX, |due| due.0.0);
        self.next = known.min(iowait);
    }

    /// Whether something is due by `now`.
    #[inline]
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.next <= now
    }

    /// The next that is due by `now`.
    pub(super) fn take(&mut self, now: u64) -> Option<(u64, Due)> {
        let due = if self.next > now {
            return None;
        } else if self.known.last().is_some_and(|due| due.0 == self.next) {
            self.known.pop()
        } else {
            self.iowaits
                .pop()
                .map(|Reverse((ns, pid, slept))| (ns, Due::Iowait { pid, slept }))
        };
        self.look();
        due
    }

    pub(super) fn iowait_at(&mut self, ns: u64, pid: i32, slept: u64) {
        self.iowaits.push(Reverse((ns, pid, slept)));
        self.next = self.next.min(ns);
    }

    /// The cgroup of a task that is met for the first time: the one in which it was seen last, or is seen next.
    pub(super) fn group(&self, pid: i32, now: u64) -> u32 {
        let Some(seen) = self.members.get(&pid) else {
            return 0;
        };
        let later = seen.partition_point(|seen| seen.0 <= now);
        seen.get(later.saturating_sub(1)).map_or(0, |seen| seen.1)
    }

    /// The task is gone: where it was seen says nothing about the next one of its pid.
    pub(super) fn forget(&mut self, pid: i32, now: u64) {
        if let Some(seen) = self.members.get_mut(&pid) {
            seen.retain(|seen| seen.0 > now);
        }
    }
}
