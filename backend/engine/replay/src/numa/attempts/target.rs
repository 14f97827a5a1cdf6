//! Target node of a task's attempts: its preferred node at the start of the attempt.

use std::collections::HashMap;

use numalens_core::topology::Node;

use super::super::{Candidate, ClingLine, TargetFrom};
use super::Preferred;

/// Knowledge about a task at the start of its attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PreferredHistory {
    /// Preferred node by the last `sched_setnuma`, and by the one before that; `None` when not seen.
    set: [Option<i32>; 2],
    /// Number of settings to a node since the task's last attempt began or it was set to none.
    sets: u32,
    /// By the last sample.
    sampled: Option<i32>,
    /// Target of its last attempt.
    went: Option<i32>,
}

const NOTHING: PreferredHistory = PreferredHistory {
    set: [None; 2],
    sets: 0,
    sampled: None,
    went: None,
};

/// Knowledge about every task.
pub(super) struct Targets<'a> {
    nodes: Vec<i32>,
    samples: &'a [Preferred],
    tasks: HashMap<i32, PreferredHistory>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(nodes: &[Node], samples: &'a [Preferred]) -> Self {
        Self {
            nodes: nodes.iter().map(|node| node.nid as i32).collect(),
            samples,
            tasks: HashMap::new(),
        }
    }

    pub(super) fn pass_time(&mut self, now: u64) {
        while let Some((first, rest)) = self.samples.split_first()
            && first.ts_ns <= now
        {
            self.tasks.entry(first.pid).or_insert(NOTHING).sampled = Some(first.nid);
            self.samples = rest;
        }
    }

    pub(super) fn line(&mut self, line: &ClingLine) {
        if let ClingLine::Setnuma { pid, new, .. } = *line {
            let known = self.tasks.entry(pid).or_insert(NOTHING);
            known.set = [Some(new), known.set[0]];
            known.sets = if new < 0 {
                0
            } else {
                known.sets.saturating_add(1)
            };
        }
    }

    /// Returns the knowledge about a task whose attempt begins.
    pub(super) fn begin(&mut self, pid: i32) -> PreferredHistory {
        let Some(known) = self.tasks.get_mut(&pid) else {
            return NOTHING;
        };
        let then = *known;
        known.sets = 0;
        then
    }

    /// The attempt chose this.
    pub(super) fn went(&mut self, choice: &Candidate) {
        if choice.dst_nid >= 0 {
            self.tasks.entry(choice.pid).or_insert(NOTHING).went = Some(choice.dst_nid);
        }
    }

    /// The node that an attempt was for, and how that is known. `entry` is what the probe on the entry printed.
    pub(super) fn target(
        &self,
        known: &PreferredHistory,
        entry: Option<i32>,
        choice: &Candidate,
    ) -> (i32, TargetFrom) {
        let src = choice.src_nid;
        // A task that is on its preferred node makes no attempt (`numa_migrate_preferred`).
        let other = |nid: Option<i32>| nid.filter(|&nid| nid >= 0 && nid != src);
        let found = [
            (entry.filter(|&nid| nid >= 0), TargetFrom::Entry),
            (self.only_other(src), TargetFrom::TwoNodes),
            (other(set(known, entry, choice)), TargetFrom::Setnuma),
            (other(known.sampled), TargetFrom::Sample),
            (other(Some(choice.dst_nid)), TargetFrom::Destination),
            (other(known.went), TargetFrom::LastDestination),
        ];
        let first = found
            .into_iter()
            .find_map(|(nid, from)| nid.map(|nid| (nid, from)));
        first.unwrap_or((-1, TargetFrom::Unknown))
    }

    /// The other one of two nodes.
    fn only_other(&self, src: i32) -> Option<i32> {
        match self.nodes[..] {
            [a, b] if a == src => Some(b),
            [a, b] if b == src => Some(a),
            _ => None,
        }
    }
}

/// The preferred node by `sched_setnuma` at the start of the attempt. `task_numa_migrate` itself sets it, before its own
/// event: for a task of a numa group to the chosen node, or to the task's own node when it found none. Unless a probe
/// recorded the node at the start, the setting before counts if the last one is such a node.
fn set(known: &PreferredHistory, entry: Option<i32>, choice: &Candidate) -> Option<i32> {
    let [last, before] = known.set;
    let src = choice.src_nid;
    if entry.is_some() {
        return last;
    }
    if last == Some(src) {
        return before;
    }
    let second_choice = last == Some(choice.dst_nid) && known.sets >= 2 && before != Some(src);
    if second_choice { before } else { last }
}
