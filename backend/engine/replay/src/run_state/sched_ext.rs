//! Waits of tasks that belong to a BPF scheduler (`sched_ext`). The scheduler alone decides where they are queued, and the
//! balancers of the fair class do not act on them (`sched_tick`, `kernel/sched/core.c`; `task_should_scx`,
//! `kernel/sched/ext.c`, 6.12 to 7.2).

use std::collections::{HashMap, HashSet};

/// Facts about BPF schedulers from sources other than the scheduler's events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchedExtInputs {
    /// Load times of schedulers, ascending.
    pub loaded: Vec<ScxSpan>,
    /// Tasks that ever had policy `SCHED_EXT`, by task and time. The first also holds before.
    pub tasks: Vec<ExtTask>,
    /// Tasks that a dump has.
    pub dumped: Vec<i32>,
    /// Tasks that the watchdog found.
    pub stalls: Vec<ScxStall>,
}

/// A time in which a BPF scheduler was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScxSpan {
    /// From when, ns of the reference clock.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
    /// True if it has all tasks of the fair class's policies.
    pub all: bool,
}

/// The policy of a task at a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtTask {
    /// The task.
    pub pid: i32,
    /// Start.
    pub from_ns: u64,
    /// True if the policy was `SCHED_EXT`.
    pub ext: bool,
}

/// A task that the watchdog found runnable and not running (`check_rq_for_timeouts`, `kernel/sched/ext.c`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScxStall {
    /// The task.
    pub pid: i32,
    /// Since when it was runnable, ns of the reference clock.
    pub from_ns: u64,
    /// Time of the finding.
    pub to_ns: u64,
}

/// The same, as the replay looks it up.
#[derive(Debug, Default)]
pub(super) struct Ext {
    pub(super) loaded: Vec<ScxSpan>,
    pub(super) tasks: HashMap<i32, Vec<(u64, bool)>>,
    pub(super) dumped: HashSet<i32>,
    pub(super) stalls: Vec<ScxStall>,
}

impl From<SchedExtInputs> for Ext {
    fn from(inputs: SchedExtInputs) -> Self {
        let mut tasks: HashMap<i32, Vec<(u64, bool)>> = HashMap::new();
        for task in inputs.tasks {
            tasks
                .entry(task.pid)
                .or_default()
                .push((task.from_ns, task.ext));
        }
        Self {
            loaded: inputs.loaded,
            tasks,
            dumped: inputs.dumped.into_iter().collect(),
            stalls: inputs.stalls,
        }
    }
}

impl Ext {
    /// Time for which a BPF scheduler had the task, ns. The caller has excluded tasks of a higher class.
    #[inline]
    pub(super) fn had(&self, pid: i32, from_ns: u64, to_ns: u64) -> u64 {
        if self.loaded.is_empty() {
            return 0;
        }
        self.had_slowly(pid, from_ns, to_ns)
    }

    #[cold]
    pub(super) fn had_slowly(&self, pid: i32, from_ns: u64, to_ns: u64) -> u64 {
        if pid == 0 {
            return 0;
        }
        let policy = self.tasks.get(&pid).is_some_and(|seen| {
            let later = seen.partition_point(|seen| seen.0 <= to_ns);
            seen.get(later.saturating_sub(1)).is_some_and(|seen| seen.1)
        });
        let its = policy || self.dumped.contains(&pid);
        let spans = self.loaded.iter().filter(|span| span.all || its);
        spans
            .map(|span| overlap((span.from_ns, span.to_ns), (from_ns, to_ns)))
            .sum()
    }

    /// Returns whether a BPF scheduler has the task at a time.
    #[inline]
    pub(super) fn has(&self, pid: i32, now: u64) -> bool {
        self.had(pid, now, now.saturating_add(1)) > 0
    }

    pub(super) fn stalled(&self, pid: i32, from_ns: u64, to_ns: u64) -> u64 {
        // By the kernel's jiffies it may have become runnable a little earlier than it did.
        let stalls = self.stalls.iter().filter(|stall| stall.pid == pid);
        stalls
            .map(|stall| overlap((stall.from_ns, stall.to_ns), (from_ns, to_ns)))
            .max()
            .unwrap_or(0)
    }
}

pub(super) fn overlap(a: (u64, u64), b: (u64, u64)) -> u64 {
    a.1.min(b.1).saturating_sub(a.0.max(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ext() -> Ext {
        let span = |from_ns, to_ns, all| ScxSpan {
            from_ns,
            to_ns,
            all,
        };
        let task = |from_ns, ext| ExtTask {
            pid: 7,
            from_ns,
            ext,
        };
        Ext::from(SchedExtInputs {
            loaded: vec![span(100, 200, true), span(300, 400, false)],
            tasks: vec![task(50, true), task(350, false)],
            dumped: vec![8],
            stalls: vec![ScxStall {
                pid: 8,
                from_ns: 310,
                to_ns: 390,
            }],
        })
    }

    #[test]
    fn a_scheduler_has_all_fair_tasks_or_those_of_its_policy() {
        let ext = ext();
        // All of the fair class, whatever their policy, and no task while none is loaded.
        assert_eq!(ext.had(9, 0, 1000), 100);
        assert_eq!(ext.had(0, 0, 1000), 0);
        assert!(!ext.has(9, 250));
        // With SCX_OPS_SWITCH_PARTIAL those of the policy alone, as sampled last, and those of the dump.
        assert!(ext.has(7, 320));
        assert!(!ext.has(7, 360) && !ext.has(9, 320));
        assert!(ext.has(8, 320));
        assert!(!Ext::default().has(7, 320));
    }

    #[test]
    fn stalls_are_of_their_task_and_time() {
        let ext = ext();
        assert_eq!(
            (ext.stalled(8, 300, 380), ext.stalled(8, 391, 400)),
            (70, 0)
        );
        assert_eq!(ext.stalled(7, 300, 400), 0);
    }
}
