//! Which group a task was in, from what events print beside it.

use std::collections::HashMap;

use numalens_replay::numa::Attempt;

use crate::cling::events::{Applied, Events};
use crate::cling::lines::Lines;

/// Each task's groups over time: (from when, number of the group or none), ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members(HashMap<i32, Vec<(u64, Option<u32>)>>);

impl Members {
    /// From printed joins and leaves.
    #[must_use]
    pub fn of_lines(lines: &Lines) -> Self {
        let mut members = Self::default();
        for step in &lines.members {
            // Number 0 is a group that faults formed.
            let group = (step.joined && step.group != 0).then_some(step.group);
            members.push(step.pid, step.t_ns, group);
        }
        members
    }

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

    /// From now on a task is in that group, or in none. Moments of a task must not go back.
    pub fn push(&mut self, pid: i32, t_ns: u64, group: Option<u32>) {
        let steps = self.0.entry(pid).or_default();
        if steps.last().is_none_or(|last| last.1 != group) {
            steps.push((t_ns, group));
        }
    }

    /// A task's group then.
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
