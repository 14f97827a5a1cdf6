//! Facts that apply at their time and come from sources other than events.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use numalens_core::CpuSet;

use super::inputs::{AllowedOf, First, Inputs, Starved};
use super::task::At;
use crate::evidence::CpuSpan;
use crate::states::Groups;

/// Fact that applies at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// The task is seen in the cgroup.
    Member { pid: i32, group: u32 },
    /// The cgroup becomes throttled, or is no longer throttled.
    Throttle { group: u32, on: bool },
    /// A task may run on these CPUs from here on; sampled now or, if it is the first sample, later.
    TaskCpus {
        pid: i32,
        cpus: Box<CpuSet>,
        sampled_ns: u64,
    },
    /// The affinity of a task was changed.
    TaskChanged { pid: i32 },
    /// The tasks of a cgroup may.
    GroupCpus { group: u32, cpus: Box<CpuSet> },
    /// The cgroup has this quota and period from here on.
    Quota {
        group: u32,
        quota: Option<(u64, u64)>,
    },
    /// The cgroup gets its quota again.
    Refill { group: u32 },
    /// The CPU ran its stopper since then, if it still does.
    Stopped { cpu: u32, since: u64 },
    /// The CPU is offline from here on.
    Offline { cpu: u32 },
    /// Tasks may be placed on the CPU from now on, or no longer.
    Active { cpu: u32, active: bool },
    /// The task waited on the idle CPU since then, if it still does.
    Idled { pid: i32, cpu: u32, since: u64 },
    /// The task has run since then, whatever its CPU shows.
    Ran { pid: i32, since: u64 },
    /// The kick that came to the CPU then has raised no balancing, if nothing followed.
    KickDropped { cpu: u32, came: u64 },
    /// Busy CPUs have had the time to kick again.
    KickServed,
    /// The task is not cache hot any more, if it still waits since then.
    Cools { task: At, since: u64 },
    /// A CPU starts recording with a running task.
    First(Box<First>),
    /// A task waits from here on, unless it has an event by the time inside.
    Starves(Box<Starved>),
    /// End of that time.
    Starved { pid: i32 },
    /// The sleep that began at `slept` becomes an iowait.
    Iowait { pid: i32, slept: u64 },
}

/// Actions found on the way, to be done later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Later {
    /// See [`Due::Iowait`].
    Iowait { pid: i32, slept: u64 },
    /// See [`Due::Refill`].
    Refill { group: u32 },
    /// See [`Due::Stopped`].
    Stopped { cpu: u32, since: u64 },
    /// See [`Due::Idled`].
    Idled { pid: i32, cpu: u32, since: u64 },
    /// See [`Due::KickDropped`].
    KickDropped { cpu: u32, came: u64 },
    /// See [`Due::KickServed`].
    KickServed,
    /// See [`Due::Cools`].
    Cools { task: At, since: u64 },
}

impl From<Later> for Due {
    fn from(later: Later) -> Self {
        match later {
            Later::Iowait { pid, slept } => Self::Iowait { pid, slept },
            Later::Refill { group } => Self::Refill { group },
            Later::Stopped { cpu, since } => Self::Stopped { cpu, since },
            Later::Idled { pid, cpu, since } => Self::Idled { pid, cpu, since },
            Later::KickDropped { cpu, came } => Self::KickDropped { cpu, came },
            Later::KickServed => Self::KickServed,
            Later::Cools { task, since } => Self::Cools { task, since },
        }
    }
}

/// The moments to come.
#[derive(Debug)]
pub(super) struct Timed {
    /// Known beforehand, the next one last.
    known: Vec<(u64, Due)>,
    /// Times at which tasks are no longer cache hot, if they come in order.
    cooling: VecDeque<(u64, Later)>,
    /// Other actions found on the way.
    later: BinaryHeap<Reverse<(u64, Later)>>,
    next: u64,
    /// Cgroups of the tasks over time, as sampled.
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
        for allowed in inputs.allowed.drain(..) {
            let sampled_ns = allowed.sampled_ns;
            let due = match (allowed.of, allowed.cpus.map(Box::new)) {
                (AllowedOf::Task(pid), Some(cpus)) => Due::TaskCpus {
                    pid,
                    cpus,
                    sampled_ns,
                },
                (AllowedOf::Task(pid), None) => Due::TaskChanged { pid },
                (AllowedOf::Cgroup(path), Some(cpus)) => Due::GroupCpus {
                    group: groups.number(&path),
                    cpus,
                },
                (AllowedOf::Cgroup(_), None) => continue,
            };
            known.push((allowed.from_ns, due));
        }
        let mut met: HashSet<u32> = HashSet::new();
        inputs.quotas.sort_by_key(|quota| quota.from_ns);
        for set in inputs.quotas.drain(..) {
            let group = groups.number(&set.path);
            let from_ns = if met.insert(group) { 0 } else { set.from_ns };
            let quota = set.quota_ns.map(|quota| (quota, set.period_ns));
            known.push((from_ns, Due::Quota { group, quota }));
        }
        for starved in inputs.starved.drain(..) {
            let pid = starved.pid;
            known.push((starved.to_ns, Due::Starved { pid }));
            known.push((starved.from_ns, Due::Starves(Box::new(starved))));
        }
        let offline = inputs.offline.drain(..);
        known.extend(offline.map(|off| (off.from_ns, Due::Offline { cpu: off.cpu })));
        for CpuSpan {
            cpu,
            from_ns,
            to_ns,
        } in inputs.inactive.drain(..)
        {
            known.push((from_ns, Due::Active { cpu, active: false }));
            known.extend(to_ns.map(|to_ns| (to_ns, Due::Active { cpu, active: true })));
        }
        let ran = inputs.ran.drain(..);
        known.extend(ran.map(|ran| {
            let (pid, since) = (ran.pid, ran.from_ns);
            (ran.to_ns, Due::Ran { pid, since })
        }));
        let firsts = inputs.firsts.drain(..);
        known.extend(firsts.map(|first| (first.from_ns, Due::First(Box::new(first)))));
        known.sort_by_key(|due| due.0);
        known.reverse();
        let mut timed = Self {
            known,
            cooling: VecDeque::new(),
            later: BinaryHeap::new(),
            next: 0,
            members,
        };
        timed.look();
        timed
    }

    fn look(&mut self) {
        let known = self.known.last().map_or(u64::MAX, |due| due.0);
        let cooling = self.cooling.front().map_or(u64::MAX, |due| due.0);
        let later = self.later.peek().map_or(u64::MAX, |due| due.0.0);
        self.next = known.min(cooling).min(later);
    }

    /// Returns whether something is due by `now`.
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
        } else if self.cooling.front().is_some_and(|due| due.0 == self.next) {
            self.cooling.pop_front().map(|(ns, due)| (ns, due.into()))
        } else {
            self.later.pop().map(|Reverse((ns, due))| (ns, due.into()))
        };
        self.look();
        due
    }

    /// Does something at `ns`.
    pub(super) fn later(&mut self, ns: u64, what: Later) {
        self.later.push(Reverse((ns, what)));
        self.next = self.next.min(ns);
    }

    /// A task that waits since `since` is cache hot until `ns`.
    #[inline]
    pub(super) fn cools(&mut self, ns: u64, task: At, since: u64) {
        let cools = Later::Cools { task, since };
        if self.cooling.back().is_none_or(|last| last.0 <= ns) {
            self.cooling.push_back((ns, cools));
            self.next = self.next.min(ns);
        } else {
            self.later(ns, cools);
        }
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
