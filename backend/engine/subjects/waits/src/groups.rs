//! Waits by task, node and cgroup.

use std::collections::BTreeMap;

use numalens_core::tasks::TaskId;
use numalens_replay::waits::{Cause, CauseNs};
use numalens_subject::distribution::Distribution;
use numalens_subject::window::Names;

use crate::{Antagonist, CauseSum, Others, Spread};

const NONE: u32 = u32::MAX;

/// The waits of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    pub(super) wakeups: Distribution,
    pub(super) causes: [u64; Cause::COUNT],
    pub(super) preempted: Distribution,
    pub(super) preempted_causes: [u64; Cause::COUNT],
}

impl Sums {
    #[inline]
    pub(super) fn wakeup(&mut self, wait_ns: u64, causes: &[CauseNs]) {
        self.wakeups.add(wait_ns);
        add(&mut self.causes, causes);
    }

    #[inline]
    pub(super) fn preempted(&mut self, wait_ns: u64, causes: &[CauseNs]) {
        self.preempted.add(wait_ns);
        add(&mut self.preempted_causes, causes);
    }

    fn merge(&mut self, other: &Self) {
        self.wakeups.merge(&other.wakeups);
        self.preempted.merge(&other.preempted);
        let own = self.causes.iter_mut().chain(&mut self.preempted_causes);
        let others = other.causes.iter().chain(&other.preempted_causes);
        for (sum, more) in own.zip(others) {
            *sum += more;
        }
    }

    /// All waits, ns.
    pub(super) fn all_ns(&self) -> u64 {
        self.wakeups.sum().saturating_add(self.preempted.sum())
    }

    /// Percentiles of the wake-ups.
    pub(super) fn spread(&self) -> Spread {
        spread(&self.wakeups)
    }

    /// Percentiles of wake-ups and preemptions together.
    pub(super) fn spread_of_all(&self) -> Spread {
        let mut all = self.wakeups.clone();
        all.merge(&self.preempted);
        spread(&all)
    }

    pub(super) fn cause_list(&self) -> Vec<CauseSum> {
        CauseSum::list(&self.causes)
    }

    pub(super) fn preempted_cause_list(&self) -> Vec<CauseSum> {
        CauseSum::list(&self.preempted_causes)
    }
}

fn spread(waits: &Distribution) -> Spread {
    let [p50_ns, p90_ns, p99_ns] = waits.percentiles([50, 90, 99]);
    Spread {
        p50_ns,
        p90_ns,
        p99_ns,
        max_ns: waits.max(),
        error_percent: waits.error_percent(),
    }
}

/// Adds causes to their sums.
#[inline]
pub(super) fn add(sums: &mut [u64; Cause::COUNT], causes: &[CauseNs]) {
    for cause in causes {
        sums[cause.cause as usize] += cause.ns;
    }
}

/// Totals of a task on one node and in one cgroup.
#[derive(Debug)]
struct Cell {
    task: TaskId,
    place: u32,
    group: u32,
    /// The task's next cell.
    next: u32,
    sums: Sums,
}

/// Waits are added once, to the cell of their task, node and cgroup; the groups are merged from the cells at the end.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By task, its first cell.
    first: Vec<u32>,
    cells: Vec<Cell>,
}

impl Groups {
    /// The sums of a task on a node (by place) in a cgroup.
    #[inline]
    pub(super) fn at(&mut self, task: TaskId, place: u32, group: u32) -> Option<&mut Sums> {
        let mut at = self.first.get(task as usize).copied().unwrap_or(NONE);
        while let Some(cell) = self.cells.get(at as usize) {
            if cell.place == place && cell.group == group {
                break;
            }
            at = cell.next;
        }
        if at == NONE {
            at = self.open(task, place, group)?;
        }
        self.cells.get_mut(at as usize).map(|cell| &mut cell.sums)
    }

    #[cold]
    fn open(&mut self, task: TaskId, place: u32, group: u32) -> Option<u32> {
        if task == TaskId::MAX {
            return None;
        }
        let len = self.first.len().max(task as usize + 1);
        self.first.resize(len, NONE);
        let first = self.first.get_mut(task as usize)?;
        let at = self.cells.len() as u32;
        self.cells.push(Cell {
            task,
            place,
            group,
            next: std::mem::replace(first, at),
            sums: Sums::default(),
        });
        Some(at)
    }

    fn merged(&self, key: impl Fn(&Cell) -> u32) -> BTreeMap<u32, Sums> {
        let mut merged: BTreeMap<u32, Sums> = BTreeMap::new();
        for cell in &self.cells {
            merged.entry(key(cell)).or_default().merge(&cell.sums);
        }
        merged
    }

    pub(super) fn by_place(&self) -> BTreeMap<u32, Sums> {
        self.merged(|cell| cell.place)
    }

    pub(super) fn by_group(&self) -> BTreeMap<u32, Sums> {
        self.merged(|cell| cell.group)
    }

    pub(super) fn by_task(&self) -> BTreeMap<TaskId, Sums> {
        self.merged(|cell| cell.task)
    }
}

// Who ran instead.

/// Number of named tasks.
const NAMED: usize = 10;

/// Returns the running tasks, the longest first, by name; and number and time of the others.
pub(super) fn antagonists(
    mut ran: Vec<(TaskId, u64)>,
    names: &impl Names,
) -> (Vec<Antagonist>, Option<Others>) {
    let rest = ran.split_off(ran.len().min(NAMED));
    let longest = ran.into_iter().map(|(task, ns)| {
        let (pid, comm) = names.task(task);
        Antagonist {
            task,
            pid,
            comm: comm.to_owned(),
            ns,
        }
    });
    let others = Others {
        tasks: rest.len(),
        ns: rest.iter().map(|(_, ns)| ns).sum(),
    };
    (longest.collect(), (others.tasks != 0).then_some(others))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Groups;

    #[test]
    fn a_place_of_a_task_has_one_cell() {
        let mut groups = Groups::default();
        for _ in 0..3 {
            for (task, place, group) in [(7, 0, 0), (7, 1, 0), (7, 1, 2), (3, 0, 0)] {
                groups.at(task, place, group).unwrap().preempted(1, &[]);
            }
        }
        assert_eq!(groups.cells.len(), 4);
        assert!(
            groups
                .cells
                .iter()
                .all(|cell| cell.sums.preempted.count() == 3)
        );
    }
}
