//! Inputs of the replay besides the events.

use std::collections::{HashMap, HashSet};

use numalens_core::CpuSet;

use super::SchedExtInputs;
use crate::evidence::CpuSpan;

/// Facts from sources other than the scheduler's events. Times are ns of the reference clock.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Sleeps that were `in_iowait`.
    pub iowaits: Iowaits,
    /// Cgroups of tasks over time. The first one of a pid also holds before, unless an event shows otherwise.
    pub members: Vec<Member>,
    /// Tasks on CPUs before the first switch.
    pub firsts: Vec<First>,
    /// Throttled times of cgroups.
    pub throttled: Vec<Throttle>,
    /// Affinity of tasks and of the tasks of cgroups.
    pub allowed: Vec<AllowedCpus>,
    /// Kernel threads, by what their flags say: what their names say of a CPU is true of them.
    pub kernel_threads: Vec<i32>,
    /// Tasks whose memory NUMA balancing scanned: it may keep them on their node, whatever idle CPUs elsewhere do.
    pub numa_balanced: Vec<i32>,
    /// Tasks that were runnable and did not run: those without events wait all that time.
    pub starved: Vec<Starved>,
    /// Quotas of cgroups.
    pub quotas: Vec<QuotaSet>,
    /// Offline times of CPUs. A CPU that goes offline is unknown from then until its next switch.
    pub offline: Vec<CpuSpan>,
    /// Times at which no task could come to CPUs because they were going offline, offline, or coming up (`cpu_active`): they
    /// may have been idle, but not available.
    pub inactive: Vec<CpuSpan>,
    /// If true, a task counts as runnable from the middle between its wakeup request and its wakeup, if both are on one CPU.
    /// The kernel enqueues it in between and prints `sched_wakeup` last (`ttwu_do_activate`, `kernel/sched/core.c`). Only the
    /// log of states uses this.
    pub enqueued_before_wakeup: bool,
    /// If true, a task that comes to an idle CPU without a wakeup counts as runnable for the typical time before, since its
    /// wakeup is missing. Only the log of states uses this; no wait is recorded.
    pub date_missing_wakeups: bool,
    /// Completeness of the switches.
    pub switches: Switches,
    /// Times in which tasks ran, according to other CPUs: the kernel accounts for a running task when another one is woken on
    /// its CPU.
    pub ran: Vec<Ran>,
    /// The tasks whose switches are recorded, where others are not: what a CPU does after such a task is not known.
    pub followed: Option<HashSet<i32>>,
    /// Priorities of slices in which a task came to another class than that of the switch to it.
    pub reclassed: Vec<Reclassed>,
    /// Load times of BPF schedulers, and their tasks.
    pub sched_ext: SchedExtInputs,
    /// Jiffies per second; 0 when unknown.
    pub hz: u32,
}

/// Completeness of a recording's switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switches {
    /// All are there, or all but a few.
    #[default]
    Recorded,
    /// Many are missing: a task that has waited since it was woken, and is woken again, has run and slept in between
    /// (`ttwu_state_match`, `kernel/sched/core.c`, finds it asleep only then). Its waits are not recorded.
    Missing,
}

/// Time in which a task ran, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran {
    /// The task.
    pub pid: i32,
    /// Begin.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
}

/// Slice in which a task came to another class than that of the switch to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reclassed {
    /// Time of that switch, ns.
    pub ts_ns: u64,
    /// CPU of the slice.
    pub cpu: u32,
    /// The task.
    pub pid: i32,
    /// Priority at the end of the slice, as the kernel counts.
    pub prio: i32,
}

/// A task was seen in a cgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The task.
    pub pid: i32,
    /// The cgroup's path from the root of the default hierarchy, `/a/b`.
    pub path: String,
    /// Time of the sample.
    pub from_ns: u64,
}

/// Task on a CPU from the start of recording to its first switch: the task that the switch took off. No switch lies between
/// the two unless events were lost, which the caller has excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct First {
    /// The CPU.
    pub cpu: u32,
    /// From when it was recording.
    pub from_ns: u64,
    /// The task, 0 when it was idle.
    pub pid: i32,
    /// Name of the task.
    pub comm: String,
    /// Priority of the task as the kernel counts.
    pub prio: i32,
}

