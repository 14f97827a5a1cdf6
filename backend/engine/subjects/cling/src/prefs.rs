//! Preferred nodes of tasks over time (`numa_preferred_nid`).

use std::collections::HashMap;

use numalens_core::hash::PidMap;
use numalens_replay::numa::{Attempt, TargetFrom};

use crate::events::{Applied, Events};
use crate::group::NO_NODE;

/// Source of a preferred node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefFrom {
    /// A line or a probe of `sched_setnuma`.
    Setnuma,
    /// An attempt begins only towards the preferred node.
    Target(TargetFrom),
    /// Cling resets it after a failed attempt (`update_migrate_stat`).
    Reset,
    /// The task came to the node by an attempt: `task_numa_migrate` leaves it there.
    Arrived,
    /// Printed before a change.
    Old,
}

impl PrefFrom {
    /// Returns whether it was printed.
    #[must_use]
    pub fn observed(self) -> bool {
        matches!(
            self,
            Self::Setnuma | Self::Old | Self::Target(TargetFrom::Entry)
        )
    }
}

/// A task's preferred node from `t_ns` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefStep {
    /// ns of the reference clock.
    pub t_ns: u64,
    /// The node; -1 for none.
    pub nid: i32,
    /// Source of the preferred node.
    pub from: PrefFrom,
}

/// Every task's preferred node over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefs {
    tasks: PidMap<Vec<PrefStep>>,
}

impl Prefs {
    /// Takes a step in; a task's steps may come in any order of time.
    pub fn push(&mut self, pid: i32, step: PrefStep) {
        let steps = self.tasks.entry(pid).or_default();
        let at = steps.partition_point(|other| other.t_ns <= step.t_ns);
        steps.insert(at, step);
    }

    /// A line or a probe: from `t_ns` on the task prefers `new`; before it was `old`.
    pub fn setnuma(&mut self, pid: i32, t_ns: u64, old: Option<i32>, new: i32) {
        if let Some(old) = old
            && self.at(pid, t_ns).is_none()
        {
            self.push(
                pid,
                PrefStep {
                    t_ns: 0,
                    nid: old,
                    from: PrefFrom::Old,
                },
            );
        }
        let from = PrefFrom::Setnuma;
        self.push(
            pid,
            PrefStep {
                t_ns,
                nid: new,
                from,
            },
        );
    }

    /// Conclusions from attempts: their targets, and the preferred node that a kernel leaves. `resets`: a failed attempt
    /// resets it, as cling does for members of its groups.
    pub fn attempts<'a>(
        &mut self,
        attempts: impl IntoIterator<Item = &'a Attempt>,
        resets: impl Fn(&Attempt) -> bool,
    ) {
        for attempt in attempts {
            if attempt.target_nid >= 0 {
                self.push(
                    attempt.pid,
                    PrefStep {
                        t_ns: attempt.start_ns,
                        nid: attempt.target_nid,
                        from: PrefFrom::Target(attempt.target_from),
                    },
                );
            }
            match attempt.failed() {
                Some(true) if resets(attempt) => self.push(
                    attempt.pid,
                    PrefStep {
                        t_ns: attempt.end_ns,
                        nid: NO_NODE,
                        from: PrefFrom::Reset,
                    },
                ),
                Some(false) if attempt.dst_nid >= 0 && attempt.dst_nid != attempt.target_nid => {
                    self.push(
                        attempt.pid,
                        PrefStep {
                            t_ns: attempt.end_ns,
                            nid: attempt.dst_nid,
                            from: PrefFrom::Arrived,
                        },
                    );
                }
                _ => {}
            }
        }
    }

    /// A task's preferred node then; `None` when not known yet.
    #[must_use]
    pub fn at(&self, pid: i32, t_ns: u64) -> Option<PrefStep> {
        let steps = self.tasks.get(&pid)?;
        let after = steps.partition_point(|step| step.t_ns <= t_ns);
        steps.get(after.wrapping_sub(1)).copied()
    }

    /// A task's steps, ascending.
    #[must_use]
    pub fn of(&self, pid: i32) -> &[PrefStep] {
        self.tasks.get(&pid).map_or(&[], Vec::as_slice)
    }

    /// Every task of which something is known, ascending.
    #[must_use]
    pub fn pids(&self) -> Vec<i32> {
        let mut pids: Vec<i32> = self.tasks.keys().copied().collect();
        pids.sort_unstable();
        pids
    }
}

// Which group a task was in, from what events print with it.

/// Each task's groups over time: (from when, number of the group or none), ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members(HashMap<i32, Vec<(u64, Option<u32>)>>);

impl Members {
    /// From the ids that attempts carry, the partners' as well.
    #[must_use]
    pub fn of_events(events: &Events, attempts: &[Attempt]) -> Self {
        let mut members = Self::default();
        let mut numbers: HashMap<i32, u32> = HashMap::new();
        let places = |applied: &Applied| attempts.get(applied.attempt);
        for applied in &events.applied {
            if let (Some(attempt), Some(group)) = (places(applied), applied.group) {
                numbers.insert(attempt.ngid, group);
            }
        }
        for applied in &events.applied {
            let Some(attempt) = places(applied) else {
                continue;
            };
            if attempt.ngid >= 0 {
                members.push(attempt.pid, attempt.start_ns, applied.group);
            }
            if let Some(partner) = attempt.partner.filter(|partner| partner.ngid >= 0) {
                let group = numbers.get(&partner.ngid).copied();
                members.push(partner.pid, attempt.start_ns, group);
            }
        }
        members
    }

    /// From now on a task is in that group, or in none. The times of a task must not decrease.
    pub fn push(&mut self, pid: i32, t_ns: u64, group: Option<u32>) {
        let steps = self.0.entry(pid).or_default();
        if steps.last().is_none_or(|last| last.1 != group) {
            steps.push((t_ns, group));
        }
    }

    /// Group of a task at a time.
    #[must_use]
    pub fn at(&self, pid: i32, t_ns: u64) -> Option<u32> {
        let steps = self.0.get(&pid)?;
        let after = steps.partition_point(|step| step.0 <= t_ns);
        steps.get(after.wrapping_sub(1))?.1
    }

    /// Every task that was in a group, ascending.
    #[must_use]
    pub fn pids(&self) -> Vec<i32> {
        let joined = |steps: &[(u64, Option<u32>)]| steps.iter().any(|step| step.1.is_some());
        let mut pids: Vec<i32> = self
            .0
            .iter()
            .filter(|(_, steps)| joined(steps))
            .map(|(&pid, _)| pid)
            .collect();
        pids.sort_unstable();
        pids
    }
}
