//! Who ran instead.

use std::cmp::Reverse;
use std::collections::HashMap;

use numalens_core::tasks::TaskId;

use crate::latency::result::{Antagonist, Others};
use crate::window::Names;

/// So many are named.
const NAMED: usize = 10;

/// Adds up who ran in a span of time.
#[derive(Debug)]
pub(super) struct Antagonists {
    from_ns: u64,
    to_ns: u64,
    sums: HashMap<TaskId, u64>,
}

impl Antagonists {
    pub(super) fn new(from_ns: u64, to_ns: u64) -> Self {
        Self {
            from_ns,
            to_ns,
            sums: HashMap::new(),
        }
    }

    /// Takes in a stay, of which the part in the span counts.
    pub(super) fn slice(&mut self, task: TaskId, start_ns: u64, end_ns: u64) {
        let (start_ns, end_ns) = (start_ns.max(self.from_ns), end_ns.min(self.to_ns));
        if start_ns < end_ns {
            *self.sums.entry(task).or_default() += end_ns - start_ns;
        }
    }

    /// The longest first; of those that ran as long, the earlier ones of the table of tasks.
    pub(super) fn finish(self, names: &impl Names) -> (Vec<Antagonist>, Option<Others>) {
        let mut order: Vec<(TaskId, u64)> = self.sums.into_iter().collect();
        order.sort_unstable_by_key(|&(task, ns)| (Reverse(ns), task));
        let rest = order.split_off(order.len().min(NAMED));
        let longest = order.into_iter().map(|(task, ns)| {
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
}