/// Owner of known affinity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AllowedOf {
    /// A task's (`Cpus_allowed_list` of `/proc/PID/status`), which are those of its cgroup already where that has fewer.
    Task(i32),
    /// Tasks of a cgroup (`cpuset.cpus.effective`), by its path.
    Cgroup(String),
}

/// Affinity of a task or of the tasks of a cgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedCpus {
    /// Owner of the affinity.
    pub of: AllowedOf,
    /// CPUs; `None` when changed to an unknown mask.
    pub cpus: Option<CpuSet>,
    /// From when on.
    pub from_ns: u64,
    /// Time of the sample: later than `from_ns` if it also holds before.
    pub sampled_ns: u64,
}

/// A task that was sampled as runnable (`R` in `/proc/PID/stat`) at both ends of a span, with the same CPU time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starved {
    /// The task.
    pub pid: i32,
    /// Name of the task.
    pub comm: String,
    /// The CPU on whose runqueue it is.
    pub cpu: u32,
    /// The first sample.
    pub from_ns: u64,
    /// The last sample.
    pub to_ns: u64,
}

/// A cgroup's quota of CPU time (`cpu.max`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaSet {
    /// The cgroup's path.
    pub path: String,
    /// CPU time that its tasks may use in each period, ns; `None` = no limit.
    pub quota_ns: Option<u64>,
    /// The period, ns.
    pub period_ns: u64,
    /// From when on. The first one also holds before.
    pub from_ns: u64,
}

/// A cgroup, and so all below it, used up its quota of CPU time (`cpu.max`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Throttle {
    /// The cgroup's path.
    pub path: String,
    /// From when.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
}

/// Sleeps that were `in_iowait`. No switch shows that: other events do, and a sleep without one is not counted.
#[derive(Debug, Default)]
pub struct Iowaits {
    /// Only sleeps in state `D` that begin inside of an interval count.
    blocked: bool,
    by_pid: HashMap<i32, Recorded>,
}

#[derive(Debug, Default)]
struct Recorded {
    /// From and to, ascending, without overlaps.
    intervals: Vec<(u64, u64)>,
    /// The first one that can still matter.
    next: usize,
}

impl Iowaits {
    /// Sleeps that an event gives with their length (`sched_stat_iowait`): pid, from and to, in any order.
    #[must_use]
    pub fn recorded(intervals: impl IntoIterator<Item = (i32, u64, u64)>) -> Self {
        Self::of(false, intervals)
    }

    /// Intervals in which a sleep in state `D` that begins there is an I/O wait: pid, from and to, in any order.
    #[must_use]
    pub fn blocked(intervals: impl IntoIterator<Item = (i32, u64, u64)>) -> Self {
        Self::of(true, intervals)
    }

    fn of(blocked: bool, intervals: impl IntoIterator<Item = (i32, u64, u64)>) -> Self {
        let mut by_pid: HashMap<i32, Recorded> = HashMap::new();
        for (pid, from, to) in intervals {
            by_pid.entry(pid).or_default().intervals.push((from, to));
        }
        for recorded in by_pid.values_mut() {
            let intervals = &mut recorded.intervals;
            intervals.sort_unstable();
            intervals.dedup_by(|later, before| {
                let joined = later.0 < before.1;
                if joined {
                    before.1 = before.1.max(later.1);
                }
                joined
            });
            intervals.shrink_to_fit();
        }
        Self { blocked, by_pid }
    }

    /// Returns the time at which the sleep starting at `now` becomes an iowait, unless it ends before; `now` must not go
    /// back.
    pub(super) fn begins(&mut self, pid: i32, now: u64, blocked: bool) -> Option<u64> {
        if self.by_pid.is_empty() || (self.blocked && !blocked) {
            return None;
        }
        let recorded = self.by_pid.get_mut(&pid)?;
        while recorded.intervals.get(recorded.next)?.1 <= now {
            recorded.next += 1;
        }
        let (from, _) = *recorded.intervals.get(recorded.next)?;
        (!self.blocked || from <= now).then_some(now.max(from))
    }
}
